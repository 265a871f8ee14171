// Counts what a reader may see of a bank; what waits for review is counted for its writer alone.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, user: STRING, agent: STRING
// returns: types: LIST<MAP>, archived: INTEGER, entities: INTEGER, sessions: INTEGER, encoder: STRING, oldest_at: ZONED DATETIME, newest_at: ZONED DATETIME
CYPHER 25
CALL () {
  MATCH (m:Memory {bank: $bank})
  WHERE m.audience IN $audiences AND m.occurred_at IS NOT NULL AND (
    m.status <> 'pending_review' OR coalesce(m.user_id, '') = $user AND coalesce(m.agent_id, '') = $agent
  )
  WITH m.type AS type, m.status AS status, count(*) AS n, min(m.occurred_at) AS first, max(m.occurred_at) AS last
  RETURN collect({type: type, status: status, n: n}) AS types, min(first) AS oldest_at, max(last) AS newest_at
}
CALL () {
  MATCH (m:ArchivedMemory) WHERE m.bank = $bank AND m.audience IN $audiences
  RETURN count(*) AS archived
}
CALL () {
  MATCH (e:Entity {bank: $bank})
  WHERE e.key IS NOT NULL AND EXISTS {
    MATCH (e)<-[:MENTIONS]-(m) WHERE m.audience IN $audiences AND (
      m.status <> 'pending_review' OR coalesce(m.user_id, '') = $user AND coalesce(m.agent_id, '') = $agent
    )
  }
  RETURN count(*) AS entities
}
CALL () {
  MATCH (s:Session {bank: $bank})
  WHERE s.key IS NOT NULL AND EXISTS {
    MATCH (s)<-[:IN_SESSION]-(m) WHERE m.audience IN $audiences AND (
      m.status <> 'pending_review' OR coalesce(m.user_id, '') = $user AND coalesce(m.agent_id, '') = $agent
    )
  }
  RETURN count(*) AS sessions
}
OPTIONAL MATCH (b:Bank {name: $bank})
RETURN types, archived, entities, sessions, b.encoder AS encoder, oldest_at, newest_at
