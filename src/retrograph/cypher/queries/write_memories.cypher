// Writes memories with their sessions, entities, mentions and embeddings; one told before is reinforced instead.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: row: INTEGER, id: STRING, outcome: STRING
CYPHER 25
UNWIND $rows AS row
MERGE (m:Memory {identity_key: row.identity_key})
ON CREATE SET m += row.properties, m:$(row.layer), m.source_keys = [row.source_key], m.source_count = 1
WITH row, m, m.id = row.id AS is_new, row.source_key IN m.source_keys AS is_told
FOREACH (_ IN CASE WHEN is_new OR is_told THEN [] ELSE [1] END |
  SET m.source_count = m.source_count + 1,
      m.source_keys = m.source_keys[-99..] + row.source_key,
      m.access_count = m.access_count + 1,
      m.last_accessed_at = row.properties.created_at,
      m.updated_at = row.properties.created_at,
      m.said_at = CASE WHEN row.properties.occurred_at > coalesce(m.said_at, m.occurred_at)
        THEN row.properties.occurred_at ELSE m.said_at END
)
FOREACH (session IN CASE WHEN row.session IS NULL THEN [] ELSE [row.session] END |
  MERGE (s:Session {bank: $bank, key: session.key})
  ON CREATE SET s.id = session.id, s.name = session.id, s.started_at = row.properties.occurred_at
  MERGE (m)-[:IN_SESSION]->(s)
)
FOREACH (vector IN CASE WHEN is_new THEN [row.embedding] ELSE [] END |
  MERGE (e:EmbeddingA {id: row.id})
  ON CREATE SET e += vector.properties, e.vector = toFloatList(vector.vector)
)
FOREACH (mention IN CASE WHEN is_new THEN row.mentions ELSE [] END |
  MERGE (n:Entity {bank: $bank, key: mention.key})
  ON CREATE SET n.name = mention.name, n.type = mention.type, n.created_at = row.properties.created_at
  SET n.is_part = null,
      n.speaks = CASE WHEN mention.speaks THEN true ELSE n.speaks END,
      n.is_name = CASE WHEN mention.is_name THEN true ELSE n.is_name END
  MERGE (m)-[r:MENTIONS]->(n)
  ON CREATE SET r.weight = mention.weight, r.surface = mention.surface
)
// What a name holds is an entity as soon as anybody speaks of it; until then it is only walked.
FOREACH (part IN CASE WHEN is_new THEN row.parts ELSE [] END |
  MERGE (n:Entity {bank: $bank, key: part.key})
  ON CREATE SET n.name = part.name, n.type = 'concept', n.is_name = true, n.is_part = true,
                n.created_at = row.properties.created_at
  MERGE (m)-[r:MENTIONS]->(n)
  ON CREATE SET r.weight = part.weight, r.surface = part.name
)
FOREACH (part IN CASE WHEN is_new THEN row.bare ELSE [] END |
  MERGE (p:NamePart {bank: $bank, key: part.key})
  ON CREATE SET p.name = part.name, p.type = 'concept', p.is_name = true
  MERGE (m)-[r:MENTIONS]->(p)
  ON CREATE SET r.weight = part.weight, r.surface = part.name
)
RETURN row.row AS row, m.id AS id,
       CASE WHEN is_new THEN 'stored' WHEN is_told THEN 'told' ELSE 'merged' END AS outcome
