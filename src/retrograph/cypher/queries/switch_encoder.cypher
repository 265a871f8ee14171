// Makes another slot the bank's, and remembers the one that it had until that is emptied.
// mode: write
// params: bank: STRING, encoder: STRING, slot: STRING, dimensions: INTEGER
// returns: old: STRING
CYPHER 25
MATCH (b:Bank {name: $bank})
WITH b, b.slot AS old
SET b.encoder = $encoder, b.slot = $slot, b.dimensions = $dimensions,
    b.old_slots = [s IN coalesce(b.old_slots, []) + old WHERE s <> $slot]
RETURN old
