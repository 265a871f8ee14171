// Accepts that one entity is another name of a second, for one audience; no row where the second is a name of the first.
// mode: write
// params: bank: STRING, audiences: LIST<STRING>, audience: STRING, alias: STRING, canonical: STRING, reason: STRING, at: ZONED DATETIME
// returns: created: BOOLEAN
CYPHER 25
MATCH (a:Entity {bank: $bank, key: $alias})
MATCH (c:Entity {bank: $bank, key: $canonical})
WHERE NOT EXISTS { MATCH (c) (()-[r:ALIAS_OF WHERE r.audience IN $audiences]->()){1,4} (a) }
OPTIONAL MATCH (a)-[before:ALIAS_OF]->(c) WHERE before.audience IN $audiences
WITH a, c, count(before) = 0 AS created
FOREACH (_ IN CASE WHEN created THEN [1] ELSE [] END |
  MERGE (a)-[r:ALIAS_OF {audience: $audience}]->(c)
  ON CREATE SET r.memory_ids = [], r.reason = $reason, r.at = $at
)
RETURN created
