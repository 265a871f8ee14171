// Records whether recalled memories were of use; one that is of use again after a pause of a day is forgotten more slowly.
// mode: write
// params: bank: STRING, audiences: LIST<STRING>, ids: LIST<STRING>, step: INTEGER, at: ZONED DATETIME, half_life: MAP
// returns: id: STRING, feedback: INTEGER, access_count: INTEGER, half_life_days: FLOAT
// source: spacing effect, Cepeda et al. (2006): docs/recall.md
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory {id: id}) WHERE m.bank = $bank AND m.audience IN $audiences
WITH m, $step > 0 AS useful, coalesce(m.last_accessed_at, m.created_at) AS before,
     toFloat(coalesce(m.half_life_days, $half_life.days)) AS days
WITH m, useful, days, days * $half_life.growth AS longer,
     useful AND before.epochMillis + $half_life.pause_ms <= $at.epochMillis AND days < $half_life.longest AS spaced
SET m.feedback = coalesce(m.feedback, 0) + $step,
    m.access_count = coalesce(m.access_count, 0) + CASE WHEN useful THEN 1 ELSE 0 END,
    m.last_accessed_at = CASE WHEN useful THEN $at ELSE m.last_accessed_at END,
    m.half_life_days = CASE WHEN NOT spaced THEN m.half_life_days
      WHEN longer > $half_life.longest THEN toFloat($half_life.longest) ELSE longer END
RETURN m.id AS id, m.feedback AS feedback, m.access_count AS access_count, m.half_life_days AS half_life_days
