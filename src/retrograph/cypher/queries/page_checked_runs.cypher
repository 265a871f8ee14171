// Reads a page of a bank's task runs with the numbers of their steps, archived ones too.
// mode: read
// params: bank: STRING, after: STRING, limit: INTEGER
// returns: id: STRING, count: INTEGER, numbers: LIST<INTEGER>
CYPHER 25
MATCH (t:Trajectory) WHERE t.bank = $bank AND t.id > $after
WITH t ORDER BY t.bank, t.id LIMIT $limit
RETURN t.id AS id, t.step_count AS count,
  COLLECT { MATCH (t)-[:STEP|ARCHIVED_STEP]->(s:Step) RETURN s.number ORDER BY s.number } AS numbers
