// Removes a trajectory and its steps.
// mode: write
// params: bank: STRING, id: STRING
// returns: steps: INTEGER
CYPHER 25
MATCH (t:Trajectory {id: $id}) WHERE t.bank = $bank
CALL (t) {
  MATCH (t)-[:STEP|ARCHIVED_STEP]->(s:Step)
  DETACH DELETE s
  RETURN count(*) AS steps
}
DETACH DELETE t
RETURN steps
