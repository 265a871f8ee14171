// Finds the nearest memories of each vector that the writer may see: for novelty, near-duplicates and conflicts.
// mode: read
// params: bank: STRING, audience: STRING, rows: LIST<MAP>, k: INTEGER
// returns: row: INTEGER, neighbours: LIST<MAP>
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (e:EmbeddingA)
  SEARCH e IN (
    VECTOR INDEX embedding_a FOR row.vector
    WHERE e.bank = $bank AND e.audience = $audience AND e.status = 'active'
    LIMIT $k
  ) SCORE AS score
  MATCH (m:Memory {id: e.id})
  RETURN collect({
    id: m.id, content: m.content, speaker: m.speaker, occurred_at: m.occurred_at, created_at: m.created_at,
    confidence: m.confidence, source: m.source, type: m.type, language: m.language, session_key: m.session_key,
    entities: COLLECT { MATCH (m)-[:MENTIONS]->(n:Entity) RETURN n.key },
    relations: m.relations, cosine: 2 * score - 1
  }) AS neighbours
}
RETURN row.row AS row, neighbours
