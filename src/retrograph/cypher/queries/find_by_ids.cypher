// Says which of some ids are memories, archived or not, that the reader may see, and what forgetting them takes along; one
// that waits for review is there for its writer alone.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, user: STRING, agent: STRING, ids: LIST<STRING>
// returns: id: STRING, archived: BOOLEAN, orphans: LIST<STRING>, neighbours: LIST<STRING>
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (m:Memory {id: id}) RETURN m, false AS archived
  UNION
  MATCH (m:ArchivedMemory {id: id}) RETURN m, true AS archived
}
WITH id, m, archived WHERE m.bank = $bank AND m.audience IN $audiences
  AND (m.status <> 'pending_review' OR coalesce(m.user_id, '') = $user AND coalesce(m.agent_id, '') = $agent)
RETURN id, archived, COLLECT {
  MATCH (m)-[:MENTIONS]->(e:Entity)
  WHERE NOT EXISTS { MATCH (e)<-[:MENTIONS]-(o) WHERE NOT o.id IN $ids }
  RETURN e.key
} + COLLECT {
  MATCH (m)-[:MENTIONS]->(:Entity)-[r:ALIAS_OF]-(e:Entity)
  WHERE all(backing IN r.memory_ids WHERE backing IN $ids) AND NOT EXISTS { (e)<-[:MENTIONS]-() }
  RETURN e.key
} AS orphans, COLLECT {
  MATCH (m)-[:NEXT]-{1,3}(n:Memory|ArchivedMemory) WHERE NOT n.id IN $ids
  RETURN DISTINCT n.id
} AS neighbours
