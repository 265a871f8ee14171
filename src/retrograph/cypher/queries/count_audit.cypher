// Counts audit entries that are older than their retention.
// mode: read
// params: bank: STRING, before: ZONED DATETIME
// returns: entries: INTEGER
CYPHER 25
MATCH (a:Audit) WHERE a.bank = $bank AND a.at < $before
RETURN count(*) AS entries
