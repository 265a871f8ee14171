// Reinforces memories that were told again in other words; telling the same source twice counts once.
// mode: write
// params: rows: LIST<MAP>
// returns: id: STRING
CYPHER 25
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE NOT row.source_key IN m.source_keys
SET m.source_count = m.source_count + 1,
    m.source_keys = m.source_keys[-99..] + row.source_key,
    m.access_count = m.access_count + 1,
    m.last_accessed_at = row.at,
    m.updated_at = row.at,
    m.said_at = CASE WHEN row.said_at > coalesce(m.said_at, m.occurred_at) THEN row.said_at ELSE m.said_at END
RETURN m.id AS id
