// Takes minor steps out of task runs; they stay beside them, so that the run of consolidation can be undone.
// mode: write
// params: bank: STRING, run: STRING, rows: LIST<MAP>, at: ZONED DATETIME
// returns: id: STRING, archived: INTEGER
CYPHER 25
UNWIND $rows AS row
MATCH (t:Trajectory {id: row.id}) WHERE t.bank = $bank AND NOT coalesce(t.pinned, false)
SET t.thinned_at = $at
WITH row, t
CALL (row, t) {
  MATCH (t)-[r:STEP]->(s:Step) WHERE s.number IN row.numbers AND NOT EXISTS { (s)<-[:CITES]-() }
  CREATE (t)-[a:ARCHIVED_STEP]->(s)
  SET a.run = $run, a.at = $at
  DELETE r
  RETURN count(*) AS archived
}
RETURN t.id AS id, archived
