// Counts the turns of a bank that wait to be ingested.
// mode: read
// params: bank: STRING
// returns: turns: INTEGER
CYPHER 25
UNWIND ['queued', 'running'] AS state
MATCH (j:Job {state: state, bank: $bank})
RETURN coalesce(sum(j.total - j.done), 0) AS turns
