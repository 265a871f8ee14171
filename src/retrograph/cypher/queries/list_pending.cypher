// Lists the memories that wait for review, newest first, each with what it contradicts.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, text: STRING, most: INTEGER, limit: INTEGER
// returns: items: LIST<MAP>, total: INTEGER
CYPHER 25
CALL () {
  CALL db.index.fulltext.queryNodes('memory_text_english', $text, {limit: $most}) YIELD node AS m
  WHERE m:Memory AND m.bank = $bank AND m.audience IN $audiences AND m.status = 'pending_review'
  WITH m ORDER BY m.created_at DESC, m.id DESC
  RETURN collect(m) AS waiting
}
RETURN [m IN waiting[..$limit] | {
  memory: properties(m),
  contradicts: COLLECT {
    MATCH (m)-[:LINKS {type: 'contradicts'}]->(o:Memory)
    WHERE o.audience IN $audiences AND o.status <> 'pending_review'
    RETURN properties(o) ORDER BY o.occurred_at, o.id LIMIT 20
  }
}] AS items, size(waiting) AS total
