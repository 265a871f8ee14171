// Lists the names that a run joined.
// mode: read
// params: run: STRING
// returns: alias: STRING, canonical: STRING, reason: STRING
CYPHER 25
MATCH (a:Entity)-[r:ALIAS_OF]->(c:Entity) WHERE r.run = $run
RETURN a.key AS alias, c.key AS canonical, r.reason AS reason ORDER BY alias, canonical
