// Reads what happened in a span of time a page at a time, with the names it speaks of and whether it was summarised, and is
// so by a summary that recall finds. A summary of which a source was replaced or forgotten counts for neither.
// mode: read
// params: bank: STRING, from_at: ZONED DATETIME, until_at: ZONED DATETIME, after_ms: INTEGER, after: STRING,
//         limit: INTEGER
// returns: id: STRING, at_ms: INTEGER, memory: MAP, entities: LIST<STRING>, summarised: BOOLEAN, covered: BOOLEAN
CYPHER 25
CALL () {
  MATCH (m:Memory)
  WHERE m.bank = $bank AND m.occurred_at >= $from_at AND m.occurred_at < $until_at
    AND m.layer = 'episodic' AND m.status = 'active' AND m.derived IS NULL
    AND (m.occurred_at.epochMillis > $after_ms OR (m.occurred_at.epochMillis = $after_ms AND m.id > $after))
  RETURN m ORDER BY m.occurred_at.epochMillis, m.id LIMIT $limit
  UNION
  MATCH (m:ArchivedMemory)
  WHERE m.bank = $bank AND m.occurred_at >= $from_at AND m.occurred_at < $until_at
    AND m.layer = 'episodic' AND m.archive_reason = 'summarised' AND m.derived IS NULL
    AND (m.occurred_at.epochMillis > $after_ms OR (m.occurred_at.epochMillis = $after_ms AND m.id > $after))
  RETURN m ORDER BY m.occurred_at.epochMillis, m.id LIMIT $limit
}
WITH m, m.occurred_at.epochMillis AS at_ms ORDER BY at_ms, m.id LIMIT $limit
RETURN m.id AS id, at_ms, m {
  .id, .type, .layer, .status, .audience, .domain, .importance, .pinned, .access_count, .expires_at, .half_life_days,
  .occurred_at, .created_at, .updated_at, .last_accessed_at, .kept_at, .kept_from, .archived_at
} AS memory,
  COLLECT {
    MATCH (m)-[:MENTIONS]->(e:Entity) WHERE NOT coalesce(e.speaks, false) RETURN e.key ORDER BY e.key
  } AS entities,
  EXISTS {
    MATCH (m)<-[:DERIVED_FROM]-(d {derived: 'summary'})
    WHERE NOT EXISTS {
      MATCH (d)-[:DERIVED_FROM]->(s) WHERE s.status = 'superseded' OR (s:ArchivedMemory AND s.archived_by IS NULL)
    }
  } AS summarised,
  EXISTS {
    MATCH (m)<-[:DERIVED_FROM]-(d:Memory {derived: 'summary', status: 'active'})
    WHERE NOT EXISTS {
      MATCH (d)-[:DERIVED_FROM]->(s) WHERE s.status = 'superseded' OR (s:ArchivedMemory AND s.archived_by IS NULL)
    }
  } AS covered
