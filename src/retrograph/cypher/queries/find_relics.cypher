// Finds what keeps the words of memories: themselves, what was derived from them, and what was merged into them.
// mode: read
// params: bank: STRING, ids: LIST<STRING>
// returns: id: STRING, waiting: LIST<MAP>
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory|ArchivedMemory {id: id}) WHERE m.bank = $bank
CALL (m) {
  MATCH (m)-[:MERGED]->{0,20}(d) RETURN d AS r
  UNION
  MATCH (m)-[:MERGED]->{0,20}()<-[:DERIVED_FROM]-(d) WHERE d.derived IN ['summary', 'rule'] RETURN d AS r
}
WITH DISTINCT r
RETURN r.id AS id, COLLECT {
  // Sources that left recall for a summary come back when it goes.
  MATCH (r)-[:DERIVED_FROM]->(s:ArchivedMemory) WHERE s.archive_reason = 'summarised'
  RETURN {id: s.id, audience: s.audience}
} AS waiting
