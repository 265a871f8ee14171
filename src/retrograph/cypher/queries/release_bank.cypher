// Lets the writes of a bank go on that a move has held.
// mode: write
// params: bank: STRING, holder: STRING
// returns: released: INTEGER
CYPHER 25
MATCH (b:Bank {name: $bank})
WHERE b.held_by = $holder
REMOVE b.held_by, b.held_until
RETURN count(b) AS released
