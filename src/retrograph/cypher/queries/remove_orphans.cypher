// Removes entities that nothing speaks of.
// mode: write
// params: bank: STRING, keys: LIST<STRING>
// returns: removed: INTEGER
CYPHER 25
UNWIND $keys AS key
MATCH (e:Entity {bank: $bank, key: key})
WHERE NOT EXISTS { (e)<-[:MENTIONS]-() } AND NOT EXISTS { (e)-[:RELATES|ALIAS_OF]-() }
DETACH DELETE e
RETURN count(*) AS removed
