// Reads the newest current memories of a session or a span of time, with the names that each speaks of.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, since: ZONED DATETIME, until: ZONED DATETIME, session_key: STRING, limit: INTEGER
// returns: memory: MAP, names: LIST<STRING>
CYPHER 25
MATCH (m:Memory)
WHERE m.bank = $bank AND m.occurred_at >= $since AND m.occurred_at < $until
  AND m.session_key = $session_key //? session_key
  AND m.audience IN $audiences AND m.status = 'active'
WITH m ORDER BY m.occurred_at DESC, m.id DESC LIMIT $limit
RETURN m {.id, .content, .speaker, .language, .importance, .occurred_at, .asks} AS memory,
  COLLECT {
    MATCH (m)-[:MENTIONS]->(e:Entity)
    WHERE e.is_name AND e.is_part IS NULL AND e.speaks IS NULL
    RETURN e.name ORDER BY e.name
  } AS names
