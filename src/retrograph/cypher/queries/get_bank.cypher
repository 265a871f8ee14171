// Reads which encoder a bank was written with, and its slot.
// mode: read
// params: bank: STRING
// returns: encoder: STRING, slot: STRING, dimensions: INTEGER, is_arriving: BOOLEAN
CYPHER 25
MATCH (b:Bank {name: $bank})
RETURN b.encoder AS encoder, b.slot AS slot, b.dimensions AS dimensions,
       b.arriving_from IS NOT NULL AS is_arriving
