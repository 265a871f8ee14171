// Says that memories replace others; `settle_versions` draws the consequences.
// mode: write
// params: rows: LIST<MAP>
// returns: newer: STRING, older: STRING
CYPHER 25
UNWIND $rows AS row
MATCH (newer:Memory {id: row.newer})
MATCH (older:Memory {id: row.older})
MERGE (newer)-[s:SUPERSEDES]->(older)
ON CREATE SET s.at = row.at, s.reason = row.reason
RETURN newer.id AS newer, older.id AS older
