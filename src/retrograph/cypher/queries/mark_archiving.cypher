// Notes which run is about to archive memories, and why: only those that nobody touched since they were looked at.
// mode: write
// params: bank: STRING, run: STRING, rows: LIST<MAP>
// returns: id: STRING
CYPHER 25
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.bank = $bank AND m.status = 'active' AND m.updated_at.epochMillis = row.updated_ms
  AND coalesce(m.last_accessed_at.epochMillis, 0) = row.accessed_ms AND coalesce(m.pinned, false) = row.pinned
  AND (row.into IS NULL OR EXISTS { MATCH (:Memory {id: row.into, status: 'active'}) })
SET m.archived_by = $run, m.archive_reason = row.reason
RETURN m.id AS id
