// Lists what a run archived and why, a page at a time.
// mode: read
// params: bank: STRING, run: STRING, after: STRING, limit: INTEGER
// returns: id: STRING, reason: STRING, audience: STRING, into: STRING
CYPHER 25
MATCH (m:ArchivedMemory)
WHERE m.bank = $bank AND m.archived_by = $run AND m.id > $after
WITH m ORDER BY m.bank, m.archived_by, m.id LIMIT $limit
RETURN m.id AS id, m.archive_reason AS reason, m.audience AS audience,
  COLLECT { MATCH (s)-[:MERGED]->(m) RETURN s.id ORDER BY s.id LIMIT 1 }[0] AS into
