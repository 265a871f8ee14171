// Ends an access token; one that was ended before stays as it was.
// mode: write
// params: bank: STRING, id: STRING, at: ZONED DATETIME
// returns: token: MAP
CYPHER 25
MATCH (t:AccessToken {id: $id}) WHERE t.bank = $bank
SET t.revoked_at = coalesce(t.revoked_at, $at)
RETURN properties(t) AS token
