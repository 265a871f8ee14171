// Reads what others wrote or changed after a moment, oldest first, as far as it is current and the reader may recall it.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, agent: STRING, user: STRING, kinds: LIST<STRING>, since: ZONED DATETIME,
//         now: ZONED DATETIME, limit: INTEGER
// returns: id: STRING, at: ZONED DATETIME, action: STRING, memory: MAP
CYPHER 25
MATCH (a:Audit) WHERE a.bank = $bank AND a.at > $since AND a.audience IN $audiences AND a.action IN $kinds
  AND NOT (coalesce(a.agent_id, '') = $agent AND coalesce(a.user_id, '') = $user)
MATCH (m:Memory {id: a.memory_id})
WHERE m.bank = $bank AND m.audience IN $audiences AND m.status = 'active'
  AND (m.expires_at IS NULL OR m.expires_at > $now OR m.pinned)
RETURN a.id AS id, a.at AS at, a.action AS action, properties(m) AS memory
ORDER BY at, id
LIMIT $limit
