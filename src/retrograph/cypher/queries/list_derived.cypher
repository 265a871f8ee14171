// Lists the memories that a run derived, with what they were derived from; those it merged since are among them.
// mode: read
// params: bank: STRING, run: STRING
// returns: id: STRING, derived: STRING, sources: LIST<STRING>
CYPHER 25
CALL () {
  MATCH (m:Memory) WHERE m.bank = $bank AND m.derived_by = $run RETURN m
  UNION ALL
  MATCH (m:ArchivedMemory) WHERE m.bank = $bank AND m.archived_by = $run AND m.id IS NOT NULL AND m.derived_by = $run
  RETURN m
}
RETURN m.id AS id, m.derived AS derived,
  COLLECT { MATCH (m)-[:DERIVED_FROM]->(s) RETURN s.id ORDER BY s.id } AS sources
ORDER BY id
