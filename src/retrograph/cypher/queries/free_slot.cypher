// Gives a slot back, so that another encoder can have it.
// mode: write
// params: slot: STRING
// returns: freed: INTEGER
CYPHER 25
MATCH (s:EmbeddingSlot {slot: $slot})
DELETE s
RETURN count(*) AS freed
