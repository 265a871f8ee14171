// Finds the memories that state a value for the same subject and single-valued predicate, superseded ones too.
// mode: read
// params: bank: STRING, audience: STRING, rows: LIST<MAP>, limit: INTEGER
// returns: row: INTEGER, claims: LIST<MAP>
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  CALL db.index.fulltext.queryNodes('memory_text_english', row.tokens, {limit: $limit}) YIELD node AS m
  WHERE m:Memory AND m.bank = $bank AND m.audience = $audience AND m.status <> 'pending_review'
    AND any(key IN m.claim_keys WHERE key IN row.claim_keys)
  RETURN collect({
    id: m.id, content: m.content, speaker: m.speaker, occurred_at: m.occurred_at, created_at: m.created_at,
    confidence: m.confidence, source: m.source, type: m.type, language: m.language, status: m.status,
    entities: COLLECT { MATCH (m)-[:MENTIONS]->(n:Entity) RETURN n.key },
    relations: m.relations, claim_keys: m.claim_keys
  }) AS claims
}
RETURN row.row AS row, claims
