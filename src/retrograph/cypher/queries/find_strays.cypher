// Finds what a write that was cut off could leave: vectors without a memory, and chunks without a job.
// mode: read
// params: bank: STRING, limit: INTEGER
// returns: kind: STRING, id: STRING
CYPHER 25
CALL () {
  MATCH (e:EmbeddingA) WHERE e.id IS NOT NULL AND e.bank = $bank
    AND NOT EXISTS { MATCH (:Memory {id: e.id}) } AND NOT EXISTS { MATCH (:ArchivedMemory {id: e.id}) }
  RETURN 'vector' AS kind, e.id AS id LIMIT $limit
  UNION ALL
  MATCH (c:JobChunk) WHERE c.id IS NOT NULL AND NOT EXISTS { (:Job)-[:CHUNK]->(c) }
  RETURN 'chunk' AS kind, c.id AS id LIMIT $limit
}
RETURN kind, id
