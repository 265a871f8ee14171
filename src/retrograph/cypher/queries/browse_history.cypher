// Lists what was replaced by what, when and why, newest first.
// mode: read
// params: bank: STRING
// returns: at: ZONED DATETIME, was: STRING, became: STRING, reason: STRING, older: STRING, newer: STRING
CYPHER 25
MATCH (newer:Memory {bank: $bank})-[r:SUPERSEDES]->(older:Memory) WHERE newer.created_at IS NOT NULL
RETURN r.at AS at, older.content AS was, newer.content AS became, r.reason AS reason,
       older.id AS older, newer.id AS newer
ORDER BY at DESC LIMIT 50
