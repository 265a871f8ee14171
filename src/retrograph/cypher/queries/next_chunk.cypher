// Reads a job and the first of its chunks that is left; the chunk is null where none is.
// mode: read
// params: id: STRING
// returns: job: MAP, chunk: MAP
CYPHER 25
MATCH (j:Job {id: $id})
RETURN properties(j) AS job,
  COLLECT { MATCH (j)-[:CHUNK]->(c:JobChunk) RETURN properties(c) ORDER BY c.number LIMIT 1 }[0] AS chunk
