// Reads the entities of a bank a page at a time, with the relations that leave them.
// mode: read
// params: bank: STRING, after: STRING, limit: INTEGER
// returns: id: STRING, weight: FLOAT, relates: LIST<MAP>
CYPHER 25
MATCH (e:Entity)
WHERE e.bank = $bank AND e.key > $after
WITH e ORDER BY e.bank, e.key LIMIT $limit
RETURN e.key AS id, e.weight AS weight, COLLECT {
  MATCH (e)-[r:RELATES]->(o:Entity) WHERE r.is_current AND NOT r.negated
  RETURN {key: o.key, backing: size(r.memory_ids)} ORDER BY o.key
} AS relates
