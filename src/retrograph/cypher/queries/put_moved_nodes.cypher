// Makes nodes of a bank on the move what they are where it comes from, whatever they were here.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: written: INTEGER
CYPHER 25
UNWIND $rows AS row
FOREACH (row IN CASE row.label WHEN 'Memory' THEN [row] ELSE [] END |
  MERGE (n:Memory {id: row.key}) SET n = row.properties, n:$(row.more)
)
FOREACH (row IN CASE row.label WHEN 'ArchivedMemory' THEN [row] ELSE [] END |
  MERGE (n:ArchivedMemory {id: row.key}) SET n = row.properties, n:$(row.more)
)
FOREACH (row IN CASE row.label WHEN 'Entity' THEN [row] ELSE [] END |
  MERGE (n:Entity {bank: $bank, key: row.key}) SET n = row.properties, n:$(row.more)
)
FOREACH (row IN CASE row.label WHEN 'NamePart' THEN [row] ELSE [] END |
  MERGE (n:NamePart {bank: $bank, key: row.key}) SET n = row.properties, n:$(row.more)
)
FOREACH (row IN CASE row.label WHEN 'Session' THEN [row] ELSE [] END |
  MERGE (n:Session {bank: $bank, key: row.key}) SET n = row.properties, n:$(row.more)
)
FOREACH (row IN CASE row.label WHEN 'ConsolidationRun' THEN [row] ELSE [] END |
  MERGE (n:ConsolidationRun {id: row.key}) SET n = row.properties, n:$(row.more)
)
FOREACH (row IN CASE row.label WHEN 'Trajectory' THEN [row] ELSE [] END |
  MERGE (n:Trajectory {id: row.key}) SET n = row.properties, n:$(row.more)
)
FOREACH (row IN CASE row.label WHEN 'Step' THEN [row] ELSE [] END |
  MERGE (n:Step {id: row.key}) SET n = row.properties, n:$(row.more)
)
FOREACH (row IN CASE row.label WHEN 'Audit' THEN [row] ELSE [] END |
  MERGE (n:Audit {id: row.key}) SET n = row.properties, n:$(row.more)
)
RETURN count(*) AS written
