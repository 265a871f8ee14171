// Reads what `record_feedback` answers, where it took effect before its answer was lost.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, ids: LIST<STRING>
// returns: id: STRING, feedback: INTEGER, access_count: INTEGER, half_life_days: FLOAT
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory {id: id}) WHERE m.bank = $bank AND m.audience IN $audiences
RETURN m.id AS id, m.feedback AS feedback, m.access_count AS access_count, m.half_life_days AS half_life_days
