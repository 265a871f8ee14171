// Records that one name is another name of the same thing, for the audience of the memory that says so.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: written: INTEGER
CYPHER 25
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id})
MERGE (alias:Entity {bank: $bank, key: row.alias_key})
ON CREATE SET alias.name = row.alias, alias.type = row.type, alias.created_at = row.at
MERGE (canonical:Entity {bank: $bank, key: row.canonical_key})
ON CREATE SET canonical.name = row.canonical, canonical.type = row.type, canonical.created_at = row.at
MERGE (alias)-[r:ALIAS_OF {audience: row.audience}]->(canonical)
ON CREATE SET r.memory_ids = [row.memory_id], r.at = row.at
ON MATCH SET r.memory_ids = CASE WHEN row.memory_id IN r.memory_ids
  THEN r.memory_ids ELSE r.memory_ids + row.memory_id END
// What a memory names it speaks of, so that forgetting it finds the names again.
MERGE (m)-[mention:MENTIONS]->(canonical)
ON CREATE SET mention.weight = 1.0, mention.surface = row.canonical
RETURN count(*) AS written
