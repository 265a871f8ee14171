// Writes who did what to which memory, in the transaction that did it and as its last statement.
// mode: write
// params: rows: LIST<MAP>, by: MAP
// returns: written: INTEGER
CYPHER 25
UNWIND $rows AS row
OPTIONAL MATCH (m:Memory|ArchivedMemory {id: row.memory_id})
MERGE (a:Audit {id: row.id})
ON CREATE SET
  a.bank = coalesce(m.bank, row.bank),
  a.audience = coalesce(m.audience, row.audience),
  a.memory_id = row.memory_id,
  a.action = CASE WHEN row.action = 'stored' AND m.status = 'pending_review' THEN 'quarantined' ELSE row.action END,
  a.detail = row.detail,
  a.before = row.before,
  a.after = m.content_hash,
  a.agent_id = $by.agent,
  a.user_id = $by.user,
  a.session_id = $by.session,
  // The database's clock, read last: what commits later is hardly ever dated earlier.
  a.at = datetime.truncate('microsecond', datetime.realtime('Z'))
RETURN count(a) AS written
