// Puts memories into the slot: what the vector index filters by is read off each memory; a vector is set where one is
// given, and a memory without one is left out.
// mode: write
// params: rows: LIST<MAP>, never_ms: INTEGER
// returns: placed: INTEGER
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (m:Memory {id: row.id}) RETURN m
  UNION ALL
  MATCH (m:ArchivedMemory {id: row.id}) RETURN m
}
FOREACH (_ IN CASE WHEN row.vector IS NULL THEN [] ELSE [1] END |
  MERGE (e:EmbeddingA {id: row.id})
  SET e.vector = toFloatList(row.vector)
)
WITH row, m
MATCH (e:EmbeddingA {id: row.id})
WITH e, m, CASE
  WHEN m:Memory THEN m.status
  WHEN m.status = 'pending_review' THEN 'rejected'
  ELSE 'archived'
END AS status
SET e.bank = m.bank,
    e.status = status,
    e.audience = m.bank + '\u001F' + m.audience + '\u001F' + status,
    e.type = m.type,
    e.domain = coalesce(m.domain, ''),
    e.session = coalesce(m.session_id, ''),
    e.source = m.source,
    e.occurred_ms = m.occurred_at.epochMillis,
    e.until_ms = CASE
      WHEN m.superseded_at IS NULL AND m.valid_until IS NULL THEN $never_ms
      WHEN m.superseded_at IS NULL THEN m.valid_until.epochMillis
      WHEN m.valid_until IS NULL OR m.superseded_at < m.valid_until THEN m.superseded_at.epochMillis
      ELSE m.valid_until.epochMillis
    END
RETURN count(e) AS placed
