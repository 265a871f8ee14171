// Lists the transactions that go on in a database, this one too.
// mode: read
// params: database: STRING
// returns: id: STRING
CYPHER 25
SHOW TRANSACTIONS YIELD transactionId, database
WHERE database = $database
RETURN transactionId AS id
