// Reads a page of the summaries or rules of which a source was replaced or forgotten, with the sources that wait in the
// archive for one of them alone.
// mode: read
// params: bank: STRING, derived: STRING, after: STRING, limit: INTEGER
// returns: id: STRING, memory: MAP, waiting: LIST<MAP>
CYPHER 25
MATCH (m:Memory)
WHERE m.bank = $bank AND m.id > $after AND m.derived = $derived AND m.status = 'active' AND NOT coalesce(m.pinned, false)
  AND EXISTS {
    MATCH (m)-[:DERIVED_FROM]->(s) WHERE s.status = 'superseded' OR (s:ArchivedMemory AND s.archived_by IS NULL)
  }
WITH m ORDER BY m.bank, m.id LIMIT $limit
RETURN m.id AS id, m {.id, .status, .audience, .updated_at, .last_accessed_at, .pinned} AS memory,
  COLLECT {
    MATCH (m)-[:DERIVED_FROM]->(s:ArchivedMemory)
    WHERE s.archive_reason = 'summarised' AND s.status = 'active'
      AND NOT EXISTS { MATCH (s)<-[:DERIVED_FROM]-(o:Memory {derived: 'summary', status: 'active'}) WHERE o <> m }
    RETURN {id: s.id, audience: s.audience} ORDER BY s.id
  } AS waiting
