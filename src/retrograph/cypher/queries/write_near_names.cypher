// Writes the words by which near names find new entities, and the candidates that were found.
// mode: write
// params: bank: STRING, names: LIST<MAP>, pairs: LIST<MAP>
// returns: written: INTEGER
CYPHER 25
CALL () {
  UNWIND $names AS name
  MATCH (e:Entity {bank: $bank, key: name.key}) WHERE e.near_tokens IS NULL
  SET e.near_tokens = name.tokens
}
CALL () {
  UNWIND $pairs AS pair
  MATCH (a:Entity {bank: $bank, key: pair.first})
  MATCH (b:Entity {bank: $bank, key: pair.second})
  MERGE (a)-[s:SAME_AS]->(b)
  ON CREATE SET s.bank = $bank, s.confidence = pair.confidence, s.evidence = pair.evidence
  RETURN count(*) AS written
}
RETURN written
