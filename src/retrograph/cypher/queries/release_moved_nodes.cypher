// Frees what is unique about memories that are about to be replaced, and gives them the label that they will have.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: released: INTEGER
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (m:Memory {id: row.key}) WHERE m.bank = $bank RETURN m
  UNION ALL
  MATCH (m:ArchivedMemory {id: row.key}) WHERE m.bank = $bank RETURN m
}
REMOVE m.identity_key, m:Memory, m:ArchivedMemory, m:Episodic, m:Semantic, m:Procedural
SET m:$(row.label)
RETURN count(m) AS released
