// Puts back the steps that a run of consolidation took out of task runs; they are not taken out again.
// mode: write
// params: run: STRING, limit: INTEGER
// returns: restored: INTEGER
CYPHER 25
MATCH (t:Trajectory)-[a:ARCHIVED_STEP]->(s:Step) WHERE a.run = $run
WITH t, a, s LIMIT $limit
CREATE (t)-[:STEP]->(s)
DELETE a
RETURN count(*) AS restored
