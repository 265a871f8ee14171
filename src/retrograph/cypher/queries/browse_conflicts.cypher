// Draws which memories replaced which, newest replacement first, and which contradict each other.
// mode: read
// params: bank: STRING
// returns: p: PATH
CYPHER 25
MATCH p = (newer:Memory {bank: $bank})-[r:SUPERSEDES|LINKS]->(older:Memory)
WHERE newer.created_at IS NOT NULL AND (type(r) = 'SUPERSEDES' OR r.type = 'contradicts')
RETURN p ORDER BY newer.created_at DESC LIMIT 100
