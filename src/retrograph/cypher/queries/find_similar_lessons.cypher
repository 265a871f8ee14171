// Finds, for lessons, the lessons of the same audience that are nearest to each.
// mode: read
// params: ids: LIST<STRING>, k: INTEGER, least: FLOAT
// returns: id: STRING, near: LIST<MAP>
CYPHER 25
UNWIND $ids AS id
MATCH (own:EmbeddingA {id: id})
CALL (own) {
  WITH own, own.vector AS vector, split(own.audience, '\u001F') AS seen
  WITH own, vector, seen[0] + '\u001F' + seen[1] + '\u001Factive' AS visible
  MATCH (e:EmbeddingA)
  SEARCH e IN (
    VECTOR INDEX embedding_a FOR vector
    WHERE e.audience = visible AND e.type = 'lesson'
    LIMIT $k
  ) SCORE AS score
  WITH own, e, 2 * score - 1 AS cosine WHERE e <> own AND cosine >= $least
  RETURN collect({id: e.id, cosine: cosine}) AS near
}
RETURN id, near
