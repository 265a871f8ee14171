// Leaves one step between neighbouring versions: a memory put between two takes the place of their edge.
// mode: write
// params: ids: LIST<STRING>
// returns: removed: INTEGER
CYPHER 25
UNWIND $ids AS id
MATCH (near:Memory {id: id})
MATCH (near)-[:SUPERSEDES]-{0,1}(a:Memory)-[direct:SUPERSEDES]->(c)
WHERE EXISTS { MATCH (a)-[:SUPERSEDES]->(b)-[:SUPERSEDES]->(c) }
WITH DISTINCT direct
DELETE direct
RETURN count(*) AS removed
