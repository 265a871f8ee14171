// Reads pairs of names that are likely one entity, with what speaks for it and against it, a page at a time.
// mode: read
// params: bank: STRING, least: FLOAT, hub: INTEGER, after: STRING, limit: INTEGER
// returns: id: STRING, first: MAP, second: MAP, evidence: STRING, together: BOOLEAN, facts: LIST<MAP>, joined: LIST<STRING>
CYPHER 25
MATCH (a:Entity)-[s:SAME_AS]->(b:Entity)
WHERE s.bank = $bank AND s.confidence >= $least AND s.kept_apart IS NULL AND a.type = b.type
WITH a, b, s, a.key + '\u001f' + b.key AS id
WHERE id > $after
WITH a, b, s, id ORDER BY id LIMIT $limit
RETURN id, {key: a.key, created_at: a.created_at} AS first, {key: b.key, created_at: b.created_at} AS second,
  s.evidence AS evidence,
  EXISTS { (a)<-[:MENTIONS]-()-[:MENTIONS]->(b) } AS together,
  COLLECT {
    MATCH (a)-[x:RELATES]->(o:Entity)<-[y:RELATES]-(b)
    WHERE x.predicate = y.predicate AND x.audience = y.audience AND NOT x.negated AND NOT y.negated
      AND COUNT { (o)<-[:RELATES]-() } <= $hub
    RETURN {audience: x.audience, fact: x.predicate + '>' + o.key, first: x.memory_ids, second: y.memory_ids}
  } + COLLECT {
    MATCH (a)<-[x:RELATES]-(o:Entity)-[y:RELATES]->(b)
    WHERE x.predicate = y.predicate AND x.audience = y.audience AND NOT x.negated AND NOT y.negated
      AND COUNT { (o)-[:RELATES]->() } <= $hub
    RETURN {audience: x.audience, fact: x.predicate + '<' + o.key, first: x.memory_ids, second: y.memory_ids}
  } AS facts,
  COLLECT { MATCH (a)-[r:ALIAS_OF]-(b) RETURN r.audience } AS joined
