// Draws an entity's memories, its relations and its other names; without a name the entity most mentioned.
// mode: read
// params: bank: STRING, name: STRING
// returns: p: PATH
CYPHER 25
WITH toLower($name) AS name
MATCH (e:Entity {bank: $bank}) WHERE e.key IS NOT NULL AND (name = '' OR toLower(e.name) = name)
WITH e, COUNT { (e)<-[:MENTIONS]-() } AS memories ORDER BY memories DESC LIMIT 1
MATCH p = (e)-[:MENTIONS|RELATES|ALIAS_OF|SAME_AS]-(x)
RETURN p LIMIT 100
