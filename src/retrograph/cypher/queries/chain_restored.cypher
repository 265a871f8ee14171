// Puts restored memories back into the order of their sessions.
// mode: write
// params: ids: LIST<STRING>
// returns: chained: INTEGER
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory {id: id}) WHERE m.session_key IS NOT NULL
CALL (m) {
  OPTIONAL CALL (m) {
    MATCH (p:Memory {bank: m.bank, session_key: m.session_key})
    WHERE p.occurred_at <= m.occurred_at AND (p.occurred_at < m.occurred_at OR p.id < m.id)
    RETURN p ORDER BY p.occurred_at DESC, p.id DESC LIMIT 1
  }
  OPTIONAL CALL (m) {
    MATCH (n:Memory {bank: m.bank, session_key: m.session_key})
    WHERE n.occurred_at >= m.occurred_at AND (n.occurred_at > m.occurred_at OR n.id > m.id)
    RETURN n ORDER BY n.occurred_at, n.id LIMIT 1
  }
  OPTIONAL MATCH (p)-[between:NEXT]->(n)
  DELETE between
  FOREACH (before IN CASE WHEN p IS NULL THEN [] ELSE [p] END | MERGE (before)-[:NEXT]->(m))
  FOREACH (after IN CASE WHEN n IS NULL THEN [] ELSE [n] END | MERGE (m)-[:NEXT]->(after))
}
RETURN count(*) AS chained
