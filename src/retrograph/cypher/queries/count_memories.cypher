// Counts the memories of a bank outside the archive.
// mode: read
// params: bank: STRING
// returns: memories: INTEGER
CYPHER 25
MATCH (m:Memory {bank: $bank}) WHERE m.id IS NOT NULL
RETURN count(*) AS memories
