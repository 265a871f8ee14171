// Says which keys are new to the bank, and finds the few entities whose names share a word of near names with each.
// mode: read
// params: bank: STRING, rows: LIST<MAP>, limit: INTEGER
// returns: key: STRING, near: LIST<MAP>
CYPHER 25
UNWIND $rows AS row
OPTIONAL MATCH (known:Entity {bank: $bank, key: row.key})
WITH row, known WHERE known.near_tokens IS NULL
CALL (row) {
  CALL db.index.fulltext.queryNodes('entity_near', row.tokens, {limit: $limit}) YIELD node AS e
  WHERE e.bank = $bank AND e.key <> row.key
  RETURN collect({key: e.key, name: e.name, type: e.type}) AS near
}
RETURN row.key AS key, near
