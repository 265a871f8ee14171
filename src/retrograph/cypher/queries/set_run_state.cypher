// Gives a run its last state.
// mode: write
// params: run: STRING, state: STRING, at: ZONED DATETIME
// returns: id: STRING
CYPHER 25
MATCH (r:ConsolidationRun {id: $run})
SET r.state = $state, r.cursor = null, r.finished_at = $at
RETURN r.id AS id
