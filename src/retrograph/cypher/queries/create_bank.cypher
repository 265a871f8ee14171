// Makes a bank if it is not there; the encoder of its first write stays its encoder.
// mode: write
// params: bank: STRING, encoder: STRING, slot: STRING, dimensions: INTEGER
// returns: encoder: STRING, slot: STRING, dimensions: INTEGER
CYPHER 25
MERGE (b:Bank {name: $bank})
ON CREATE SET b.encoder = $encoder, b.slot = $slot, b.dimensions = $dimensions, b.created_at = datetime()
RETURN b.encoder AS encoder, b.slot AS slot, b.dimensions AS dimensions
