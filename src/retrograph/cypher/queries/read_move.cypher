// Reads how far a bank is on its way out of this database, or into it.
// mode: read
// params: bank: STRING
// returns: moved_to: STRING, moved_to_id: STRING, arriving_from: STRING
CYPHER 25
MATCH (b:Bank {name: $bank})
RETURN b.moved_to AS moved_to, b.moved_to_id AS moved_to_id, b.arriving_from AS arriving_from
