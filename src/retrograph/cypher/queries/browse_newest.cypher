// Lists a bank's newest memories, with what they say.
// mode: read
// params: bank: STRING
// returns: at: ZONED DATETIME, type: STRING, content: STRING, speaker: STRING, status: STRING, id: STRING
CYPHER 25
MATCH (m:Memory {bank: $bank}) WHERE m.created_at IS NOT NULL
RETURN m.occurred_at AS at, m.type AS type, m.content AS content, m.speaker AS speaker,
       m.status AS status, m.id AS id
ORDER BY m.created_at DESC LIMIT 25
