// Finds where a recall begins: the memories nearest to its query, and those of the time that it asks for.
// Apart from the recall, whose plan takes seconds to make: here a plan for each combination of filters costs little.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, statuses: LIST<STRING>, visible: LIST<STRING>, vector: LIST<FLOAT>,
//         pool: INTEGER, types: LIST<STRING>, domain: STRING, session: STRING, source: STRING, from_ms: INTEGER,
//         before_ms: INTEGER, alive_ms: INTEGER, since: ZONED DATETIME, until: ZONED DATETIME,
//         newest: ZONED DATETIME, window_from_ms: INTEGER, window_before_ms: INTEGER
// returns: seeds: LIST<LIST<ANY>>
CYPHER 25
MATCH (x:EmbeddingA)
SEARCH x IN (
  VECTOR INDEX embedding_a FOR $vector
  WHERE x.audience IN $visible
    AND x.type IN $types //? types
    AND x.domain = $domain //? domain
    AND x.session = $session //? session
    AND x.source = $source //? source
    AND x.occurred_ms >= $from_ms //? from_ms
    AND x.occurred_ms < $before_ms //? before_ms
    AND x.until_ms > $alive_ms //? alive_ms
  LIMIT $pool
) SCORE AS score
// A row for each way to find them: the driver takes as long for a row as for a list in it of many.
RETURN collect([x.id, 2 * score - 1]) AS seeds
UNION ALL //? since
// A range that keeps few is not searched well by a graph of neighbours: these come from the index of times.
MATCH (m:Memory) //? since
WHERE m.bank = $bank AND m.occurred_at >= $since AND m.occurred_at < $until //? since
  AND m.audience IN $audiences AND m.status IN $statuses //? since
WITH m LIMIT $pool //? since
RETURN collect([m.id, null]) AS seeds //? since
UNION ALL //? newest
MATCH (m:Memory) //? newest
WHERE m.bank = $bank AND m.occurred_at <= $newest AND m.audience IN $audiences AND m.status IN $statuses //? newest
WITH m ORDER BY m.occurred_at DESC LIMIT $pool //? newest
RETURN collect([m.id, null]) AS seeds //? newest
UNION ALL //? window_from_ms
MATCH (x:EmbeddingA) //? window_from_ms
SEARCH x IN ( //? window_from_ms
  VECTOR INDEX embedding_a FOR $vector //? window_from_ms
  WHERE x.audience IN $visible //? window_from_ms
    AND x.occurred_ms >= $window_from_ms AND x.occurred_ms < $window_before_ms //? window_from_ms
  LIMIT $pool //? window_from_ms
) SCORE AS score //? window_from_ms
RETURN collect([x.id, 2 * score - 1]) AS seeds //? window_from_ms
