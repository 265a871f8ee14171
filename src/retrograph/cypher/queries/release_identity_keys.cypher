// Makes memories that are about to be replaced give up their unique key, so that the new words may be the old ones; no row
// for one that is not current any more: somebody else replaced it a moment ago.
// mode: write
// params: rows: LIST<MAP>
// returns: id: STRING
CYPHER 25
UNWIND $rows AS row
MATCH (m:Memory {id: row.older})
SET m.identity_key = null
WITH m WHERE m.status = 'active'
RETURN m.id AS id
