// Reads an entity under all its names: the newest memories that mention it, its relations and near names, each bounded.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, key: STRING, limit: INTEGER
// returns: names: LIST<MAP>, memories: LIST<MAP>, memories_total: INTEGER, relations: LIST<MAP>,
//          relations_total: INTEGER, candidates: LIST<MAP>, candidates_total: INTEGER
CYPHER 25
MATCH (named:Entity {bank: $bank, key: $key})
WHERE EXISTS {
    MATCH (named)<-[:MENTIONS]-(m) WHERE m.audience IN $audiences AND m.status <> 'pending_review'
  } OR EXISTS { MATCH (named)-[told:RELATES|ALIAS_OF]-(:Entity) WHERE told.audience IN $audiences }
CALL (named) {
  // Up to what it is a name of, and down to all other names of that.
  MATCH (named) (()-[up:ALIAS_OF WHERE up.audience IN $audiences]->()){0,3} (top:Entity)
  MATCH (top) (()<-[down:ALIAS_OF WHERE down.audience IN $audiences]-()){0,3} (e:Entity)
  WITH DISTINCT e
  WITH e, COUNT { MATCH (e)-[more:ALIAS_OF]->() WHERE more.audience IN $audiences } AS above
  ORDER BY above, e.key LIMIT 50
  RETURN collect(e) AS group
}
CALL (group) {
  UNWIND group AS e
  MATCH (e)<-[:MENTIONS]-(m:Memory) WHERE m.audience IN $audiences AND m.status = 'active'
  RETURN count(DISTINCT m) AS memories_total
}
CALL (group) {
  UNWIND group AS e
  MATCH (e)<-[:MENTIONS]-(m:Memory) WHERE m.audience IN $audiences AND m.status = 'active'
  WITH DISTINCT m ORDER BY m.occurred_at DESC, m.id DESC LIMIT $limit
  RETURN collect(properties(m)) AS memories
}
CALL (group) {
  UNWIND group AS e
  MATCH (e)-[r:RELATES]-(:Entity) WHERE r.audience IN $audiences AND r.is_current
  WITH DISTINCT r
  WITH startNode(r) AS s, endNode(r) AS o, r.predicate AS predicate, r.negated AS negated, sum(size(r.memory_ids)) AS backing
  ORDER BY backing DESC, predicate, s.key, o.key
  WITH collect({
    subject: s.name, predicate: predicate, object: o.name, negated: negated, memories: backing
  }) AS relations
  RETURN relations[..$limit] AS relations, size(relations) AS relations_total
}
CALL (group) {
  UNWIND group AS e
  MATCH (e)-[s:SAME_AS]-(o:Entity)
  WHERE NOT o IN group
    AND EXISTS { MATCH (o)<-[:MENTIONS]-(m) WHERE m.audience IN $audiences AND m.status <> 'pending_review' }
  WITH o, max(s.confidence) AS confidence, max([s.confidence, s.evidence])[1] AS evidence
  ORDER BY confidence DESC, o.key
  WITH collect({key: o.key, name: o.name, type: o.type, confidence: confidence, evidence: evidence}) AS candidates
  RETURN candidates[..$limit] AS candidates, size(candidates) AS candidates_total
}
RETURN [e IN group | {key: e.key, name: e.name, type: e.type}] AS names, memories, memories_total,
       relations, relations_total, candidates, candidates_total
