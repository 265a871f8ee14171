// Reads a page of a bank's memories, archived ones too, with what has to agree: labels, embedding, edges.
// mode: read
// params: bank: STRING, after: STRING, limit: INTEGER
// returns: id: STRING, labels: LIST<STRING>, memory: MAP, embedding: MAP, replaced: BOOLEAN, in_circle: BOOLEAN,
//          crosses: BOOLEAN
CYPHER 25
CALL () {
  MATCH (m:Memory) WHERE m.bank = $bank AND m.id > $after
  RETURN m ORDER BY m.id LIMIT $limit
  UNION ALL
  MATCH (m:ArchivedMemory) WHERE m.id > $after AND m.bank = $bank
  RETURN m ORDER BY m.id LIMIT $limit
}
WITH m ORDER BY m.id LIMIT $limit
OPTIONAL MATCH (e:EmbeddingA {id: m.id})
RETURN m.id AS id, labels(m) AS labels, m {
  .layer, .type, .scope, .audience, .agent_id, .user_id, .status, .content, .content_hash, .domain, .embedding_model,
  .filter_tokens, .context, .speaker
} AS memory,
  e {.bank, .audience, .status, .type, .domain, size: size(e.vector)} AS embedding,
  EXISTS { (m)<-[:SUPERSEDES]-(:Memory {status: 'active'}) } AS replaced,
  EXISTS { (m)-[:SUPERSEDES]->{1,50}(m) } AS in_circle,
  EXISTS { MATCH (m)--(o) WHERE o.bank <> $bank } AS crosses
