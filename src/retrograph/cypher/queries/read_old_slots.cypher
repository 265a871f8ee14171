// Reads the slots that a bank has left and that still hold vectors of it.
// mode: read
// params: bank: STRING
// returns: slots: LIST<STRING>
CYPHER 25
MATCH (b:Bank {name: $bank})
RETURN coalesce(b.old_slots, []) AS slots
