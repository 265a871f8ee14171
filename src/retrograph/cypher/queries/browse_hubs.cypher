// Lists the entities that most memories mention: what the bank is about, and where activation fans out.
// mode: read
// params: bank: STRING
// returns: name: STRING, type: STRING, memories: INTEGER, relations: INTEGER
CYPHER 25
MATCH (e:Entity {bank: $bank}) WHERE e.key IS NOT NULL
RETURN e.name AS name, e.type AS type, COUNT { (e)<-[:MENTIONS]-() } AS memories,
       COUNT { (e)-[:RELATES]-() } AS relations
ORDER BY memories DESC, name LIMIT 25
