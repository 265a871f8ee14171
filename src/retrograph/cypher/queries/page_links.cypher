// Reads the weak links of a bank a page at a time, whether their ends are archived or not.
// mode: read
// params: bank: STRING, below: FLOAT, after: STRING, limit: INTEGER
// returns: id: STRING, from_id: STRING, to_id: STRING, type: STRING
CYPHER 25
MATCH (m)-[l:LINKS]->(o)
WHERE l.strength < $below AND m.bank = $bank AND l.kept IS NULL AND l.lent_by IS NULL
WITH m, o, l, m.id + ' ' + o.id + ' ' + l.type AS id
WHERE id > $after
RETURN id, m.id AS from_id, o.id AS to_id, l.type AS type ORDER BY id LIMIT $limit
