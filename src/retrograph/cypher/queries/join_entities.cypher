// Says that names are other names of the same, each for one audience, by a run; where the reverse is said nothing is.
// mode: write
// params: bank: STRING, run: STRING, rows: LIST<MAP>, at: ZONED DATETIME
// returns: alias: STRING, canonical: STRING
CYPHER 25
UNWIND $rows AS row
MATCH (a:Entity {bank: $bank, key: row.alias})
MATCH (c:Entity {bank: $bank, key: row.canonical})
WHERE NOT EXISTS { MATCH (c) (()-[r:ALIAS_OF WHERE r.audience = row.audience]->()){1,4} (a) }
MERGE (a)-[r:ALIAS_OF {audience: row.audience}]->(c)
ON CREATE SET r.memory_ids = [], r.reason = row.reason, r.at = $at, r.run = $run
RETURN a.key AS alias, c.key AS canonical
