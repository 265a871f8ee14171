// Makes the counts of how a bank is used what they are where it comes from.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: written: INTEGER
CYPHER 25
MATCH (b:Bank {name: $bank})
UNWIND $rows AS row
MERGE (b)-[:USED]->(u:Usage {audience: row.audience})
SET u = row
RETURN count(u) AS written
