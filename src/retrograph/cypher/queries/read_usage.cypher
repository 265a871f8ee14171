// Reads how a reader used a bank, and how many of the memories that it may see were ever recalled.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>
// returns: counts: LIST<MAP>, recalled: INTEGER
CYPHER 25
CALL () {
  MATCH (b:Bank {name: $bank})-[:USED]->(u:Usage)
  WHERE u.audience IN $audiences
  RETURN collect(properties(u)) AS counts
}
CALL () {
  MATCH (m:Memory {bank: $bank})
  WHERE m.audience IN $audiences AND m.occurred_at IS NOT NULL AND m.recalls > 0
  RETURN count(m) AS recalled
}
RETURN counts, recalled
