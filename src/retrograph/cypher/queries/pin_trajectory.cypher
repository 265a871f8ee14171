// Pins a task run, so that all its steps are kept, or lets go of it.
// mode: write
// params: bank: STRING, audiences: LIST<STRING>, id: STRING, pinned: BOOLEAN
// returns: id: STRING
CYPHER 25
MATCH (t:Trajectory {id: $id}) WHERE t.bank = $bank AND t.audience IN $audiences
SET t.pinned = $pinned
RETURN t.id AS id
