// Gives a job its state; a cancelled one keeps it, and a finished one gives up its chunks.
// mode: write
// params: id: STRING, state: STRING, error: STRING, at: ZONED DATETIME
// returns: job: MAP
CYPHER 25
MATCH (j:Job {id: $id})
WHERE j.state <> 'cancelled' OR $state = 'cancelled'
SET j.state = $state,
    j.error = $error,
    j.updated_at = $at,
    j.finished_at = CASE WHEN $state IN ['queued', 'running'] THEN null ELSE $at END
WITH j
CALL (j) {
  MATCH (j)-[:CHUNK]->(c:JobChunk)
  WHERE j.state IN ['done', 'cancelled']
  DETACH DELETE c
}
RETURN properties(j) AS job
