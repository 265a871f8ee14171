// Says whether a transaction took effect: its entries in the audit begin with its id.
// mode: read
// params: id: STRING
// returns: is_done: BOOLEAN
CYPHER 25
OPTIONAL MATCH (a:Audit) WHERE a.id STARTS WITH $id
RETURN count(a) > 0 AS is_done
