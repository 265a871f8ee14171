// Draws a bank in Neo4j Browser: its newest memories, what they mention, and how all of it is linked.
// mode: read
// params: bank: STRING
// returns: p: PATH
CYPHER 25
MATCH (m:Memory {bank: $bank}) WHERE m.created_at IS NOT NULL
WITH m ORDER BY m.created_at DESC LIMIT 100
MATCH p = (m)-[:MENTIONS|LINKS|SUPERSEDES|IN_SESSION]->(x) WHERE NOT x:NamePart
RETURN p LIMIT 300
