// Writes the relations that new memories state, one edge for each audience, backed by the memories' ids; a memory that
// was merged into an earlier one backs nothing.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: written: INTEGER
CYPHER 25
UNWIND $rows AS row
MATCH (:Memory {id: row.memory_id})
MATCH (s:Entity {bank: $bank, key: row.subject})
MATCH (o:Entity {bank: $bank, key: row.object})
MERGE (s)-[r:RELATES {predicate: row.predicate, audience: row.audience, negated: row.negated}]->(o)
ON CREATE SET r.memory_ids = [row.memory_id], r.surface = row.surface, r.weight = row.weight,
              r.is_current = true, r.valid_from = row.valid_from, r.valid_until = row.valid_until
ON MATCH SET r.is_current = true,
             r.weight = CASE WHEN row.weight > r.weight THEN row.weight ELSE r.weight END,
             r.memory_ids = CASE WHEN row.memory_id IN r.memory_ids
               THEN r.memory_ids ELSE r.memory_ids + row.memory_id END
RETURN count(*) AS written
