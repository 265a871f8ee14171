// Finds the memories of a bank that have one of these identities.
// mode: read
// params: bank: STRING, keys: LIST<STRING>
// returns: id: STRING, identity_key: STRING
CYPHER 25
UNWIND $keys AS key
MATCH (m:Memory {identity_key: key}) WHERE m.bank = $bank
RETURN m.id AS id, key AS identity_key
