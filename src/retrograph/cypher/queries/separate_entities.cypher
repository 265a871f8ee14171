// Takes back the names that a run joined; they are not joined again unasked.
// mode: write
// params: run: STRING
// returns: alias: STRING, canonical: STRING, bank: STRING
CYPHER 25
MATCH (a:Entity)-[r:ALIAS_OF]->(c:Entity) WHERE r.run = $run
CALL (a, c) {
  MATCH (a)-[s:SAME_AS]-() SET s.kept_apart = true
}
WITH a, r, c
DELETE r
RETURN a.key AS alias, c.key AS canonical, a.bank AS bank
