// Takes or renews a lease where it is free, run out, or the holder's own; the server's clock decides.
// mode: write
// params: name: STRING, holder: STRING, seconds: FLOAT
// returns: taken: BOOLEAN
CYPHER 25
MERGE (l:Lease {name: $name})
ON CREATE SET l.holder = $holder
SET l.touched_at = datetime()
WITH l, l.holder IS NULL OR l.holder = $holder OR l.expires_at < datetime() AS taken
SET l.holder = CASE WHEN taken THEN $holder ELSE l.holder END,
    l.expires_at = CASE WHEN taken THEN datetime() + duration({seconds: $seconds}) ELSE l.expires_at END
RETURN taken
