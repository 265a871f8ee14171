// Puts memories into the chain of versions of a claim: a newer one supersedes, an older one is marked superseded.
// mode: write
// params: rows: LIST<MAP>
// returns: newer: STRING, older: STRING
CYPHER 25
UNWIND $rows AS row
MATCH (newer:Memory {id: row.newer})
MATCH (older:Memory {id: row.older})
MERGE (newer)-[s:SUPERSEDES]->(older)
ON CREATE SET s.at = newer.occurred_at, s.reason = row.reason
SET older.status = 'superseded',
    older.identity_key = null,
    older.version = coalesce(older.version, 1),
    newer.version = CASE WHEN newer.version > older.version THEN newer.version ELSE older.version + 1 END,
    older.filter_tokens = replace(older.filter_tokens, 'sactive', 'ssuperseded'),
    older.valid_until = coalesce(older.valid_until, newer.occurred_at),
    older.updated_at = row.at
WITH newer, older
OPTIONAL MATCH (e:EmbeddingA {id: older.id})
SET e.status = 'superseded', e.until_ms = older.valid_until.epochMillis
WITH newer, older
CALL (older) {
  MATCH (older)-[:MENTIONS]->(:Entity)-[r:RELATES]->(:Entity)
  WHERE older.id IN r.memory_ids AND r.audience = older.audience
  SET r.is_current = EXISTS {
    UNWIND r.memory_ids AS id
    MATCH (m:Memory {id: id, status: 'active'})
  }
}
RETURN newer.id AS newer, older.id AS older
