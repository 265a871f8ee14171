// Reads of current memories what decides whether they are kept.
// mode: read
// params: bank: STRING, ids: LIST<STRING>
// returns: id: STRING, memory: MAP
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory {id: id}) WHERE m.bank = $bank AND m.status = 'active'
RETURN m.id AS id, m {
  .type, .domain, .importance, .pinned, .access_count, .expires_at, .half_life_days, .updated_at, .last_accessed_at,
  .kept_at
} AS memory
