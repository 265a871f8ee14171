// Says what memories were derived from, and by which run.
// mode: write
// params: bank: STRING, run: STRING, rows: LIST<MAP>
// returns: id: STRING
CYPHER 25
UNWIND $rows AS row
MATCH (m:Memory {id: row.id}) WHERE m.bank = $bank
CALL (m, row) {
  UNWIND row.sources AS source
  MATCH (s:Memory|ArchivedMemory {id: source}) WHERE s.bank = $bank
  MERGE (m)-[d:DERIVED_FROM]->(s)
  SET d.run = $run
}
RETURN m.id AS id
