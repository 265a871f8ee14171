// Reads everything of a bank: each node with its outgoing edges, and a memory's embedding.
// mode: read
// params: bank: STRING, labels: LIST<STRING>, vectors: BOOLEAN
// returns: labels: LIST<STRING>, properties: MAP, edges: LIST<MAP>, embedding: MAP
CYPHER 25
CALL () {
  MATCH (n:Memory) WHERE n.bank = $bank AND n.id IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:ArchivedMemory) WHERE n.bank = $bank AND n.occurred_at IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Entity) WHERE n.bank = $bank AND n.key IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:NamePart) WHERE n.bank = $bank AND n.key IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Session) WHERE n.bank = $bank AND n.key IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Trajectory) WHERE n.bank = $bank AND n.started_at IS NOT NULL RETURN n
  UNION ALL
  MATCH (t:Trajectory) WHERE t.bank = $bank AND t.started_at IS NOT NULL
  MATCH (t)-[:STEP|ARCHIVED_STEP]->(n:Step) RETURN n
  UNION ALL
  MATCH (n:ConsolidationRun) WHERE n.bank = $bank AND n.id IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Audit) WHERE 'Audit' IN $labels AND n.bank = $bank AND n.at IS NOT NULL RETURN n
}
RETURN labels(n) AS labels, properties(n) AS properties,
  COLLECT {
    MATCH (n)-[r]->(m)
    RETURN {type: type(r), labels: labels(m), key: coalesce(m.key, m.id), properties: properties(r)}
  } AS edges,
  COLLECT {
    MATCH (e:EmbeddingA {id: n.id})
    RETURN e {.*, audience: n.audience, vector: CASE WHEN $vectors THEN e.vector END}
  }[0] AS embedding
