// Says whether a bank can be written here: a move may hold it for a moment, have taken it away, or be bringing it.
// mode: read
// params: bank: STRING
// returns: is_held: BOOLEAN, has_left: BOOLEAN, is_arriving: BOOLEAN
CYPHER 25
MATCH (b:Bank {name: $bank})
RETURN coalesce(b.held_until > datetime.realtime('Z'), false) AS is_held, b.moved_to IS NOT NULL AS has_left,
       b.arriving_from IS NOT NULL AS is_arriving
