// Gives an encoder its slot: the one it has, or the first free one; no row where all are taken.
// mode: write
// params: encoder: STRING, dimensions: INTEGER, slots: LIST<STRING>
// returns: slot: STRING, dimensions: INTEGER
CYPHER 25
OPTIONAL MATCH (mine:EmbeddingSlot {encoder: $encoder})
OPTIONAL MATCH (any:EmbeddingSlot)
WITH mine, collect(any.slot) AS taken
WITH coalesce(mine.slot, head([s IN $slots WHERE NOT s IN taken])) AS slot
WHERE slot IS NOT NULL
MERGE (s:EmbeddingSlot {slot: slot})
ON CREATE SET s.encoder = $encoder, s.dimensions = $dimensions
RETURN s.slot AS slot, s.dimensions AS dimensions
