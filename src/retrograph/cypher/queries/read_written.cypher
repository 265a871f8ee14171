// Reads what `write_memories` answers, where it took effect before its answer was lost.
// mode: read
// params: rows: LIST<MAP>
// returns: row: INTEGER, id: STRING, outcome: STRING
CYPHER 25
UNWIND $rows AS row
OPTIONAL MATCH (mine:Memory|ArchivedMemory {id: row.id})
OPTIONAL MATCH (same:Memory {identity_key: row.identity_key})
RETURN row.row AS row, coalesce(mine.id, same.id) AS id, CASE WHEN mine IS NULL THEN 'merged' ELSE 'stored' END AS outcome
