// Notes how far a run is: its cursor in the job at hand, the jobs that are done, and what they counted.
// mode: write
// params: run: STRING, cursor: STRING, done: LIST<STRING>, counts: LIST<STRING>, at: ZONED DATETIME
// returns: id: STRING
CYPHER 25
MATCH (r:ConsolidationRun {id: $run})
SET r.cursor = $cursor,
    r.done = coalesce(r.done, []) + [job IN $done WHERE NOT job IN coalesce(r.done, [])],
    r.counts = coalesce(r.counts, []) + [count IN $counts WHERE NOT count IN coalesce(r.counts, [])],
    r.updated_at = $at
RETURN r.id AS id
