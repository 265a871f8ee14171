// Writes nodes of an export that are not there; what is there stays as it is.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: written: INTEGER, memories: LIST<STRING>
CYPHER 25
UNWIND $rows AS row
// A memory that was archived, or brought back, since the export is there all the same.
OPTIONAL MATCH (live:Memory {id: row.key})
OPTIONAL MATCH (cold:ArchivedMemory {id: row.key})
WITH row, live IS NOT NULL OR cold IS NOT NULL AS is_there
FOREACH (row IN CASE WHEN row.label = 'Memory' AND NOT is_there THEN [row] ELSE [] END |
  MERGE (n:Memory {id: row.key}) ON CREATE SET n += row.properties, n:$(row.more)
)
FOREACH (row IN CASE WHEN row.label = 'ArchivedMemory' AND NOT is_there THEN [row] ELSE [] END |
  MERGE (n:ArchivedMemory {id: row.key}) ON CREATE SET n += row.properties, n:$(row.more)
)
FOREACH (row IN CASE WHEN row.label = 'Entity' THEN [row] ELSE [] END |
  MERGE (n:Entity {bank: $bank, key: row.key}) ON CREATE SET n += row.properties, n:$(row.more)
)
FOREACH (row IN CASE WHEN row.label = 'NamePart' THEN [row] ELSE [] END |
  MERGE (n:NamePart {bank: $bank, key: row.key}) ON CREATE SET n += row.properties, n:$(row.more)
)
FOREACH (row IN CASE WHEN row.label = 'Session' THEN [row] ELSE [] END |
  MERGE (n:Session {bank: $bank, key: row.key}) ON CREATE SET n += row.properties, n:$(row.more)
)
FOREACH (row IN CASE WHEN row.label = 'ConsolidationRun' THEN [row] ELSE [] END |
  MERGE (n:ConsolidationRun {id: row.key}) ON CREATE SET n += row.properties, n:$(row.more)
)
FOREACH (row IN CASE WHEN row.label = 'Trajectory' THEN [row] ELSE [] END |
  MERGE (n:Trajectory {id: row.key}) ON CREATE SET n += row.properties, n:$(row.more)
)
FOREACH (row IN CASE WHEN row.label = 'Step' THEN [row] ELSE [] END |
  MERGE (n:Step {id: row.key}) ON CREATE SET n += row.properties, n:$(row.more)
)
FOREACH (row IN CASE WHEN row.label = 'Audit' THEN [row] ELSE [] END |
  MERGE (n:Audit {id: row.key}) ON CREATE SET n += row.properties, n:$(row.more)
)
RETURN count(*) AS written,
  collect(CASE WHEN row.label IN ['Memory', 'ArchivedMemory'] AND NOT is_there THEN row.key END) AS memories
