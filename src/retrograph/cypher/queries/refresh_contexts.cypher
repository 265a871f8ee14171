// Writes what surrounds memories into their context: date, two turns before, the turn itself with the words of its
// summary and experience, the turn after.
// mode: write
// params: ids: LIST<STRING>
// returns: refreshed: INTEGER
CYPHER 25
UNWIND $ids AS id
MATCH (near:Memory|ArchivedMemory {id: id})
MATCH (near)-[:NEXT]-{0,2}(m:Memory|ArchivedMemory)
WITH DISTINCT m
WITH m,
  COLLECT {
    MATCH (p:Memory)-[:NEXT]->{1,2}(m) WHERE p.audience = m.audience AND p.status <> 'pending_review'
    RETURN left(coalesce(p.speaker + ': ', '') + p.content, 600) ORDER BY p.occurred_at, p.id
  } AS before,
  COLLECT {
    MATCH (m)-[:NEXT]->(n:Memory) WHERE n.audience = m.audience AND n.status <> 'pending_review'
    RETURN left(coalesce(n.speaker + ': ', '') + n.content, 600)
  } AS after
WITH m, [m.date_words] + before + [coalesce(m.speaker + ': ', '') + m.content, m.more_words] + after AS parts
SET m.context = trim(reduce(text = '', part IN parts | text + coalesce(part, '') + '\n'))
RETURN count(*) AS refreshed
