// Gives entities the weight that the graph around them gives them.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: weighed: INTEGER
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {bank: $bank, key: row.key})
SET e.weight = row.weight
RETURN count(*) AS weighed
