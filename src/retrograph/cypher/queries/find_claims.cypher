// Finds the memories that state a value for the same subject and single-valued predicate, superseded ones too. Each is
// told once, with the rows that it bears on.
// mode: read
// params: bank: STRING, audience: STRING, rows: LIST<MAP>, limit: INTEGER
// returns: memory: MAP, rows: LIST<INTEGER>
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  CALL db.index.fulltext.queryNodes('memory_text_english', row.tokens, {limit: $limit}) YIELD node AS m
  WHERE m:Memory AND m.bank = $bank AND m.audience = $audience AND m.status <> 'pending_review'
    AND any(key IN m.claim_keys WHERE key IN row.claim_keys)
  RETURN m
}
WITH m, collect(row.row) AS rows
RETURN {
  id: m.id, content: m.content, speaker: m.speaker, confidence: m.confidence, source: m.source, type: m.type,
  language: m.language, status: m.status, relations: m.relations,
  occurred_us: m.occurred_at.epochSeconds * 1000000 + m.occurred_at.microsecond,
  said_us: coalesce(m.said_at, m.occurred_at).epochSeconds * 1000000 + coalesce(m.said_at, m.occurred_at).microsecond,
  created_us: m.created_at.epochSeconds * 1000000 + m.created_at.microsecond,
  entities: COLLECT { MATCH (m)-[:MENTIONS]->(n:Entity) RETURN n.key }
} AS memory, rows
