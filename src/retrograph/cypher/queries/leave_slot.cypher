// Forgets a slot that a bank has left; answers how many banks use it or have something in it still.
// mode: write
// params: bank: STRING, slot: STRING
// returns: users: INTEGER
CYPHER 25
MATCH (b:Bank {name: $bank})
SET b.old_slots = [s IN coalesce(b.old_slots, []) WHERE s <> $slot]
WITH b
MATCH (any:Bank) WHERE any.name IS NOT NULL AND (any.slot = $slot OR $slot IN coalesce(any.old_slots, []))
RETURN count(any) AS users
