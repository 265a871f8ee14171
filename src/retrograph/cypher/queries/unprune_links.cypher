// Puts back the links that a run pruned; they are not pruned again.
// mode: write
// params: run: STRING, limit: INTEGER
// returns: restored: INTEGER
CYPHER 25
MATCH (a)-[p:PRUNED]->(b) WHERE p.run = $run
WITH a, p, b LIMIT $limit
CREATE (a)-[l:LINKS]->(b)
SET l = properties(p), l.run = null, l.kept = true
DELETE p
RETURN count(*) AS restored
