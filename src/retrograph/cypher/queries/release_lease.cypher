// Gives a lease back; nothing happens where somebody else holds it by now.
// mode: write
// params: name: STRING, holder: STRING
// returns: released: INTEGER
CYPHER 25
MATCH (l:Lease {name: $name, holder: $holder})
DELETE l
RETURN count(*) AS released
