// Puts new memories into the order of their sessions: NEXT goes from each to the one that happened after it.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: chained: INTEGER
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (m:Memory {id: row.id})
  // Sorted by all columns of the index, so that the neighbour is read from it and not the session.
  OPTIONAL CALL (row, m) {
    MATCH (p:Memory)
    USING INDEX p:Memory(bank, session_key, occurred_at)
    WHERE p.bank = $bank AND p.session_key = row.session_key AND p.occurred_at < m.occurred_at
    RETURN p AS earlier ORDER BY p.bank DESC, p.session_key DESC, p.occurred_at DESC, p.id DESC LIMIT 1
  }
  OPTIONAL CALL (row, m) {
    MATCH (p:Memory {bank: $bank, session_key: row.session_key, occurred_at: m.occurred_at})
    USING INDEX p:Memory(bank, session_key, occurred_at)
    WHERE p.id < m.id
    RETURN p AS just_before ORDER BY p.id DESC LIMIT 1
  }
  OPTIONAL CALL (row, m) {
    MATCH (n:Memory {bank: $bank, session_key: row.session_key, occurred_at: m.occurred_at})
    USING INDEX n:Memory(bank, session_key, occurred_at)
    WHERE n.id > m.id
    RETURN n AS just_after ORDER BY n.id LIMIT 1
  }
  OPTIONAL CALL (row, m) {
    MATCH (n:Memory)
    USING INDEX n:Memory(bank, session_key, occurred_at)
    WHERE n.bank = $bank AND n.session_key = row.session_key AND n.occurred_at > m.occurred_at
    RETURN n AS later ORDER BY n.bank, n.session_key, n.occurred_at, n.id LIMIT 1
  }
  WITH m, coalesce(just_before, earlier) AS p, coalesce(just_after, later) AS n
  OPTIONAL MATCH (p)-[between:NEXT]->(n)
  DELETE between
  FOREACH (before IN CASE WHEN p IS NULL THEN [] ELSE [p] END | MERGE (before)-[:NEXT]->(m))
  FOREACH (after IN CASE WHEN n IS NULL THEN [] ELSE [n] END | MERGE (m)-[:NEXT]->(after))
}
RETURN count(*) AS chained
