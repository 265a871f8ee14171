// Deletes audit entries that are older than their retention, a batch of the oldest.
// mode: write
// params: bank: STRING, before: ZONED DATETIME, limit: INTEGER
// returns: purged: INTEGER
CYPHER 25
MATCH (a:Audit) WHERE a.bank = $bank AND a.at < $before
WITH a ORDER BY a.bank, a.at LIMIT $limit
DETACH DELETE a
RETURN count(*) AS purged
