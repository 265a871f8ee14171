// Writes edges of an export that are not there; what backs an edge that is there is added to it.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: created: INTEGER
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (a:Memory {id: row.from}) WHERE row.from_label IN ['Memory', 'ArchivedMemory'] RETURN a
  UNION ALL
  MATCH (a:ArchivedMemory {id: row.from}) WHERE row.from_label IN ['Memory', 'ArchivedMemory'] RETURN a
  UNION ALL
  MATCH (a:Entity {bank: $bank, key: row.from}) WHERE row.from_label = 'Entity' RETURN a
  UNION ALL
  MATCH (a:Session {bank: $bank, key: row.from}) WHERE row.from_label = 'Session' RETURN a
  UNION ALL
  MATCH (a:ConsolidationRun {id: row.from}) WHERE row.from_label = 'ConsolidationRun' RETURN a
  UNION ALL
  MATCH (a:Trajectory {id: row.from}) WHERE row.from_label = 'Trajectory' RETURN a
  UNION ALL
  MATCH (a:Step {id: row.from}) WHERE row.from_label = 'Step' RETURN a
  UNION ALL
  MATCH (a:Audit {id: row.from}) WHERE row.from_label = 'Audit' RETURN a
}
CALL (row) {
  MATCH (b:Memory {id: row.to}) WHERE row.label IN ['Memory', 'ArchivedMemory'] RETURN b
  UNION ALL
  MATCH (b:ArchivedMemory {id: row.to}) WHERE row.label IN ['Memory', 'ArchivedMemory'] RETURN b
  UNION ALL
  MATCH (b:Entity {bank: $bank, key: row.to}) WHERE row.label = 'Entity' RETURN b
  UNION ALL
  MATCH (b:NamePart {bank: $bank, key: row.to}) WHERE row.label = 'NamePart' RETURN b
  UNION ALL
  MATCH (b:Session {bank: $bank, key: row.to}) WHERE row.label = 'Session' RETURN b
  UNION ALL
  MATCH (b:ConsolidationRun {id: row.to}) WHERE row.label = 'ConsolidationRun' RETURN b
  UNION ALL
  MATCH (b:Trajectory {id: row.to}) WHERE row.label = 'Trajectory' RETURN b
  UNION ALL
  MATCH (b:Step {id: row.to}) WHERE row.label = 'Step' RETURN b
  UNION ALL
  MATCH (b:Audit {id: row.to}) WHERE row.label = 'Audit' RETURN b
}
WITH row, a, b
CALL (row, a, b) {
  OPTIONAL MATCH (a)-[old:$(row.type)]->(b)
  WHERE coalesce(old.predicate, '') = coalesce(row.properties.predicate, '')
    AND coalesce(old.audience, '') = coalesce(row.properties.audience, '')
    AND coalesce(old.negated, false) = coalesce(row.properties.negated, false)
    AND coalesce(old.type, '') = coalesce(row.properties.type, '')
    AND coalesce(old.run, '') = coalesce(row.properties.run, '')
  WITH old LIMIT 1
  FOREACH (_ IN CASE WHEN old IS NULL THEN [1] ELSE [] END |
    CREATE (a)-[new:$(row.type)]->(b)
    SET new = row.properties
  )
  FOREACH (_ IN CASE WHEN old IS NULL OR row.properties.memory_ids IS NULL THEN [] ELSE [1] END |
    SET old.memory_ids = old.memory_ids + [id IN row.properties.memory_ids WHERE NOT id IN old.memory_ids]
  )
  RETURN old IS NULL AS is_new
}
RETURN sum(CASE WHEN is_new THEN 1 ELSE 0 END) AS created
