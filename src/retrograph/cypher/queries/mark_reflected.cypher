// Notes that task runs were looked at for a lesson, so that nobody does it again unasked.
// mode: write
// params: bank: STRING, ids: LIST<STRING>, at: ZONED DATETIME
// returns: id: STRING
CYPHER 25
UNWIND $ids AS id
MATCH (t:Trajectory {id: id}) WHERE t.bank = $bank
SET t.reflected_at = $at
RETURN t.id AS id
