// Takes ids of memories that are gone off the relations of entities, and relations away that nothing backs.
// mode: write
// params: bank: STRING, keys: LIST<STRING>
// returns: repaired: INTEGER
CYPHER 25
UNWIND $keys AS key
MATCH (:Entity {bank: $bank, key: key})-[r:RELATES]->(:Entity)
WITH r, COLLECT {
  UNWIND r.memory_ids AS backing
  MATCH (m:Memory|ArchivedMemory {id: backing})
  RETURN m.id
} AS backed
WHERE size(backed) = 0 OR size(backed) < size(r.memory_ids)
SET r.memory_ids = backed
FOREACH (_ IN CASE WHEN size(backed) = 0 THEN [1] ELSE [] END | DELETE r)
RETURN count(*) AS repaired
