// Begins a trajectory or adds steps to it, in order; a step told before is left as it is.
// mode: write
// params: id: STRING, properties: MAP, steps: LIST<MAP>, left_out: INTEGER, status: STRING, ended_at: ZONED DATETIME
// returns: id: STRING, added: INTEGER, is_new: BOOLEAN
CYPHER 25
MERGE (t:Trajectory {id: $id})
ON CREATE SET t += $properties, t.is_new = true
SET t.left_out = t.left_out + $left_out
SET t.status = $status, t.ended_at = $ended_at //? status
WITH t
CALL (t) {
  UNWIND $steps AS row
  OPTIONAL MATCH (old:Step {id: row.id})
  WITH row, old WHERE old IS NULL
  RETURN collect(row) AS new
}
FOREACH (n IN range(0, size(new) - 1) |
  CREATE (s:Step {id: new[n].id})
  SET s += new[n].properties, s.bank = t.bank, s.audience = t.audience, s.number = t.step_count + n + 1
  CREATE (t)-[:STEP]->(s)
)
SET t.step_count = t.step_count + size(new)
WITH t, [row IN new | row.id] AS ids
CALL (t, ids) {
  UNWIND ids AS id
  MATCH (later:Step {id: id})
  MATCH (t)-[:STEP]->(earlier:Step) WHERE earlier.number = later.number - 1
  MERGE (earlier)-[:NEXT]->(later)
}
WITH t, size(ids) AS added, t.is_new IS NOT NULL AS is_new
REMOVE t.is_new
RETURN t.id AS id, added, is_new
