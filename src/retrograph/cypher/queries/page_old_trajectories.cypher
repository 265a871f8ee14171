// Reads a page of the task runs that ended long ago, are not pinned, and whose minor steps are all there yet.
// mode: read
// params: bank: STRING, before: ZONED DATETIME, after: STRING, limit: INTEGER
// returns: id: STRING
CYPHER 25
MATCH (t:Trajectory)
WHERE t.bank = $bank AND t.id > $after AND t.ended_at <= $before AND t.thinned_at IS NULL
  AND NOT coalesce(t.pinned, false)
RETURN t.id AS id ORDER BY t.bank, t.id LIMIT $limit
