// Reads one memory, archived or not, with all it is linked to that the reader may see; one that waits for review only to
// its writer.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, user: STRING, agent: STRING, id: STRING
// returns: memory: MAP, entities: LIST<MAP>, links: LIST<MAP>, supersedes: LIST<STRING>, superseded_by: LIST<STRING>
CYPHER 25
CALL () {
  MATCH (m:Memory {id: $id}) RETURN m
  UNION
  MATCH (m:ArchivedMemory {id: $id}) RETURN m
}
WITH m WHERE m.bank = $bank AND m.audience IN $audiences
  AND (m.status <> 'pending_review' OR coalesce(m.user_id, '') = $user AND coalesce(m.agent_id, '') = $agent)
RETURN properties(m) AS memory,
  COLLECT {
    MATCH (m)-[r:MENTIONS]->(e:Entity)
    RETURN {key: e.key, name: e.name, type: e.type} ORDER BY r.weight DESC, e.key
  } AS entities,
  COLLECT {
    MATCH (m)-[l:LINKS]->(o:Memory) WHERE o.bank = $bank AND o.audience IN $audiences AND o.status <> 'pending_review'
    RETURN {id: o.id, type: l.type, strength: l.strength, direction: 'out'} ORDER BY o.id
  } + COLLECT {
    MATCH (m)<-[l:LINKS]-(o:Memory) WHERE o.bank = $bank AND o.audience IN $audiences AND o.status <> 'pending_review'
    RETURN {id: o.id, type: l.type, strength: l.strength, direction: 'in'} ORDER BY o.id
  } AS links,
  COLLECT { MATCH (m)-[:SUPERSEDES]->(o) WHERE o.bank = $bank AND o.audience IN $audiences RETURN o.id ORDER BY o.id } AS supersedes,
  COLLECT { MATCH (m)<-[:SUPERSEDES]-(o) WHERE o.bank = $bank AND o.audience IN $audiences RETURN o.id ORDER BY o.id } AS superseded_by
