// Removes chunks whose job is gone.
// mode: write
// params: ids: LIST<STRING>
// returns: removed: INTEGER
CYPHER 25
UNWIND $ids AS id
MATCH (c:JobChunk {id: id}) WHERE NOT EXISTS { (:Job)-[:CHUNK]->(c) }
DETACH DELETE c
RETURN count(*) AS removed
