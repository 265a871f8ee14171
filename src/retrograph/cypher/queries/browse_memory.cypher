// Draws one memory and what it is tied to; without an id the newest memory.
// mode: read
// params: bank: STRING, id: STRING
// returns: p: PATH
CYPHER 25
WITH $id AS id
MATCH (m:Memory {bank: $bank})
WHERE m.created_at IS NOT NULL AND (id = '' OR m.id = id)
WITH m ORDER BY m.created_at DESC LIMIT 1
MATCH p = (m)-[:MENTIONS|LINKS|SUPERSEDES|NEXT|IN_SESSION|DERIVED_FROM]-(x) WHERE NOT x:NamePart
RETURN p LIMIT 100
