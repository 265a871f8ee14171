// Removes a trajectory and its steps.
// mode: write
// params: id: STRING
// returns: steps: INTEGER
CYPHER 25
MATCH (t:Trajectory {id: $id})
CALL (t) {
  MATCH (t)-[:STEP]->(s:Step)
  DETACH DELETE s
  RETURN count(*) AS steps
}
DETACH DELETE t
RETURN steps
