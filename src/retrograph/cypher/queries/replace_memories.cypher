// Says that the memory under a key replaces another; `settle_versions` draws the consequences.
// mode: write
// params: rows: LIST<MAP>
// returns: newer: STRING, older: STRING
CYPHER 25
UNWIND $rows AS row
MATCH (newer:Memory {identity_key: row.identity_key})
MATCH (older:Memory {id: row.older}) WHERE older <> newer
MERGE (newer)-[s:SUPERSEDES]->(older)
ON CREATE SET s.at = row.at, s.reason = row.reason
RETURN newer.id AS newer, older.id AS older
