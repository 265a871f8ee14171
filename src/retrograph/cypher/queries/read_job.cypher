// Reads a job with the chunks that it has left.
// mode: read
// params: id: STRING
// returns: job: MAP, chunks: LIST<MAP>
CYPHER 25
MATCH (j:Job {id: $id})
RETURN properties(j) AS job, COLLECT { MATCH (j)-[:CHUNK]->(c:JobChunk) RETURN properties(c) } AS chunks
