// Says which memories have a vector in the slot.
// mode: read
// params: ids: LIST<STRING>
// returns: id: STRING
CYPHER 25
UNWIND $ids AS id
MATCH (e:EmbeddingA {id: id})
RETURN e.id AS id
