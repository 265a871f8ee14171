// Makes the outgoing edges of nodes on the move what they are where their bank comes from; an edge to a node that is not
// here yet is left out and missing in the count.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: row: INTEGER, made: INTEGER
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (a:Memory {id: row.key}) WHERE row.label IN ['Memory', 'ArchivedMemory'] RETURN a
  UNION ALL
  MATCH (a:ArchivedMemory {id: row.key}) WHERE row.label IN ['Memory', 'ArchivedMemory'] RETURN a
  UNION ALL
  MATCH (a:Entity {bank: $bank, key: row.key}) WHERE row.label = 'Entity' RETURN a
  UNION ALL
  MATCH (a:NamePart {bank: $bank, key: row.key}) WHERE row.label = 'NamePart' RETURN a
  UNION ALL
  MATCH (a:Session {bank: $bank, key: row.key}) WHERE row.label = 'Session' RETURN a
  UNION ALL
  MATCH (a:ConsolidationRun {id: row.key}) WHERE row.label = 'ConsolidationRun' RETURN a
  UNION ALL
  MATCH (a:Trajectory {id: row.key}) WHERE row.label = 'Trajectory' RETURN a
  UNION ALL
  MATCH (a:Step {id: row.key}) WHERE row.label = 'Step' RETURN a
  UNION ALL
  MATCH (a:Audit {id: row.key}) WHERE row.label = 'Audit' RETURN a
}
CALL (a) {
  MATCH (a)-[old]->()
  DELETE old
}
CALL (row, a) {
  UNWIND row.edges AS edge
  CALL (edge) {
    MATCH (b:Memory {id: edge.key}) WHERE edge.label IN ['Memory', 'ArchivedMemory'] RETURN b
    UNION ALL
    MATCH (b:ArchivedMemory {id: edge.key}) WHERE edge.label IN ['Memory', 'ArchivedMemory'] RETURN b
    UNION ALL
    MATCH (b:Entity {bank: $bank, key: edge.key}) WHERE edge.label = 'Entity' RETURN b
    UNION ALL
    MATCH (b:NamePart {bank: $bank, key: edge.key}) WHERE edge.label = 'NamePart' RETURN b
    UNION ALL
    MATCH (b:Session {bank: $bank, key: edge.key}) WHERE edge.label = 'Session' RETURN b
    UNION ALL
    MATCH (b:ConsolidationRun {id: edge.key}) WHERE edge.label = 'ConsolidationRun' RETURN b
    UNION ALL
    MATCH (b:Trajectory {id: edge.key}) WHERE edge.label = 'Trajectory' RETURN b
    UNION ALL
    MATCH (b:Step {id: edge.key}) WHERE edge.label = 'Step' RETURN b
    UNION ALL
    MATCH (b:Audit {id: edge.key}) WHERE edge.label = 'Audit' RETURN b
  }
  CREATE (a)-[new:$(edge.type)]->(b)
  SET new = edge.properties
  RETURN count(new) AS made
}
RETURN row.row AS row, made
