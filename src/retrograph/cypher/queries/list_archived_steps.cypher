// Lists the steps that a run of consolidation took out of task runs.
// mode: read
// params: run: STRING
// returns: id: STRING, steps: LIST<STRING>
CYPHER 25
MATCH (t:Trajectory)-[a:ARCHIVED_STEP]->(s:Step) WHERE a.run = $run
WITH t, s ORDER BY s.number
RETURN t.id AS id, collect(s.id) AS steps ORDER BY id
