// Lists the ids of a bank's memories that match a filter, oldest first.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, statuses: LIST<STRING>, types: LIST<STRING>, domain: STRING,
//         session: STRING, source: STRING, tags: LIST<STRING>, since: ZONED DATETIME, until: ZONED DATETIME, limit: INTEGER
// returns: id: STRING, metadata: STRING
CYPHER 25
MATCH (m:Memory {bank: $bank})
WHERE m.occurred_at IS NOT NULL AND m.audience IN $audiences AND m.status IN $statuses
  AND m.type IN $types //? types
  AND m.domain = $domain //? domain
  AND m.session_id = $session //? session
  AND m.source = $source //? source
  AND all(tag IN $tags WHERE tag IN m.tags) //? tags
  AND m.occurred_at >= $since //? since
  AND m.occurred_at < $until //? until
RETURN m.id AS id, m.metadata AS metadata ORDER BY m.occurred_at, m.id LIMIT $limit
