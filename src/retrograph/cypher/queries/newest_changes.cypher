// Finds where the newest changes begin: the moment of the entry that so many come after.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, agent: STRING, user: STRING, kinds: LIST<STRING>, limit: INTEGER
// returns: at: ZONED DATETIME
CYPHER 25
MATCH (a:Audit) WHERE a.bank = $bank AND a.at IS NOT NULL AND a.audience IN $audiences AND a.action IN $kinds
  AND NOT (coalesce(a.agent_id, '') = $agent AND coalesce(a.user_id, '') = $user)
RETURN a.at AS at
ORDER BY at DESC
LIMIT $limit
