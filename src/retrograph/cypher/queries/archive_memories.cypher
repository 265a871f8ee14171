// Moves memories into the archive: out of default recall at once, found by a deep one unless they waited for review.
// mode: write
// params: bank: STRING, ids: LIST<STRING>, at: ZONED DATETIME, run: STRING
// returns: id: STRING
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.bank = $bank
  // A run archives what it marked, and nothing that was touched meanwhile.
  AND m.archived_by = $run //? run
REMOVE m:Memory
SET m:ArchivedMemory,
    m.archived_at = $at,
    m.updated_at = $at,
    m.filter_tokens = replace(
      m.filter_tokens, ' s' + replace(m.status, '_', '') + ' ',
      CASE m.status WHEN 'pending_review' THEN ' srejected ' ELSE ' sarchived ' END
    )
WITH m, CASE m.status WHEN 'pending_review' THEN 'rejected' ELSE 'archived' END AS status
OPTIONAL MATCH (e:EmbeddingA {id: m.id})
SET e.status = status,
    e.audience = m.bank + '\u001F' + m.audience + '\u001F' + status
WITH m
CALL (m) {
  MATCH (m)-[:MENTIONS]->(:Entity)-[r:RELATES]->(:Entity)
  WHERE m.id IN r.memory_ids AND r.audience = m.audience
  SET r.is_current = EXISTS {
    UNWIND r.memory_ids AS backing
    MATCH (b:Memory {id: backing, status: 'active'})
  }
}
RETURN m.id AS id
