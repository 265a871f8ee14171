// Removes vectors from the slot whose memories are gone: those that were deleted while their bank moved into it.
// mode: write
// params: bank: STRING
// returns: removed: INTEGER
CYPHER 25
MATCH (e:EmbeddingA) WHERE e.bank = $bank
  AND NOT EXISTS { MATCH (m:Memory {id: e.id}) }
  AND NOT EXISTS { MATCH (m:ArchivedMemory {id: e.id}) }
DELETE e
RETURN count(*) AS removed
