// Makes the embeddings of a slot unique by memory.
// mode: schema
// params:
// returns: nothing: NULL
CYPHER 25
CREATE CONSTRAINT embedding_a_id IF NOT EXISTS FOR (e:EmbeddingA) REQUIRE e.id IS UNIQUE
