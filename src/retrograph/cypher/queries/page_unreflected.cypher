// Reads a page of the task runs that have ended and that nobody has made a lesson of or looked at for one.
// mode: read
// params: bank: STRING, after: STRING, limit: INTEGER
// returns: id: STRING
CYPHER 25
MATCH (t:Trajectory)
WHERE t.bank = $bank AND t.id > $after AND t.status <> 'running' AND t.reflected_at IS NULL
  AND NOT EXISTS { (t)<-[:DERIVED_FROM]-(:Memory|ArchivedMemory) }
RETURN t.id AS id ORDER BY t.bank, t.id LIMIT $limit
