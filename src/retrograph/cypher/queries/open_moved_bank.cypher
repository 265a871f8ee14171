// Opens a bank that has arrived, or that is not coming after all.
// mode: write
// params: bank: STRING, source: STRING
// returns: opened: INTEGER
CYPHER 25
MATCH (b:Bank {name: $bank})
WHERE b.arriving_from = $source
REMOVE b.arriving_from, b.moved_to, b.moved_to_id, b.moved_at
RETURN count(b) AS opened
