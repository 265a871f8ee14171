// Counts the nodes of a bank, and the edges that leave them.
// mode: read
// params: bank: STRING, labels: LIST<STRING>
// returns: nodes: INTEGER, edges: INTEGER
CYPHER 25
CALL () {
  MATCH (n:Memory) WHERE n.bank = $bank AND n.id IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:ArchivedMemory) WHERE n.bank = $bank AND n.occurred_at IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Entity) WHERE n.bank = $bank AND n.key IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:NamePart) WHERE n.bank = $bank AND n.key IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Session) WHERE n.bank = $bank AND n.key IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Trajectory) WHERE n.bank = $bank AND n.started_at IS NOT NULL RETURN n
  UNION ALL
  MATCH (t:Trajectory) WHERE t.bank = $bank AND t.started_at IS NOT NULL
  MATCH (t)-[:STEP|ARCHIVED_STEP]->(n:Step) RETURN n
  UNION ALL
  MATCH (n:ConsolidationRun) WHERE n.bank = $bank AND n.id IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Audit) WHERE 'Audit' IN $labels AND n.bank = $bank AND n.at IS NOT NULL RETURN n
}
RETURN count(n) AS nodes, coalesce(sum(COUNT { (n)-->() }), 0) AS edges
