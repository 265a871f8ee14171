// Takes back that one memory replaces another; `settle_versions` draws the consequences.
// mode: write
// params: newer: STRING, older: STRING
// returns: removed: INTEGER
CYPHER 25
CALL () {
  MATCH (n:Memory {id: $newer}) RETURN n
  UNION
  MATCH (n:ArchivedMemory {id: $newer}) RETURN n
}
MATCH (n)-[s:SUPERSEDES]->({id: $older})
DELETE s
RETURN count(*) AS removed
