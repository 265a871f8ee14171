// Lists trajectories, newest first, without their steps.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, task_type: STRING, status: STRING, limit: INTEGER
// returns: trajectory: MAP, lessons: LIST<STRING>
CYPHER 25
MATCH (t:Trajectory) WHERE t.bank = $bank AND t.started_at IS NOT NULL AND t.audience IN $audiences
  AND t.task_type = $task_type //? task_type
  AND t.status = $status //? status
WITH t ORDER BY t.started_at DESC, t.id DESC LIMIT $limit
RETURN properties(t) AS trajectory,
  COLLECT { MATCH (m:Memory)-[:DERIVED_FROM]->(t) WHERE m.audience IN $audiences RETURN m.id ORDER BY m.id } AS lessons
