// Task runs page by page, and the steps of them that a run of consolidation archived.
CYPHER 25 CREATE RANGE INDEX trajectory_page IF NOT EXISTS FOR (t:Trajectory) ON (t.bank, t.id);
CYPHER 25 CREATE RANGE INDEX archived_step_run IF NOT EXISTS FOR ()-[r:ARCHIVED_STEP]-() ON (r.run)
