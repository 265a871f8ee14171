// Lists leases that ran out a day ago or longer: whoever held them died.
// mode: read
// params: before: ZONED DATETIME
// returns: name: STRING, holder: STRING
CYPHER 25
MATCH (l:Lease) WHERE l.name >= '' AND l.expires_at < $before
RETURN l.name AS name, l.holder AS holder ORDER BY name
