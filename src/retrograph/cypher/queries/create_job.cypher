// Makes a job with the chunks of its turns.
// mode: write
// params: job: MAP, chunks: LIST<MAP>
// returns: job: MAP
CYPHER 25
MERGE (j:Job {id: $job.id})
ON CREATE SET j += $job
WITH j
CALL (j) {
  UNWIND $chunks AS chunk
  MERGE (c:JobChunk {id: chunk.id})
  ON CREATE SET c += chunk
  MERGE (j)-[:CHUNK]->(c)
}
RETURN properties(j) AS job
