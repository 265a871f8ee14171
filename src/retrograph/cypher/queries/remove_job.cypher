// Deletes a job with the chunks that it has left.
// mode: write
// params: id: STRING
// returns: removed: INTEGER
CYPHER 25
MATCH (j:Job {id: $id})
OPTIONAL MATCH (j)-[:CHUNK]->(c:JobChunk)
DETACH DELETE c
WITH DISTINCT j
DETACH DELETE j
RETURN count(*) AS removed
