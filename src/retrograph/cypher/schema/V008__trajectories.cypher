// Task runs and their steps.
CYPHER 25 CREATE CONSTRAINT trajectory_id IF NOT EXISTS FOR (t:Trajectory) REQUIRE t.id IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT step_id IF NOT EXISTS FOR (s:Step) REQUIRE s.id IS UNIQUE;
CYPHER 25 CREATE RANGE INDEX trajectory_started IF NOT EXISTS FOR (t:Trajectory) ON (t.bank, t.started_at)
