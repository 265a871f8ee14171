// Lists access tokens, newest first, of one bank or of all.
// mode: read
// params: bank: STRING, limit: INTEGER
// returns: token: MAP
CYPHER 25
MATCH (t:AccessToken) WHERE true
AND t.bank = $bank //? bank
RETURN properties(t) AS token
ORDER BY token.id DESC
LIMIT $limit
