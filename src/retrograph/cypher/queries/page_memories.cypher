// Reads the current memories of a bank a page at a time, in the order of their ids.
// mode: read
// params: bank: STRING, after: STRING, limit: INTEGER
// returns: id: STRING, memory: MAP
CYPHER 25
MATCH (m:Memory)
WHERE m.bank = $bank AND m.id > $after
WITH m ORDER BY m.bank, m.id LIMIT $limit
RETURN m.id AS id, m {
  .id, .content, .type, .layer, .status, .audience, .speaker, .domain, .importance, .pinned, .access_count, .expires_at,
  .half_life_days, .created_at, .updated_at, .last_accessed_at, .kept_at, .kept_from, .derived
} AS memory
