// Reads what the audit keeps of memories before they are changed.
// mode: read
// params: ids: LIST<STRING>
// returns: id: STRING, bank: STRING, audience: STRING, hash: STRING
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory|ArchivedMemory {id: id})
RETURN m.id AS id, m.bank AS bank, m.audience AS audience, m.content_hash AS hash
