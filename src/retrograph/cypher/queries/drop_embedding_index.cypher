// Drops the vector index of the slot.
// mode: schema
// params:
// returns: nothing: NULL
CYPHER 25
DROP INDEX embedding_a IF EXISTS
