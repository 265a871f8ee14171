// Gives memories the label of their layer and takes the others away.
// mode: write
// params: bank: STRING, ids: LIST<STRING>
// returns: repaired: INTEGER
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory|ArchivedMemory {id: id}) WHERE m.bank = $bank
REMOVE m:Episodic:Semantic:Procedural
FOREACH (_ IN CASE m.layer WHEN 'episodic' THEN [1] ELSE [] END | SET m:Episodic)
FOREACH (_ IN CASE m.layer WHEN 'semantic' THEN [1] ELSE [] END | SET m:Semantic)
FOREACH (_ IN CASE m.layer WHEN 'procedural' THEN [1] ELSE [] END | SET m:Procedural)
RETURN count(m) AS repaired
