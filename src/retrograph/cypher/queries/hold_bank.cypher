// Holds the writes of a bank for a move, or goes on holding them; a hold that has run out cannot be gone on with.
// mode: write
// params: bank: STRING, holder: STRING, seconds: FLOAT, is_new: BOOLEAN
// returns: held: BOOLEAN
CYPHER 25
MATCH (b:Bank {name: $bank})
WHERE $is_new OR (b.held_by = $holder AND b.held_until > datetime.realtime('Z'))
SET b.held_by = $holder, b.held_until = datetime.realtime('Z') + duration({seconds: $seconds})
RETURN count(b) > 0 AS held
