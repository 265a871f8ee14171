// Says of which task runs memories are the lessons, and which steps each of their sentences is tied to.
// mode: write
// params: bank: STRING, rows: LIST<MAP>, at: ZONED DATETIME
// returns: id: STRING, trajectory_id: STRING
CYPHER 25
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id}) WHERE m.bank = $bank
MATCH (t:Trajectory {id: row.trajectory_id}) WHERE t.bank = $bank
MERGE (m)-[d:DERIVED_FROM]->(t)
ON CREATE SET d.sentences = row.sentences, d.drafted = row.drafted
SET t.reflected_at = coalesce(t.reflected_at, $at)
WITH row, m, t
CALL (row, m, t) {
  UNWIND row.cited AS cited
  MATCH (t)-[:STEP|ARCHIVED_STEP]->(s:Step {number: cited.number})
  MERGE (m)-[c:CITES]->(s)
  ON CREATE SET c.parts = cited.parts
}
RETURN m.id AS id, t.id AS trajectory_id
