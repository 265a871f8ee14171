// Keeps an access token, as its hash.
// mode: write
// params: token: MAP
// returns: token: MAP
CYPHER 25
MERGE (t:AccessToken {id: $token.id})
ON CREATE SET t += $token
RETURN properties(t) AS token
