// Writes the hashes of memories' words anew.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: repaired: INTEGER
CYPHER 25
UNWIND $rows AS row
MATCH (m:Memory|ArchivedMemory {id: row.id}) WHERE m.bank = $bank
SET m.content_hash = row.hash
RETURN count(m) AS repaired
