// Lists the ids of jobs that are not finished, oldest first: of one reader, or of everybody.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, limit: INTEGER
// returns: id: STRING
CYPHER 25
UNWIND ['queued', 'running'] AS state
MATCH (j:Job {state: state})
WHERE j.bank IS NOT NULL
  AND j.bank = $bank //? bank
  AND j.audience IN $audiences //? audiences
RETURN j.id AS id ORDER BY j.created_at, j.id LIMIT $limit
