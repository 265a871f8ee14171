// Reads a page of a bank's entities: whether anything speaks of each, and its relations that lack what backs them.
// mode: read
// params: bank: STRING, after: STRING, limit: INTEGER
// returns: id: STRING, used: BOOLEAN, crosses: BOOLEAN, faulty: LIST<STRING>
CYPHER 25
MATCH (e:Entity) WHERE e.bank = $bank AND e.key > $after
WITH e ORDER BY e.bank, e.key LIMIT $limit
RETURN e.key AS id, EXISTS { (e)<-[:MENTIONS]-() } OR EXISTS { (e)-[:RELATES|ALIAS_OF]-() } AS used,
  EXISTS { MATCH (e)--(o) WHERE o.bank <> $bank } AS crosses,
  COLLECT {
    MATCH (e)-[r:RELATES]->(o:Entity)
    WHERE size(r.memory_ids) = 0 OR COUNT {
      UNWIND r.memory_ids AS backing
      MATCH (:Memory|ArchivedMemory {id: backing})
    } < size(r.memory_ids)
    RETURN r.predicate + ' ' + o.key AS relation ORDER BY relation
  } AS faulty
