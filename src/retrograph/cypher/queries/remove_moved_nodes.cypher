// Deletes nodes of a bank on the move, with their edges and embeddings.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: removed: INTEGER
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Memory {id: row.key}) WHERE row.label IN ['Memory', 'ArchivedMemory'] RETURN n
  UNION ALL
  MATCH (n:ArchivedMemory {id: row.key}) WHERE row.label IN ['Memory', 'ArchivedMemory'] RETURN n
  UNION ALL
  MATCH (n:Entity {bank: $bank, key: row.key}) WHERE row.label = 'Entity' RETURN n
  UNION ALL
  MATCH (n:NamePart {bank: $bank, key: row.key}) WHERE row.label = 'NamePart' RETURN n
  UNION ALL
  MATCH (n:Session {bank: $bank, key: row.key}) WHERE row.label = 'Session' RETURN n
  UNION ALL
  MATCH (n:ConsolidationRun {id: row.key}) WHERE row.label = 'ConsolidationRun' RETURN n
  UNION ALL
  MATCH (n:Trajectory {id: row.key}) WHERE row.label = 'Trajectory' RETURN n
  UNION ALL
  MATCH (n:Step {id: row.key}) WHERE row.label = 'Step' RETURN n
  UNION ALL
  MATCH (n:Audit {id: row.key}) WHERE row.label = 'Audit' RETURN n
}
OPTIONAL MATCH (e:EmbeddingA {id: row.key})
DELETE e
DETACH DELETE n
RETURN count(*) AS removed
