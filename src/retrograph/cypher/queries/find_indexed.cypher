// Says which of some new memories the vector index and the full-text indexes find already.
// mode: read
// params: bank: STRING, rows: LIST<MAP>, k: INTEGER
// returns: id: STRING, by_vector: BOOLEAN, by_words: BOOLEAN
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (own:EmbeddingA {id: row.id})
  WITH row, own.vector AS vector, $bank + '\u001F' + row.audience + '\u001Factive' AS visible
  MATCH (e:EmbeddingA)
  SEARCH e IN (
    VECTOR INDEX embedding_a FOR vector
    WHERE e.audience = visible
    LIMIT $k
  ) SCORE AS score
  WITH e WHERE e.id = row.id
  RETURN count(e) > 0 AS by_vector
}
CALL (row) {
  CALL db.index.fulltext.queryNodes('memory_text_english', row.words, {limit: 1}) YIELD node AS m
  WITH m WHERE m.id = row.id
  RETURN count(m) AS english
}
CALL (row) {
  CALL db.index.fulltext.queryNodes('memory_text_cjk', row.words, {limit: 1}) YIELD node AS m
  WITH m WHERE m.id = row.id
  RETURN count(m) AS cjk
}
RETURN row.id AS id, by_vector, english + cjk = 2 AS by_words
