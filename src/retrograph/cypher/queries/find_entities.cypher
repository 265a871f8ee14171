// Says which of some keys are entities that the reader may see.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, keys: LIST<STRING>
// returns: key: STRING, name: STRING, type: STRING
CYPHER 25
UNWIND $keys AS key
MATCH (e:Entity {bank: $bank, key: key})
WHERE EXISTS {
    MATCH (e)<-[:MENTIONS]-(m) WHERE m.audience IN $audiences AND m.status <> 'pending_review'
  } OR EXISTS { MATCH (e)-[r:RELATES|ALIAS_OF]-(:Entity) WHERE r.audience IN $audiences }
RETURN e.key AS key, e.name AS name, e.type AS type
