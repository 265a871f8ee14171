// Reads memories with what is needed to compare and to derive from them: entities, vector, what was merged into them;
// of the archive what left recall for a summary. A rule of which a source was replaced or forgotten is none.
// mode: read
// params: bank: STRING, ids: LIST<STRING>
// returns: id: STRING, memory: MAP, vector: LIST<FLOAT>, entities: LIST<MAP>, merged: LIST<MAP>, apart: LIST<STRING>,
//          distilled: BOOLEAN, runs: LIST<STRING>
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory|ArchivedMemory {id: id}) WHERE m.bank = $bank AND (m:Memory OR m.archive_reason = 'summarised')
OPTIONAL MATCH (e:EmbeddingA {id: m.id})
RETURN m.id AS id, properties(m) AS memory, e.vector AS vector,
  COLLECT {
    MATCH (m)-[r:MENTIONS]->(n:Entity)
    RETURN {key: n.key, name: n.name, type: n.type, speaks: coalesce(n.speaks, false), weight: r.weight} ORDER BY n.key
  } AS entities,
  COLLECT {
    MATCH (m)-[:MERGED]->(d)
    RETURN {
      id: d.id, session: d.session_id, occurred_at: d.occurred_at,
      runs: COLLECT { MATCH (d)-[:DERIVED_FROM]->(t:Trajectory) RETURN t.id ORDER BY t.id }
    } ORDER BY d.id
  } AS merged,
  COLLECT { MATCH (m)-[:KEPT_APART]-(o) RETURN o.id } AS apart,
  EXISTS {
    MATCH (m)<-[:DERIVED_FROM]-(d {derived: 'rule'})
    WHERE NOT EXISTS {
      MATCH (d)-[:DERIVED_FROM]->(s) WHERE s.status = 'superseded' OR (s:ArchivedMemory AND s.archived_by IS NULL)
    }
  } AS distilled,
  COLLECT { MATCH (m)-[:DERIVED_FROM]->(t:Trajectory) RETURN t.id ORDER BY t.id } AS runs
ORDER BY id
