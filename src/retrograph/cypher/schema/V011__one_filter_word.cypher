// What a vector search nearly always filters by is one word: bank, audience and status; three broad filters cost more
// than the search itself. Written in batches, so a kill half-way leaves the rest for the next start.
CYPHER 25 MATCH (e:EmbeddingA|EmbeddingB|EmbeddingC|EmbeddingD) WHERE NOT e.audience CONTAINS '\u001F'
CALL (e) {
  SET e.audience = e.bank + '\u001F' + e.audience + '\u001F' + e.status
} IN TRANSACTIONS OF 1000 ROWS
