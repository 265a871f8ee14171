// Reads how all readers of a bank use it.
// mode: read
// params: bank: STRING
// returns: counts: MAP
CYPHER 25
MATCH (b:Bank {name: $bank})-[:USED]->(u:Usage)
RETURN properties(u) AS counts
