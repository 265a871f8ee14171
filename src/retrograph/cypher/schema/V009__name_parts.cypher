// Parts of names are found by their key, and there is one of each: those that came twice are made one first.
CYPHER 25 MATCH (p:NamePart)
WITH p.bank AS bank, p.key AS key, collect(p) AS same WHERE size(same) > 1
WITH head(same) AS kept, tail(same) AS twins
UNWIND twins AS twin
CALL (kept, twin) {
  MATCH (m)-[r:MENTIONS]->(twin)
  MERGE (m)-[n:MENTIONS]->(kept)
  ON CREATE SET n = properties(r)
}
DETACH DELETE twin;
CYPHER 25 CREATE CONSTRAINT name_part_key IF NOT EXISTS FOR (p:NamePart) REQUIRE (p.bank, p.key) IS UNIQUE
