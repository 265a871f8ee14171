// Adds to the counts of how a reader uses a bank, and to how often its memories were recalled; the same receipt adds once.
// mode: write
// params: bank: STRING, audience: STRING, counts: MAP, recalled: LIST<MAP>, receipt: STRING
// returns: searches: INTEGER
CYPHER 25
MATCH (b:Bank {name: $bank})
MERGE (b)-[:USED]->(u:Usage {audience: $audience})
WITH u WHERE u.receipt IS NULL OR u.receipt <> $receipt
SET u.receipt = $receipt,
    u.searches = coalesce(u.searches, 0) + $counts.searches,
    u.searches_with_hits = coalesce(u.searches_with_hits, 0) + $counts.searches_with_hits,
    u.hits = coalesce(u.hits, 0) + $counts.hits,
    u.search_ms = coalesce(u.search_ms, 0.0) + $counts.search_ms,
    u.useful = coalesce(u.useful, 0) + $counts.useful,
    u.not_useful = coalesce(u.not_useful, 0) + $counts.not_useful,
    u.stored = coalesce(u.stored, 0) + $counts.stored,
    u.merged = coalesce(u.merged, 0) + $counts.merged,
    u.unchanged = coalesce(u.unchanged, 0) + $counts.unchanged,
    u.borderline = coalesce(u.borderline, 0) + $counts.borderline,
    u.refused = coalesce(u.refused, 0) + $counts.refused,
    u.quarantined = coalesce(u.quarantined, 0) + $counts.quarantined
WITH u
CALL () {
  UNWIND $recalled AS seen
  MATCH (m:Memory {id: seen.id}) WHERE m.bank = $bank
  SET m.recalls = coalesce(m.recalls, 0) + seen.times
}
RETURN u.searches AS searches
