// Says of which trajectory a memory is a lesson.
// mode: write
// params: memory_id: STRING, trajectory_id: STRING
// returns: linked: INTEGER
CYPHER 25
MATCH (m:Memory {id: $memory_id})
MATCH (t:Trajectory {id: $trajectory_id})
MERGE (m)-[:DERIVED_FROM]->(t)
RETURN count(*) AS linked
