// Reads vectors of the slot.
// mode: read
// params: ids: LIST<STRING>
// returns: id: STRING, vector: LIST<FLOAT>
CYPHER 25
UNWIND $ids AS id
MATCH (e:EmbeddingA {id: id})
RETURN e.id AS id, e.vector AS vector
