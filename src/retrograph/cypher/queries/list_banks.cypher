// Lists the banks of a database.
// mode: read
// params:
// returns: bank: STRING
CYPHER 25
MATCH (b:Bank) WHERE b.name > ''
RETURN b.name AS bank ORDER BY bank
