// Reads a task run for upkeep, whoever may see it: all its steps in order, and which of them a lesson cites.
// mode: read
// params: bank: STRING, id: STRING
// returns: trajectory: MAP, steps: LIST<MAP>, cited: LIST<INTEGER>
CYPHER 25
MATCH (t:Trajectory {id: $id}) WHERE t.bank = $bank
RETURN properties(t) AS trajectory,
  COLLECT {
    MATCH (t)-[r:STEP|ARCHIVED_STEP]->(s:Step)
    RETURN s {.*, archived: type(r) = 'ARCHIVED_STEP'} ORDER BY s.number
  } AS steps,
  COLLECT { MATCH (t)-[:STEP|ARCHIVED_STEP]->(s:Step)<-[:CITES]-() RETURN DISTINCT s.number ORDER BY s.number } AS cited
