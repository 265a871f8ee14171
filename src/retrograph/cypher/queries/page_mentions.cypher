// Reads which entities the current memories of a bank mention, a page of memories at a time.
// mode: read
// params: bank: STRING, after: STRING, limit: INTEGER
// returns: id: STRING, keys: LIST<STRING>
CYPHER 25
MATCH (m:Memory)
WHERE m.bank = $bank AND m.id > $after
WITH m ORDER BY m.bank, m.id LIMIT $limit
RETURN m.id AS id, CASE WHEN m.status = 'active' THEN COLLECT {
  MATCH (m)-[:MENTIONS]->(e:Entity) RETURN e.key ORDER BY e.key
} ELSE [] END AS keys
