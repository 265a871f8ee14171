// Lists jobs of a reader, newest first; or one by its id.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, id: STRING, limit: INTEGER
// returns: job: MAP
CYPHER 25
MATCH (j:Job)
WHERE j.bank = $bank AND j.audience IN $audiences
  AND j.id = $id //? id
RETURN properties(j) AS job ORDER BY j.created_at DESC, j.id DESC LIMIT $limit
