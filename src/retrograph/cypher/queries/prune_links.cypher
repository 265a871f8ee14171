// Takes links out of recall; they stay beside it, so that the run can be undone.
// mode: write
// params: bank: STRING, run: STRING, rows: LIST<MAP>
// returns: pruned: INTEGER
CYPHER 25
UNWIND $rows AS row
MATCH (a:Memory|ArchivedMemory {id: row.from_id})-[l:LINKS {type: row.type}]->(b {id: row.to_id}) WHERE a.bank = $bank
CREATE (a)-[p:PRUNED]->(b)
SET p = properties(l), p.run = $run
DELETE l
RETURN count(*) AS pruned
