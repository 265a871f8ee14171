// Reads a trajectory, its steps in order, and the memories derived from it.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, id: STRING
// returns: trajectory: MAP, steps: LIST<MAP>, lessons: LIST<STRING>
CYPHER 25
MATCH (t:Trajectory {id: $id}) WHERE t.bank = $bank AND t.audience IN $audiences
RETURN properties(t) AS trajectory,
  COLLECT { MATCH (t)-[:STEP]->(s:Step) RETURN properties(s) ORDER BY s.number } AS steps,
  COLLECT { MATCH (m:Memory)-[:DERIVED_FROM]->(t) WHERE m.audience IN $audiences RETURN m.id ORDER BY m.id } AS lessons
