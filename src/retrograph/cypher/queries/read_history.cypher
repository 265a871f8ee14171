// Reads the whole chain of versions in which a memory stands, oldest first; one that waits for review only to its writer.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, user: STRING, agent: STRING, id: STRING
// returns: memory: MAP, ended_by: MAP
CYPHER 25
CALL () {
  MATCH (m:Memory {id: $id}) RETURN m
  UNION
  MATCH (m:ArchivedMemory {id: $id}) RETURN m
}
WITH m WHERE m.bank = $bank AND m.audience IN $audiences
  AND (m.status <> 'pending_review' OR coalesce(m.user_id, '') = $user AND coalesce(m.agent_id, '') = $agent)
MATCH (m)-[:SUPERSEDES]-{0,200}(v)
WITH DISTINCT v WHERE v.audience IN $audiences
RETURN properties(v) AS memory,
  COLLECT {
    MATCH (n)-[s:SUPERSEDES]->(v) WHERE n.audience IN $audiences
    RETURN {id: n.id, reason: s.reason, at: s.at} ORDER BY n.occurred_at, n.id LIMIT 1
  }[0] AS ended_by
ORDER BY v.version, v.occurred_at, v.created_at, v.id
