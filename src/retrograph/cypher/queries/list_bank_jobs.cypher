// Lists the ids of all jobs of a bank, finished ones too.
// mode: read
// params: bank: STRING
// returns: id: STRING
CYPHER 25
UNWIND ['queued', 'running', 'done', 'failed', 'cancelled'] AS state
MATCH (j:Job {state: state, bank: $bank})
RETURN j.id AS id ORDER BY id
