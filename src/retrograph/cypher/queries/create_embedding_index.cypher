// Makes the vector index of a slot, with the properties that recall filters on inside it.
// mode: schema
// params: options: MAP
// returns: nothing: NULL
CYPHER 25
CREATE VECTOR INDEX embedding_a IF NOT EXISTS
FOR (e:EmbeddingA) ON e.vector
WITH [e.bank, e.audience, e.status, e.type, e.domain, e.session, e.source, e.occurred_ms, e.until_ms]
OPTIONS $options
