// Reads a page of a bank's memories, archived ones too, and whether each has its vector in the slot.
// mode: read
// params: bank: STRING, after: STRING, limit: INTEGER
// returns: id: STRING, content: STRING, speaker: STRING, is_done: BOOLEAN
CYPHER 25
CALL () {
  MATCH (m:Memory) WHERE m.bank = $bank AND m.id > $after
  RETURN m ORDER BY m.id LIMIT $limit
  UNION ALL
  MATCH (m:ArchivedMemory) WHERE m.id > $after AND m.bank = $bank
  RETURN m ORDER BY m.id LIMIT $limit
}
WITH m ORDER BY m.id LIMIT $limit
RETURN m.id AS id, m.content AS content, m.speaker AS speaker, EXISTS { MATCH (e:EmbeddingA {id: m.id}) } AS is_done
