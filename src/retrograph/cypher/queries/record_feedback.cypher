// Records whether recalled memories were of use; a use lengthens the half-life by the share that was forgotten before it,
// so that uses with pauses between them lengthen it more than as many at once.
// mode: write
// params: bank: STRING, audiences: LIST<STRING>, ids: LIST<STRING>, step: INTEGER, at: ZONED DATETIME, half_life: MAP
// returns: id: STRING, feedback: INTEGER, access_count: INTEGER, half_life_days: FLOAT
// source: forgetting curve 2^(-t/h): Settles and Meeder (2016), ACL, eq. 1; growth after a recall h(1 + c(1 - p)): Ye, Su
//         and Cao (2022), KDD, with the exponents of difficulty and half-life 0 and that of 1 - p 1; spacing effect:
//         Cepeda et al. (2006): docs/consolidation.md
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory {id: id}) WHERE m.bank = $bank AND m.audience IN $audiences
WITH m, $step > 0 AS useful,
     ($at.epochMillis - coalesce(m.last_accessed_at, m.created_at).epochMillis) / 86400000.0 AS pause,
     toFloat(coalesce(
       m.half_life_days, $half_life.by_name[m.domain], $half_life.by_name[m.type], $half_life.days
     )) AS days
WITH m, useful, days, CASE WHEN pause > 0 THEN 1.0 - 2.0 ^ (-pause / days) ELSE 0.0 END AS forgotten
WITH m, useful, days, days * (1.0 + $half_life.growth * forgotten) AS longer
SET m.feedback = coalesce(m.feedback, 0) + $step,
    m.access_count = coalesce(m.access_count, 0) + CASE WHEN useful THEN 1 ELSE 0 END,
    m.last_accessed_at = CASE WHEN useful THEN $at ELSE m.last_accessed_at END,
    m.half_life_days = CASE
      WHEN NOT useful OR longer <= days OR days >= $half_life.longest THEN m.half_life_days
      WHEN longer > $half_life.longest THEN toFloat($half_life.longest)
      ELSE longer
    END
RETURN m.id AS id, m.feedback AS feedback, m.access_count AS access_count, m.half_life_days AS half_life_days
