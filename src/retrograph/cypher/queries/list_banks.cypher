// Lists the banks that live in a database: none that has moved away, or is on its way here.
// mode: read
// params:
// returns: bank: STRING
CYPHER 25
MATCH (b:Bank) WHERE b.name > '' AND b.moved_to IS NULL AND b.arriving_from IS NULL
RETURN b.name AS bank ORDER BY bank
