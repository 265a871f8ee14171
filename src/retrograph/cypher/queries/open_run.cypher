// Takes up the run of a bank that was cut off at the same jobs, or begins one; others that were cut off are closed.
// mode: write
// params: bank: STRING, id: STRING, jobs: LIST<STRING>, now: ZONED DATETIME, at: ZONED DATETIME
// returns: run: MAP, resumed: BOOLEAN
CYPHER 25
CALL () {
  MATCH (old:ConsolidationRun {bank: $bank})
  WHERE old.id IS NOT NULL AND old.state = 'running' AND old.jobs <> $jobs
  SET old.state = 'stopped', old.finished_at = $at
}
CALL () {
  MATCH (open:ConsolidationRun {bank: $bank}) WHERE open.id IS NOT NULL AND open.state = 'running'
  RETURN collect(open.id) AS cut
}
WITH coalesce(cut[0], $id) AS id, size(cut) > 0 AS resumed
MERGE (r:ConsolidationRun {id: id})
ON CREATE SET r.bank = $bank, r.name = 'consolidation', r.jobs = $jobs, r.now = $now, r.state = 'running', r.done = [],
              r.counts = [], r.started_at = $at
RETURN properties(r) AS run, resumed
