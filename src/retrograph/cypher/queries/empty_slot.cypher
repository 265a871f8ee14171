// Removes the vectors of some memories from the slot.
// mode: write
// params: ids: LIST<STRING>
// returns: removed: INTEGER
CYPHER 25
UNWIND $ids AS id
MATCH (e:EmbeddingA {id: id})
DELETE e
RETURN count(*) AS removed
