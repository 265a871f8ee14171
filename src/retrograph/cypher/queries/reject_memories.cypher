// Notes that a review rejected memories; `archive_memories` puts them away.
// mode: write
// params: ids: LIST<STRING>, at: ZONED DATETIME
// returns: id: STRING
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory {id: id, status: 'pending_review'})
SET m.reviewed = 'rejected', m.reviewed_at = $at
RETURN m.id AS id
