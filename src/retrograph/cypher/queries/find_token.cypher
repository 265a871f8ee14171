// Finds an access token by its hash.
// mode: read
// params: hash: STRING
// returns: token: MAP
CYPHER 25
MATCH (t:AccessToken {hash: $hash})
RETURN properties(t) AS token
