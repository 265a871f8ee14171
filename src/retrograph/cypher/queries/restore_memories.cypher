// Brings memories back from the archive; one whose words were told again meanwhile stays, and the newer one is its twin.
// mode: write
// params: bank: STRING, audiences: LIST<STRING>, ids: LIST<STRING>, at: ZONED DATETIME
// returns: id: STRING, twin: STRING
CYPHER 25
UNWIND $ids AS id
MATCH (m:ArchivedMemory {id: id}) WHERE m.bank = $bank AND m.audience IN $audiences
OPTIONAL MATCH (twin:Memory {identity_key: m.identity_key})
FOREACH (_ IN CASE WHEN twin IS NULL THEN [1] ELSE [] END |
  REMOVE m:ArchivedMemory, m.archived_at, m.archived_by, m.archive_reason
  SET m:Memory,
      m.updated_at = $at,
      m.filter_tokens = reduce(
        words = '',
        word IN [w IN split(m.filter_tokens, ' ') WHERE left(w, 1) <> 's'] + ['s' + replace(m.status, '_', '')] + [''] |
        words + CASE words WHEN '' THEN '' ELSE ' ' END + word
      )
)
WITH m, twin
OPTIONAL MATCH (e:EmbeddingA {id: m.id}) WHERE twin IS NULL
SET e.status = m.status,
    e.audience = m.bank + '\u001F' + m.audience + '\u001F' + m.status
WITH m, twin
// `chain_restored` finds its place in the session anew.
OPTIONAL MATCH (m)-[near:NEXT]-() WHERE twin IS NULL
DELETE near
RETURN DISTINCT m.id AS id, twin.id AS twin
