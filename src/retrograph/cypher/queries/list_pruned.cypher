// Lists the links that a run pruned.
// mode: read
// params: run: STRING
// returns: from_id: STRING, to_id: STRING, type: STRING
CYPHER 25
MATCH (a)-[p:PRUNED]->(b) WHERE p.run = $run
RETURN a.id AS from_id, b.id AS to_id, p.type AS type ORDER BY from_id, to_id, type
