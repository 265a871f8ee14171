// Draws a session as the chain of its memories; without a name the session of the newest memory that has one.
// mode: read
// params: bank: STRING, session: STRING
// returns: p: PATH
CYPHER 25
WITH $session AS session
MATCH (m:Memory {bank: $bank})-[:IN_SESSION]->(s:Session)
WHERE m.created_at IS NOT NULL AND (session = '' OR s.name = session)
WITH s, m ORDER BY m.created_at DESC LIMIT 1
MATCH p = (s)<-[:IN_SESSION]-(one:Memory)(()-[:NEXT]->(next:Memory)){0,1}
RETURN p ORDER BY one.occurred_at LIMIT 200
