// Lists pairs of near names that may be one entity and are not yet, surest first, where the reader may see both.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, limit: INTEGER
// returns: pairs: LIST<MAP>, total: INTEGER
CYPHER 25
MATCH (a:Entity)-[s:SAME_AS]->(b:Entity)
WHERE s.bank = $bank AND s.confidence >= 0
  AND NOT EXISTS { MATCH (a)-[r:ALIAS_OF]-(b) WHERE r.audience IN $audiences }
  AND EXISTS { MATCH (a)<-[:MENTIONS]-(m) WHERE m.audience IN $audiences AND m.status <> 'pending_review' }
  AND EXISTS { MATCH (b)<-[:MENTIONS]-(m) WHERE m.audience IN $audiences AND m.status <> 'pending_review' }
WITH a, b, s ORDER BY s.confidence DESC, a.key, b.key
WITH collect({
  first: {key: a.key, name: a.name, type: a.type}, second: {key: b.key, name: b.name, type: b.type},
  confidence: s.confidence, evidence: s.evidence
}) AS pairs
RETURN pairs[..$limit] AS pairs, size(pairs) AS total
