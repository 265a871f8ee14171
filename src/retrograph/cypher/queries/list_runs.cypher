// Lists the runs of consolidation of a bank, newest first; or one by its id.
// mode: read
// params: bank: STRING, id: STRING, limit: INTEGER
// returns: run: MAP
CYPHER 25
MATCH (r:ConsolidationRun {bank: $bank})
WHERE r.id IS NOT NULL
  AND r.id = $id //? id
RETURN properties(r) AS run ORDER BY r.id DESC LIMIT $limit
