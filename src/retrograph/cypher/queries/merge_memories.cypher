// Merges memories into others that say the same: counts, mentions, links and relations of each go to the one that stays.
// mode: write
// params: bank: STRING, run: STRING, rows: LIST<MAP>, weak: FLOAT, at: ZONED DATETIME
// returns: id: STRING, into: STRING
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (d:Memory {id: row.id})
  MATCH (s:Memory {id: row.into})
  WHERE d.bank = $bank AND s.bank = $bank AND d.audience = s.audience AND d.archived_by = $run AND s.status = 'active'
  WITH s, d, row, s.last_accessed_at AS before,
    CASE WHEN s.last_accessed_at IS NULL OR d.last_accessed_at > s.last_accessed_at
      THEN coalesce(d.last_accessed_at, s.last_accessed_at) ELSE s.last_accessed_at END AS latest,
    CASE WHEN coalesce(d.said_at, d.occurred_at) > coalesce(s.said_at, s.occurred_at)
      THEN coalesce(d.said_at, d.occurred_at) ELSE s.said_at END AS said,
    [k IN coalesce(d.source_keys, []) WHERE NOT k IN coalesce(s.source_keys, [])] AS keys
  MERGE (s)-[g:MERGED]->(d)
  SET g.run = $run, g.at = $at, g.number = row.number, g.source_keys = keys,
      g.access_count = coalesce(d.access_count, 0), g.source_count = coalesce(d.source_count, 1),
      g.feedback = coalesce(d.feedback, 0), g.accessed_before = before, g.accessed_after = latest,
      g.said_before = s.said_at, g.said_after = said
  SET s.access_count = coalesce(s.access_count, 0) + g.access_count,
      s.source_count = coalesce(s.source_count, 1) + g.source_count,
      s.feedback = coalesce(s.feedback, 0) + g.feedback,
      s.last_accessed_at = latest,
      s.said_at = said,
      s.source_keys = coalesce(s.source_keys, []) + keys
  WITH s, d
  CALL (s, d) {
    MATCH (d)-[x:MENTIONS]->(e:Entity) WHERE NOT EXISTS { (s)-[:MENTIONS]->(e) }
    CREATE (s)-[n:MENTIONS]->(e)
    SET n = properties(x), n.lent_by = d.id
  }
  CALL (s, d) {
    MATCH (d)-[x:LINKS]->(o)
    WHERE o <> s AND coalesce(x.strength, 1.0) >= $weak
      AND NOT EXISTS { MATCH (s)-[y:LINKS]->(o) WHERE y.type = x.type }
    CREATE (s)-[n:LINKS]->(o)
    SET n = properties(x), n.lent_by = d.id
  }
  CALL (s, d) {
    MATCH (d)<-[x:LINKS]-(o)
    WHERE o <> s AND coalesce(x.strength, 1.0) >= $weak
      AND NOT EXISTS { MATCH (s)<-[y:LINKS]-(o) WHERE y.type = x.type }
    CREATE (s)<-[n:LINKS]-(o)
    SET n = properties(x), n.lent_by = d.id
  }
  CALL (s, d) {
    MATCH (d)-[:MENTIONS]->(:Entity)-[r:RELATES]->(:Entity)
    WHERE d.id IN r.memory_ids AND r.audience = d.audience AND NOT s.id IN r.memory_ids
    WITH DISTINCT s, d, r
    SET r.memory_ids = r.memory_ids + s.id, r.lent = coalesce(r.lent, []) + (s.id + ' ' + d.id)
  }
  RETURN d.id AS id, s.id AS into
}
RETURN id, into
