// Reads a memory with what a review needs: its entities, its vector and what it contradicts.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, id: STRING
// returns: memory: MAP, vector: LIST<FLOAT>, entities: LIST<MAP>, contradicts: LIST<MAP>, supersedes: LIST<STRING>, superseded_by: LIST<STRING>
CYPHER 25
CALL () {
  MATCH (m:Memory {id: $id}) RETURN m
  UNION
  MATCH (m:ArchivedMemory {id: $id}) RETURN m
}
WITH m WHERE m.bank = $bank AND m.audience IN $audiences
OPTIONAL MATCH (x:EmbeddingA {id: m.id})
RETURN properties(m) AS memory, x.vector AS vector,
  COLLECT { MATCH (m)-[:MENTIONS]->(e:Entity) RETURN {key: e.key, name: e.name, type: e.type} } AS entities,
  COLLECT {
    MATCH (m)-[:LINKS {type: 'contradicts'}]->(o:Memory) WHERE o.audience = m.audience AND o.status <> 'pending_review'
    RETURN {
      id: o.id, content: o.content, speaker: o.speaker, occurred_at: o.occurred_at, created_at: o.created_at,
      confidence: o.confidence, source: o.source, type: o.type, language: o.language, status: o.status,
      entities: COLLECT { MATCH (o)-[:MENTIONS]->(n:Entity) RETURN n.key }, relations: o.relations
    }
  } AS contradicts,
  COLLECT { MATCH (m)-[:SUPERSEDES]->(o) RETURN o.id ORDER BY o.id } AS supersedes,
  COLLECT { MATCH (m)<-[:SUPERSEDES]-(o) RETURN o.id ORDER BY o.id } AS superseded_by
