// Gives every memory in a chain of versions the status, version and end that its place in the chain asks for.
// mode: write
// params: ids: LIST<STRING>, never_ms: INTEGER
// returns: id: STRING, status: STRING
CYPHER 25
UNWIND $ids AS id
MATCH (near:Memory {id: id})
MATCH (near)-[:SUPERSEDES]-{0,200}(m:Memory)
WITH DISTINCT m
WITH m,
  // What was said before it and again after it ended it when it was said again.
  COLLECT {
    MATCH (n)-[:SUPERSEDES]->(m)
    WITH CASE WHEN n.occurred_at < m.occurred_at THEN coalesce(n.said_at, n.occurred_at) ELSE n.occurred_at END AS at
    RETURN at ORDER BY at LIMIT 1
  }[0] AS ended_at,
  COUNT { MATCH (m)-[:SUPERSEDES]->{1,200}(o) RETURN DISTINCT o } AS below
WITH m, ended_at, below,
  CASE WHEN m.status = 'pending_review' THEN m.status WHEN ended_at IS NULL THEN 'active' ELSE 'superseded' END AS status
SET m.superseded_at = ended_at,
    m.version = 1 + below,
    m.filter_tokens = replace(m.filter_tokens, ' s' + replace(m.status, '_', '') + ' ', ' s' + replace(status, '_', '') + ' '),
    m.status = status
WITH m, status
SET m.identity_key = CASE
  WHEN status = 'superseded' THEN null
  WHEN m.identity_key IS NOT NULL THEN m.identity_key
  WHEN EXISTS { MATCH (o:Memory {identity_key: m.own_key}) } THEN null
  ELSE m.own_key
END
WITH m, status
OPTIONAL MATCH (e:EmbeddingA {id: m.id})
SET e.status = status,
    e.audience = m.bank + '\u001F' + m.audience + '\u001F' + status,
    e.until_ms = CASE
      WHEN m.superseded_at IS NULL AND m.valid_until IS NULL THEN $never_ms
      WHEN m.superseded_at IS NULL THEN m.valid_until.epochMillis
      WHEN m.valid_until IS NULL OR m.superseded_at < m.valid_until THEN m.superseded_at.epochMillis
      ELSE m.valid_until.epochMillis
    END
WITH m, status
CALL (m) {
  MATCH (m)-[:MENTIONS]->(:Entity)-[r:RELATES]->(:Entity)
  WHERE m.id IN r.memory_ids AND r.audience = m.audience
  SET r.is_current = EXISTS {
    UNWIND r.memory_ids AS backing
    MATCH (b:Memory {id: backing, status: 'active'})
  }
}
RETURN m.id AS id, status
