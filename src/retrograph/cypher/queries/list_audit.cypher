// Lists who did what to which memory, newest first, and counts what matches.
// mode: read
// params: bank: STRING, memory_id: STRING, agent: STRING, user: STRING, action: STRING, since: ZONED DATETIME, until: ZONED DATETIME, limit: INTEGER
// returns: entries: LIST<MAP>, total: INTEGER
CYPHER 25
MATCH (a:Audit) WHERE a.bank = $bank AND a.at IS NOT NULL
AND a.memory_id = $memory_id //? memory_id
AND a.agent_id = $agent //? agent
AND a.user_id = $user //? user
AND a.action = $action //? action
AND a.at >= $since //? since
AND a.at < $until //? until
WITH a ORDER BY a.at DESC, a.id DESC
WITH collect(a) AS found
RETURN [a IN found[..$limit] | properties(a)] AS entries, size(found) AS total
