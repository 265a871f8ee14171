// Takes back that memories were merged into others: counts, mentions, links and relations return to what they were.
// mode: write
// params: bank: STRING, ids: LIST<STRING>, apart: BOOLEAN
// returns: id: STRING, into: STRING
CYPHER 25
UNWIND $ids AS id
MATCH (s)-[g:MERGED]->(d:ArchivedMemory {id: id}) WHERE d.bank = $bank
WITH s, g, d ORDER BY g.number DESC
CALL (s, g, d) {
  SET s.access_count = s.access_count - g.access_count,
      s.source_count = s.source_count - g.source_count,
      s.feedback = s.feedback - g.feedback,
      s.source_keys = [k IN s.source_keys WHERE NOT k IN g.source_keys],
      s.last_accessed_at = CASE WHEN s.last_accessed_at = g.accessed_after THEN g.accessed_before
        ELSE s.last_accessed_at END,
      s.said_at = CASE WHEN s.said_at = g.said_after THEN g.said_before ELSE s.said_at END
  WITH s, g, d
  CALL (s, d) {
    MATCH (d)-[:MENTIONS]->(:Entity)-[r:RELATES]->(:Entity) WHERE (s.id + ' ' + d.id) IN r.lent
    WITH DISTINCT s, d, r
    WITH s, r, [l IN r.lent WHERE l <> s.id + ' ' + d.id] AS lent
    SET r.memory_ids = CASE WHEN any(l IN lent WHERE l STARTS WITH s.id) THEN r.memory_ids
          ELSE [i IN r.memory_ids WHERE i <> s.id] END,
        r.lent = CASE WHEN size(lent) = 0 THEN null ELSE lent END
  }
  CALL (s, d) {
    MATCH (s)-[x:MENTIONS|LINKS]-() WHERE x.lent_by = d.id
    DELETE x
  }
  DELETE g
  FOREACH (_ IN CASE WHEN $apart THEN [1] ELSE [] END | MERGE (s)-[:KEPT_APART]->(d))
  RETURN s.id AS into
}
RETURN d.id AS id, into
