// Deletes the record of a run that changed nothing.
// mode: write
// params: run: STRING
// returns: deleted: INTEGER
CYPHER 25
MATCH (r:ConsolidationRun {id: $run})
DELETE r
RETURN count(*) AS deleted
