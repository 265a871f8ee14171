// Notes that the owner wants no summary or rule made of what a run derived one from.
// mode: write
// params: bank: STRING, run: STRING
// returns: id: STRING
CYPHER 25
MATCH (m:Memory) WHERE m.bank = $bank AND m.derived_by = $run
MATCH (m)-[:DERIVED_FROM]->(s:Memory|ArchivedMemory)
SET s.kept_from = m.derived
RETURN DISTINCT s.id AS id
