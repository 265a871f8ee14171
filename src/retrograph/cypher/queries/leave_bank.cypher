// Marks a bank as moved away: from now on nothing is written here; only while the move still holds it.
// mode: write
// params: bank: STRING, holder: STRING, moved_to: STRING, moved_to_id: STRING
// returns: has_left: BOOLEAN
CYPHER 25
MATCH (b:Bank {name: $bank})
WHERE b.held_by = $holder AND b.held_until > datetime.realtime('Z')
SET b.moved_to = $moved_to, b.moved_to_id = $moved_to_id, b.moved_at = datetime.realtime('Z')
REMOVE b.held_by, b.held_until
RETURN count(b) > 0 AS has_left
