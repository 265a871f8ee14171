// Reads a trajectory, its steps in order, archived ones too, and the memories derived from it.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, id: STRING
// returns: trajectory: MAP, steps: LIST<MAP>, lessons: LIST<STRING>, drafts: LIST<STRING>, reflections: LIST<MAP>
CYPHER 25
MATCH (t:Trajectory {id: $id}) WHERE t.bank = $bank AND t.audience IN $audiences
RETURN properties(t) AS trajectory,
  COLLECT {
    MATCH (t)-[r:STEP|ARCHIVED_STEP]->(s:Step)
    RETURN s {.*, archived: type(r) = 'ARCHIVED_STEP'} ORDER BY s.number
  } AS steps,
  COLLECT { MATCH (m:Memory)-[:DERIVED_FROM]->(t) WHERE m.audience IN $audiences RETURN m.id ORDER BY m.id } AS lessons,
  COLLECT {
    MATCH (m:Memory)-[d:DERIVED_FROM]->(t)
    WHERE m.audience IN $audiences AND d.drafted AND m.status = 'active'
    RETURN m.id ORDER BY m.id
  } AS drafts,
  COLLECT {
    MATCH (m:Memory)-[d:DERIVED_FROM]->(t) WHERE m.audience IN $audiences AND d.sentences IS NOT NULL
    RETURN {id: m.id, sentences: d.sentences} ORDER BY m.id
  } AS reflections
