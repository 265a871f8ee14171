// Reads the working memory of a session: its last turns, newest first, and the task states that are open.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, session_key: STRING, statuses: LIST<STRING>, now: ZONED DATETIME,
//         last: INTEGER, tasks: INTEGER, open_tasks: MAP
// returns: turns: LIST<MAP>, turns_total: INTEGER, tasks: LIST<MAP>, tasks_total: INTEGER
CYPHER 25
CALL () {
  MATCH (m:Memory {bank: $bank, session_key: $session_key})
  WHERE m.occurred_at IS NOT NULL AND m.audience IN $audiences AND m.status IN $statuses
    AND (m.expires_at IS NULL OR m.expires_at > $now OR m.pinned)
  WITH m ORDER BY m.occurred_at DESC, m.id DESC
  WITH collect(m) AS found
  RETURN [m IN found[..$last] | properties(m)] AS turns, size(found) AS turns_total
}
CALL () {
  CALL db.index.fulltext.queryNodes('memory_text_english', $open_tasks.filters, {limit: $open_tasks.most}) YIELD node AS x
  WITH x WHERE x.bank = $bank AND x.type = 'task_state' AND x.status = 'active' AND x.audience IN $audiences
    AND (x.expires_at IS NULL OR x.expires_at > $now OR x.pinned)
    AND (x.valid_until IS NULL OR x.valid_until > $now)
  // What this session is at comes first.
  WITH x, CASE WHEN x.session_key = $session_key THEN 0 ELSE 1 END AS elsewhere
  ORDER BY elsewhere, x.occurred_at DESC, x.id DESC
  WITH collect(x) AS found
  RETURN [x IN found[..$tasks] | properties(x)] AS tasks, size(found) AS tasks_total
}
RETURN turns, turns_total, tasks, tasks_total
