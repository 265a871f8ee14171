// Links memories; a link that exists keeps the greater strength.
// mode: write
// params: rows: LIST<MAP>
// returns: row: INTEGER, from_id: STRING, to_id: STRING, created: BOOLEAN, strength: FLOAT
CYPHER 25
UNWIND $rows AS row
MATCH (a:Memory {id: row.from_id})
MATCH (b:Memory {id: row.to_id})
OPTIONAL MATCH (a)-[before:LINKS {type: row.type}]->(b)
WITH row, a, b, before IS NULL AS created
MERGE (a)-[l:LINKS {type: row.type}]->(b)
ON CREATE SET l.strength = row.strength, l.created_at = row.at
ON MATCH SET l.strength = CASE WHEN row.strength > l.strength THEN row.strength ELSE l.strength END
RETURN row.row AS row, a.id AS from_id, b.id AS to_id, created, l.strength AS strength
