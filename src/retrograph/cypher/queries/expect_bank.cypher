// Marks a bank as on its way into this database, so that nobody else writes into it; tells how it was before.
// mode: write
// params: bank: STRING, source: STRING
// returns: arriving_from: STRING, moved_to: STRING
CYPHER 25
MATCH (b:Bank {name: $bank})
WITH b, b.arriving_from AS arriving_from, b.moved_to AS moved_to
SET b.arriving_from = coalesce(arriving_from, $source)
RETURN arriving_from, moved_to
