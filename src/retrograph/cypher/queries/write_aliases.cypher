// Records that one name is another name of the same thing, for the audience of the memory that says so.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: written: INTEGER
CYPHER 25
UNWIND $rows AS row
MERGE (alias:Entity {bank: $bank, key: row.alias_key})
ON CREATE SET alias.name = row.alias, alias.type = row.type, alias.created_at = row.at
MERGE (canonical:Entity {bank: $bank, key: row.canonical_key})
ON CREATE SET canonical.name = row.canonical, canonical.type = row.type, canonical.created_at = row.at
MERGE (alias)-[r:ALIAS_OF {audience: row.audience}]->(canonical)
ON CREATE SET r.memory_ids = [row.memory_id], r.at = row.at
ON MATCH SET r.memory_ids = CASE WHEN row.memory_id IN r.memory_ids
  THEN r.memory_ids ELSE r.memory_ids + row.memory_id END
RETURN count(*) AS written
