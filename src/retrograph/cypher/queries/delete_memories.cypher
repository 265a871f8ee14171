// Deletes memories for good, with the relations, aliases, entities and sessions that nothing else speaks of.
// mode: write
// params: bank: STRING, ids: LIST<STRING>
// returns: deleted: INTEGER, entities: INTEGER
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory|ArchivedMemory {id: id}) WHERE m.bank = $bank
CALL (m) {
  // The chain closes over a run of deleted memories.
  MATCH (before WHERE NOT before.id IN $ids)-[:NEXT]->(m)
        (()-[:NEXT]->(between WHERE between.id IN $ids))*
        ()-[:NEXT]->(after WHERE NOT after.id IN $ids)
  MERGE (before)-[:NEXT]->(after)
}
WITH id, m, COLLECT { MATCH (m)-[:MENTIONS]->(e:Entity|NamePart) RETURN e } + COLLECT {
  MATCH (m)-[:MENTIONS]->(:Entity)-[r:ALIAS_OF]-(e:Entity) WHERE m.id IN r.memory_ids RETURN e
} AS mentioned
CALL (m) {
  MATCH (m)-[:MENTIONS]->(s:Entity)-[r:RELATES|ALIAS_OF]-(:Entity)
  WHERE m.id IN r.memory_ids
  SET r.memory_ids = [other IN r.memory_ids WHERE other <> m.id]
  SET r.is_current = CASE WHEN r.is_current THEN EXISTS {
    UNWIND r.memory_ids AS backing
    MATCH (:Memory {id: backing, status: 'active'})
  } ELSE r.is_current END
  WITH DISTINCT r WHERE size(r.memory_ids) = 0
  DELETE r
}
OPTIONAL MATCH (x:EmbeddingA {id: id})
DELETE x
WITH m, mentioned, COLLECT { MATCH (m)-[:IN_SESSION]->(s:Session) RETURN s } AS sessions
DETACH DELETE m
WITH collect(mentioned) AS groups, collect(sessions) AS sets, count(*) AS deleted
CALL (sets) {
  UNWIND sets AS sessions UNWIND sessions AS s
  WITH DISTINCT s WHERE NOT EXISTS { (s)<-[:IN_SESSION]-() }
  DETACH DELETE s
}
CALL (groups) {
  UNWIND groups AS mentioned UNWIND mentioned AS e
  WITH DISTINCT e, e:Entity AS is_entity WHERE NOT EXISTS { (e)<-[:MENTIONS]-() }
    // A merge that somebody asked for keeps no name that no memory has.
    AND NOT EXISTS { MATCH (e)-[r:RELATES|ALIAS_OF]-() WHERE size(r.memory_ids) > 0 }
  DETACH DELETE e
  RETURN sum(CASE WHEN is_entity THEN 1 ELSE 0 END) AS entities
}
RETURN deleted, entities
