// Finds the nearest memories of each vector under each of the words `visible`, as far as they are at least `least` alike:
// for novelty, near-duplicates, conflicts and links of likeness. Each is told once, with the rows that it is near.
// mode: read
// params: visible: LIST<STRING>, rows: LIST<MAP>, k: INTEGER, least: FLOAT
// returns: memory: MAP, near: LIST<MAP>
CYPHER 25
UNWIND $rows AS row
UNWIND $visible AS visible
CALL (row, visible) {
  MATCH (e:EmbeddingA)
  SEARCH e IN (
    VECTOR INDEX embedding_a FOR row.vector
    WHERE e.audience = visible
    LIMIT $k
  ) SCORE AS score
  WITH e.id AS id, 2 * score - 1 AS cosine WHERE cosine >= $least
  RETURN id, cosine
}
WITH id, collect({row: row.row, cosine: cosine}) AS near
MATCH (m:Memory {id: id})
RETURN {
  id: m.id, content: m.content, speaker: m.speaker, confidence: m.confidence, source: m.source, type: m.type,
  language: m.language, status: m.status, relations: m.relations,
  occurred_us: m.occurred_at.epochSeconds * 1000000 + m.occurred_at.microsecond,
  said_us: coalesce(m.said_at, m.occurred_at).epochSeconds * 1000000 + coalesce(m.said_at, m.occurred_at).microsecond,
  created_us: m.created_at.epochSeconds * 1000000 + m.created_at.microsecond,
  entities: COLLECT { MATCH (m)-[:MENTIONS]->(n:Entity) RETURN n.key }
} AS memory, near
