// Draws how activation can walk from a name asked for to a memory, as a recall does; without a name from every
// entity near, without an id to the newest memory that mentions something.
// mode: read
// params: bank: STRING, name: STRING, id: STRING
// returns: p: PATH
CYPHER 25
WITH toLower($name) AS name, $id AS id
MATCH (m:Memory {bank: $bank})
WHERE m.created_at IS NOT NULL AND (id = '' OR m.id = id) AND EXISTS { (m)-[:MENTIONS]->(:Entity) }
WITH m, name ORDER BY m.created_at DESC LIMIT 1
MATCH p = ANY SHORTEST (m)-[:MENTIONS|RELATES|LINKS|ALIAS_OF]-{1,3}(e:Entity WHERE name = '' OR toLower(e.name) = name)
RETURN p LIMIT 25
