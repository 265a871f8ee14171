// Says when the first memory of a bank happened, archived or not.
// mode: read
// params: bank: STRING
// returns: first_at: ZONED DATETIME
CYPHER 25
CALL () {
  MATCH (m:Memory) WHERE m.bank = $bank AND m.occurred_at IS NOT NULL
  RETURN m.occurred_at AS at ORDER BY m.bank, m.occurred_at LIMIT 1
  UNION
  MATCH (m:ArchivedMemory) WHERE m.bank = $bank AND m.occurred_at IS NOT NULL
  RETURN m.occurred_at AS at ORDER BY m.bank, m.occurred_at LIMIT 1
}
RETURN min(at) AS first_at
