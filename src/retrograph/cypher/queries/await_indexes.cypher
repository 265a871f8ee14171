// Waits until every index is online.
// mode: read
// params: timeout_s: INTEGER
// returns: nothing: NULL
CYPHER 25
CALL db.awaitIndexes($timeout_s)
