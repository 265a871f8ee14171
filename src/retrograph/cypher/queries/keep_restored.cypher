// Notes that the owner took memories back from the archive, so that the same reason does not archive them again.
// mode: write
// params: bank: STRING, ids: LIST<STRING>, at: ZONED DATETIME
// returns: id: STRING
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory {id: id}) WHERE m.bank = $bank
SET m.kept_at = $at
RETURN m.id AS id
