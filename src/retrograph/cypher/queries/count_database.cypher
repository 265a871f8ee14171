// Counts the memories of all banks of a database, for the size of its memory.
// mode: read
// params:
// returns: memories: INTEGER
CYPHER 25
CALL () { MATCH (m:Memory) RETURN count(m) AS current }
CALL () { MATCH (m:ArchivedMemory) RETURN count(m) AS archived }
RETURN current + archived AS memories
