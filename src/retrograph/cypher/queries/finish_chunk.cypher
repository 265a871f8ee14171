// Deletes a chunk that is written and counts what became of it; no row where another process did so before.
// mode: write
// params: id: STRING, counts: MAP, at: ZONED DATETIME
// returns: job: MAP
CYPHER 25
MATCH (j:Job)-[:CHUNK]->(c:JobChunk {id: $id})
SET j.done = j.done + c.size,
    j.stored = j.stored + $counts.stored,
    j.merged = j.merged + $counts.merged,
    j.unchanged = j.unchanged + $counts.unchanged,
    j.borderline = j.borderline + $counts.borderline,
    j.refused = j.refused + $counts.refused,
    j.quarantined = j.quarantined + $counts.quarantined,
    j.updated_at = $at
DETACH DELETE c
RETURN properties(j) AS job
