// Recalls memories: from seeds, words and names, by three hops of spreading activation, the blend, to the best paths.
// mode: read
// params: seeds: LIST<LIST<ANY>>, bank: STRING, audiences: LIST<STRING>, statuses: LIST<STRING>, vector: LIST<FLOAT>,
//         pool: INTEGER, text: MAP, where: MAP, window: MAP, now: ZONED DATETIME, hops: INTEGER, decay: FLOAT,
//         blend: MAP, limit: INTEGER
// returns: weights: MAP, looked: INTEGER, hits: LIST<LIST<ANY>>
// source: spreading activation after Collins and Loftus (1975), Anderson (1983): docs/recall.md
CYPHER 25
// One row throughout, its lists sorted by coll.sort: ORDER BY in a subquery weighs every list of the query per row.
// --- Names of the query that the bank knows; a name inside a longer known one does not count -------------------
CALL () {
  UNWIND $text.keys AS key
  CALL (key) {
    MATCH (n:Entity {bank: $bank, key: key}) RETURN n
    UNION ALL
    MATCH (n:NamePart {bank: $bank, key: key}) RETURN n
  }
  WITH n, n.is_name AND (key IN $text.names OR (n.type <> 'concept' AND n.name = toLower(n.name))) AS is_proper
  WITH collect({n: n, key: n.key, is_proper: is_proper}) AS known
  UNWIND known AS k
  WITH known, k
  // A common noun hides no name that it holds.
  WHERE none(other IN known WHERE other.key <> k.key AND (other.is_proper OR NOT k.is_proper) AND (
    (' ' + other.key + ' ') CONTAINS (' ' + k.key + ' ') OR (k.key IN $text.unspaced AND other.key CONTAINS k.key)))
    // Where there are names, common nouns are no topic.
    AND (k.is_proper OR none(other IN known WHERE other.is_proper AND other.n.speaks IS NULL))
  WITH k.n AS n, k.key AS key, k.is_proper AS is_proper
  CALL (n) {
    RETURN n AS e
    UNION
    // Up to what it is a name of, and down to all other names of that.
    MATCH (n) (()-[up:ALIAS_OF WHERE up.audience IN $audiences]->()){0,3} (top:Entity)
    MATCH (top) (()<-[down:ALIAS_OF WHERE down.audience IN $audiences]-()){0,3} (e:Entity)
    WHERE e <> n
    RETURN DISTINCT e
  }
  // A common noun is the topic as far as it makes up the query.
  WITH e, max(CASE WHEN is_proper THEN 1.0 ELSE (toFloat(size(key)) / $text.length) ^ $blend.concept END) AS share,
       COUNT { (e)<-[:MENTIONS]-() } AS mentions
  WHERE mentions > 0
  WITH e, CASE WHEN e.speaks THEN 0.0 ELSE share END AS share, mentions
  WITH e, share * log(1 + $blend.hub / toFloat(mentions)) / mentions AS mass,
       share * CASE WHEN mentions >= $blend.hub THEN 0.0 ELSE 1.0 - log(mentions) / log($blend.hub) END AS specificity
  ORDER BY specificity DESC, e.key LIMIT 12
  WITH collect({e: e, mass: mass, specificity: specificity}) AS named
  WITH named, [n IN named WHERE n.e.speaks | n.e.key] AS speakers
  WITH named, speakers, [w IN $text.words WHERE none(s IN speakers WHERE w IN split(s, ' '))] AS telling
  WITH named, speakers, CASE WHEN size(telling) > 0 THEN telling ELSE $text.words END AS words
  RETURN [n IN named WHERE n.mass > 0] AS named, speakers, reduce(line = '', w IN words | line + w + ' ') AS words,
    // A long name in a script without spaces is one word: a part of it says nothing of its namesakes in part.
    reduce(line = $text.runs, n IN named | CASE WHEN n.e.key IN $text.unspaced AND size(n.e.key) > 3
      THEN replace(line, n.e.key, ' "' + n.e.key + '" ') ELSE line END) AS runs,
    reduce(top = 0.0, n IN named | CASE WHEN n.specificity > top THEN n.specificity ELSE top END) AS specificity
}
WITH named, speakers, specificity,
     $text.filters + CASE WHEN words = '' THEN $text.otherwise
       ELSE $text.must + '(content:(' + words + ')^' + $text.content_weight + ' context:(' + words + '))' END AS english,
     $text.filters + CASE WHEN runs = '' THEN $text.otherwise
       ELSE $text.must + '(content:(' + runs + ')^' + $text.content_weight + ' context:(' + runs + '))' END AS cjk
// --- Memories by meaning and by words, filtered inside the indexes ---------------------------------------------
CALL (english, cjk) {
  // What was archived since the seeds were found still is one: there is no moment without it and what replaced it.
  UNWIND $seeds AS seed
  MATCH (m:Memory|ArchivedMemory {id: seed[0]})
  RETURN m, seed[1] AS cosine, 0.0 AS keyword
  UNION ALL
  CALL db.index.fulltext.queryNodes('memory_text_english', english, {limit: $pool}) YIELD node AS m, score AS keyword
  RETURN m, null AS cosine, keyword
  UNION ALL
  CALL db.index.fulltext.queryNodes('memory_text_cjk', cjk, {limit: $pool}) YIELD node AS m, score AS keyword
  RETURN m, null AS cosine, keyword
}
WITH named, speakers, specificity, m, max(cosine) AS cosine, sum(keyword) AS keyword
WITH named, speakers, specificity, collect({m: m, cosine: cosine, keyword: keyword}) AS found,
     max(cosine) AS nearest, min(cosine) AS farthest, max(keyword) AS most
// What the vector search did not bring is no nearer than the last that it brought.
WITH named, speakers, nearest, most,
     [c IN found | {m: c.m, near: coalesce(c.cosine, farthest), cosine: c.cosine, keyword: c.keyword}] AS found,
     farthest, {
       semantic: $blend.semantic,
       keyword: $blend.keyword * (1 - $blend.keyword_loss * specificity),
       // Where no word of the query is in the bank, links are all there is to go by.
       activation: $blend.activation
         * CASE WHEN specificity > 1 - most / $blend.wordless THEN specificity ELSE 1 - most / $blend.wordless END
     } AS weights
// --- Where activation starts: the best few memories, of the time asked for first, and the names of the query --------------------------------
WITH named, speakers, nearest, farthest, most, found, weights,
     [s IN coll.sort([c IN found | [
       -(CASE WHEN nearest - c.near < $blend.spread
           THEN weights.semantic * (1 - (nearest - c.near) / $blend.spread) ELSE 0.0 END
         + weights.keyword * c.keyword / (most + $blend.keyword_half)
         + CASE WHEN $window.from_ms <= c.m.occurred_at.epochMillis < $window.before_ms THEN $blend.time ELSE 0.0 END),
       c.m]])[0..$blend.seeds] | {m: s[1], score: -s[0]}] AS best
WITH named, speakers, nearest, farthest, most, found, weights, best[0].score + 0.000001 AS top,
     // One that is half as good starts nothing.
     [s IN best WHERE s.score > best[0].score / 2] AS best,
     reduce(z = 0.000001, n IN named | z + n.mass) AS z
WITH *, CASE WHEN size(named) > 0 THEN 1 - $blend.named ELSE 1.0 END
        / reduce(sum = 0.0, s IN best | sum + exp($blend.sharpness * (s.score / top - 1))) AS share
WITH speakers, nearest, farthest, most, found, weights,
     [s IN best | {m: s.m, mass: share * exp($blend.sharpness * (s.score / top - 1)),
                   path: [['', s.m, share * exp($blend.sharpness * (s.score / top - 1))]]}] AS memories0,
     [n IN named | {e: n.e, mass: $blend.named * n.mass / z}] AS cues
// --- Hop 1: memories to entities and names to themselves, on along relations, then back to memories and along links ---------------
// `from` is the place in its list of what gave the most, for the path; negative for a cue or another memory.
CALL (memories0, cues) {
  CALL (memories0, cues) {
    UNWIND range(0, size(memories0[0..$blend.passing]) - 1) AS from
    WITH from, memories0[from].m AS m, memories0[from].mass AS passed
    MATCH (m)-[:MENTIONS]->(e)
    WITH from, passed, collect({e: e, weight: CASE
      WHEN e.speaks THEN $blend.speaker_share WHEN e.is_name THEN 1.0 ELSE $blend.concept_share END}) AS mentioned
    WITH from, passed / reduce(total = 0.000001, o IN mentioned | total + o.weight) AS part, mentioned
    UNWIND mentioned AS o
    RETURN o.e AS e, part * o.weight AS mass, from
    UNION ALL
    UNWIND cues AS f
    RETURN f.e AS e, f.mass AS mass, -1 AS from
  }
  WITH e, sum(mass) AS mass, max([mass, from]) AS best
  WITH [x IN coll.sort(collect([-mass, e, best]))[0..$blend.entities] | {e: x[1], mass: -x[0], best: x[2]}] AS own
  CALL (own) {
    CALL (own) {
      UNWIND range(0, size(own) - 1) AS from
      RETURN own[from].e AS e, (1 - $blend.relation) * own[from].mass AS mass, from, null AS r
      UNION ALL
      UNWIND range(0, size(own[0..$blend.passing]) - 1) AS from
      WITH from, own[from].e AS s, own[from].mass AS passed
      WITH from, s, passed, COUNT { (s)-[:RELATES]-() } AS fan
      WHERE 0 < fan <= $blend.fan_out
      MATCH (s)-[r:RELATES]-(e)
      WHERE r.is_current AND NOT r.negated AND r.audience IN $audiences
      RETURN e, $blend.relation * passed * r.weight / fan AS mass, from, r
    }
    WITH e, sum(mass) AS mass, max([mass, from, r]) AS best
    WITH coll.sort(collect([-mass, e, best]))[0..$blend.entities] AS strongest
    RETURN [x IN strongest | {e: x[1], mass: -x[0], own: own[x[2][1]], r: x[2][2], part: x[2][0]}] AS reached
  }
  RETURN [x IN reached | {e: x.e, mass: x.mass, path:
    CASE WHEN x.own.best[1] < 0 THEN [['', x.own.e, x.own.best[0]]]
      ELSE memories0[x.own.best[1]].path + [['MENTIONS', x.own.e, x.own.best[0]]] END
    + CASE WHEN x.r IS NULL THEN [] ELSE [[x.r, x.e, x.part]] END}] AS entities1
}
CALL (memories0, entities1) {
  CALL (memories0, entities1) {
    UNWIND range(0, size(entities1) - 1) AS from
    WITH from, entities1[from].e AS e, $decay * entities1[from].mass AS passed
    WITH from, e, passed, COUNT { (e)<-[:MENTIONS]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (e)<-[:MENTIONS]-(m:Memory)
    RETURN m, passed / fan AS mass, from, null AS r
    UNION ALL
    UNWIND range(0, size(memories0[0..$blend.passing]) - 1) AS from
    WITH from, memories0[from].m AS s, $decay * memories0[from].mass AS passed
    WITH from, s, passed, COUNT { (s)-[:LINKS|DERIVED_FROM]-() } AS fan
    WHERE 0 < fan <= $blend.fan_out
    MATCH (s)-[r:LINKS|DERIVED_FROM]-(m:Memory)
    RETURN m, passed * CASE WHEN r.type = 'similar' THEN $blend.similar ELSE coalesce(r.strength, 1.0) END AS mass,
      -1 - from AS from, r
  }
  WITH m, sum(mass) AS mass, max([mass, from, r]) AS best
  WHERE $hops >= 1 AND m.audience IN $audiences AND m.status IN $statuses
  WITH coll.sort(collect([-mass, m, best]))[0..$blend.memories] AS strongest
  RETURN [x IN strongest | {m: x[1], mass: -x[0], path:
    CASE WHEN x[2][1] < 0 THEN memories0[-1 - x[2][1]].path + [[x[2][2], x[1], x[2][0]]]
      ELSE entities1[x[2][1]].path + [['MENTIONS', x[1], x[2][0]]] END}] AS memories1
}
// --- Hop 2: memories to entities, on along relations, then back to memories and along links ---------------
// `from` is the place in its list of what gave the most, for the path; negative for a cue or another memory.
CALL (memories1) {
  CALL (memories1) {
    UNWIND range(0, size(memories1[0..$blend.passing]) - 1) AS from
    WITH from, memories1[from].m AS m, memories1[from].mass AS passed
    MATCH (m)-[:MENTIONS]->(e)
    WITH from, passed, collect({e: e, weight: CASE
      WHEN e.speaks THEN $blend.speaker_share WHEN e.is_name THEN 1.0 ELSE $blend.concept_share END}) AS mentioned
    WITH from, passed / reduce(total = 0.000001, o IN mentioned | total + o.weight) AS part, mentioned
    UNWIND mentioned AS o
    RETURN o.e AS e, part * o.weight AS mass, from
  }
  WITH e, sum(mass) AS mass, max([mass, from]) AS best
  WITH [x IN coll.sort(collect([-mass, e, best]))[0..$blend.entities] | {e: x[1], mass: -x[0], best: x[2]}] AS own
  CALL (own) {
    CALL (own) {
      UNWIND range(0, size(own) - 1) AS from
      RETURN own[from].e AS e, (1 - $blend.relation) * own[from].mass AS mass, from, null AS r
      UNION ALL
      UNWIND range(0, size(own[0..$blend.passing]) - 1) AS from
      WITH from, own[from].e AS s, own[from].mass AS passed
      WITH from, s, passed, COUNT { (s)-[:RELATES]-() } AS fan
      WHERE 0 < fan <= $blend.fan_out
      MATCH (s)-[r:RELATES]-(e)
      WHERE r.is_current AND NOT r.negated AND r.audience IN $audiences
      RETURN e, $blend.relation * passed * r.weight / fan AS mass, from, r
    }
    WITH e, sum(mass) AS mass, max([mass, from, r]) AS best
    WITH coll.sort(collect([-mass, e, best]))[0..$blend.entities] AS strongest
    RETURN [x IN strongest | {e: x[1], mass: -x[0], own: own[x[2][1]], r: x[2][2], part: x[2][0]}] AS reached
  }
  RETURN [x IN reached | {e: x.e, mass: x.mass, path:
    CASE WHEN x.own.best[1] < 0 THEN [['', x.own.e, x.own.best[0]]]
      ELSE memories1[x.own.best[1]].path + [['MENTIONS', x.own.e, x.own.best[0]]] END
    + CASE WHEN x.r IS NULL THEN [] ELSE [[x.r, x.e, x.part]] END}] AS entities2
}
CALL (memories1, entities2) {
  CALL (memories1, entities2) {
    UNWIND range(0, size(entities2) - 1) AS from
    WITH from, entities2[from].e AS e, $decay * entities2[from].mass AS passed
    WITH from, e, passed, COUNT { (e)<-[:MENTIONS]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (e)<-[:MENTIONS]-(m:Memory)
    RETURN m, passed / fan AS mass, from, null AS r
    UNION ALL
    UNWIND range(0, size(memories1[0..$blend.passing]) - 1) AS from
    WITH from, memories1[from].m AS s, $decay * memories1[from].mass AS passed
    WITH from, s, passed, COUNT { (s)-[:LINKS|DERIVED_FROM]-() } AS fan
    WHERE 0 < fan <= $blend.fan_out
    MATCH (s)-[r:LINKS|DERIVED_FROM]-(m:Memory)
    RETURN m, passed * CASE WHEN r.type = 'similar' THEN $blend.similar ELSE coalesce(r.strength, 1.0) END AS mass,
      -1 - from AS from, r
  }
  WITH m, sum(mass) AS mass, max([mass, from, r]) AS best
  WHERE $hops >= 2 AND m.audience IN $audiences AND m.status IN $statuses
  WITH coll.sort(collect([-mass, m, best]))[0..$blend.memories] AS strongest
  RETURN [x IN strongest | {m: x[1], mass: -x[0], path:
    CASE WHEN x[2][1] < 0 THEN memories1[-1 - x[2][1]].path + [[x[2][2], x[1], x[2][0]]]
      ELSE entities2[x[2][1]].path + [['MENTIONS', x[1], x[2][0]]] END}] AS memories2
}
// --- Hop 3: memories to entities, on along relations, then back to memories and along links ---------------
// `from` is the place in its list of what gave the most, for the path; negative for a cue or another memory.
CALL (memories2) {
  CALL (memories2) {
    UNWIND range(0, size(memories2[0..$blend.passing]) - 1) AS from
    WITH from, memories2[from].m AS m, memories2[from].mass AS passed
    MATCH (m)-[:MENTIONS]->(e)
    WITH from, passed, collect({e: e, weight: CASE
      WHEN e.speaks THEN $blend.speaker_share WHEN e.is_name THEN 1.0 ELSE $blend.concept_share END}) AS mentioned
    WITH from, passed / reduce(total = 0.000001, o IN mentioned | total + o.weight) AS part, mentioned
    UNWIND mentioned AS o
    RETURN o.e AS e, part * o.weight AS mass, from
  }
  WITH e, sum(mass) AS mass, max([mass, from]) AS best
  WITH [x IN coll.sort(collect([-mass, e, best]))[0..$blend.entities] | {e: x[1], mass: -x[0], best: x[2]}] AS own
  CALL (own) {
    CALL (own) {
      UNWIND range(0, size(own) - 1) AS from
      RETURN own[from].e AS e, (1 - $blend.relation) * own[from].mass AS mass, from, null AS r
      UNION ALL
      UNWIND range(0, size(own[0..$blend.passing]) - 1) AS from
      WITH from, own[from].e AS s, own[from].mass AS passed
      WITH from, s, passed, COUNT { (s)-[:RELATES]-() } AS fan
      WHERE 0 < fan <= $blend.fan_out
      MATCH (s)-[r:RELATES]-(e)
      WHERE r.is_current AND NOT r.negated AND r.audience IN $audiences
      RETURN e, $blend.relation * passed * r.weight / fan AS mass, from, r
    }
    WITH e, sum(mass) AS mass, max([mass, from, r]) AS best
    WITH coll.sort(collect([-mass, e, best]))[0..$blend.entities] AS strongest
    RETURN [x IN strongest | {e: x[1], mass: -x[0], own: own[x[2][1]], r: x[2][2], part: x[2][0]}] AS reached
  }
  RETURN [x IN reached | {e: x.e, mass: x.mass, path:
    CASE WHEN x.own.best[1] < 0 THEN [['', x.own.e, x.own.best[0]]]
      ELSE memories2[x.own.best[1]].path + [['MENTIONS', x.own.e, x.own.best[0]]] END
    + CASE WHEN x.r IS NULL THEN [] ELSE [[x.r, x.e, x.part]] END}] AS entities3
}
CALL (memories2, entities3) {
  CALL (memories2, entities3) {
    UNWIND range(0, size(entities3) - 1) AS from
    WITH from, entities3[from].e AS e, $decay * entities3[from].mass AS passed
    WITH from, e, passed, COUNT { (e)<-[:MENTIONS]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (e)<-[:MENTIONS]-(m:Memory)
    RETURN m, passed / fan AS mass, from, null AS r
    UNION ALL
    UNWIND range(0, size(memories2[0..$blend.passing]) - 1) AS from
    WITH from, memories2[from].m AS s, $decay * memories2[from].mass AS passed
    WITH from, s, passed, COUNT { (s)-[:LINKS|DERIVED_FROM]-() } AS fan
    WHERE 0 < fan <= $blend.fan_out
    MATCH (s)-[r:LINKS|DERIVED_FROM]-(m:Memory)
    RETURN m, passed * CASE WHEN r.type = 'similar' THEN $blend.similar ELSE coalesce(r.strength, 1.0) END AS mass,
      -1 - from AS from, r
  }
  WITH m, sum(mass) AS mass, max([mass, from, r]) AS best
  WHERE $hops >= 3 AND m.audience IN $audiences AND m.status IN $statuses
  WITH coll.sort(collect([-mass, m, best]))[0..$blend.memories] AS strongest
  RETURN [x IN strongest | {m: x[1], mass: -x[0], path:
    CASE WHEN x[2][1] < 0 THEN memories2[-1 - x[2][1]].path + [[x[2][2], x[1], x[2][0]]]
      ELSE entities3[x[2][1]].path + [['MENTIONS', x[1], x[2][0]]] END}] AS memories3
}
// --- One list of candidates, with what each arm says of them ----------------------------------------------------
CALL (found, memories1, memories2, memories3) {
  CALL (found, memories1, memories2, memories3) {
    UNWIND found AS c
    RETURN c.m AS m, c.cosine AS cosine, c.keyword AS keyword, 0.0 AS mass, [] AS path
    UNION ALL
    UNWIND memories1 + memories2 + memories3 AS f
    RETURN f.m AS m, null AS cosine, 0.0 AS keyword, f.mass AS mass, f.path AS path
  }
  WITH m, max(cosine) AS cosine, max(keyword) AS keyword, sum(mass) AS mass, max([mass, path])[1] AS path
  WHERE (m.expires_at IS NULL OR m.expires_at > $now OR m.pinned)
    AND ($where.types IS NULL OR m.type IN $where.types)
    AND ($where.domain IS NULL OR m.domain = $where.domain)
    AND ($where.session IS NULL OR m.session_id = $where.session)
    AND ($where.source IS NULL OR m.source = $where.source)
    AND ($where.from_ms IS NULL OR m.occurred_at.epochMillis >= $where.from_ms)
    AND ($where.before_ms IS NULL OR m.occurred_at.epochMillis < $where.before_ms)
    AND ($where.alive_ms IS NULL OR (
      (m.valid_until IS NULL OR m.valid_until.epochMillis > $where.alive_ms)
      AND (m.superseded_at IS NULL OR m.superseded_at.epochMillis > $where.alive_ms)))
    AND all(tag IN $where.tags WHERE tag IN m.tags)
    AND all(token IN $where.metadata WHERE m.filter_tokens CONTAINS token)
  RETURN collect({m: m, cosine: cosine, keyword: keyword, mass: mass, path: path}) AS candidates, max(mass) AS loudest
}
WITH speakers, nearest, most, weights,
     [c IN candidates | c {.*,
       semantic: CASE WHEN nearest - coalesce(c.cosine, farthest) < $blend.spread
         THEN 1 - (nearest - coalesce(c.cosine, farthest)) / $blend.spread ELSE 0.0 END,
       words: c.keyword / (most + $blend.keyword_half),
       activation: CASE WHEN c.mass > 0 THEN log(1 + c.mass / $blend.quiet)
         / log(1 + CASE WHEN loudest > $blend.loud THEN loudest ELSE $blend.loud END / $blend.quiet) ELSE 0.0 END
     }] AS candidates
WITH speakers, nearest, weights, candidates, size(candidates) AS looked
WITH speakers, nearest, weights, looked, coll.sort([c IN candidates | [
  -(weights.semantic * c.semantic + weights.keyword * c.words + weights.activation * c.activation), c.m, c
]]) AS ordered
// Where links weigh nothing, what comes by them alone is behind all that the arms bring, however little that says.
UNWIND [x IN ordered[0..$blend.kept] | x[2]]
  + [x IN coll.sort([x IN ordered[$blend.kept..] WHERE x[2].mass > 0 | [-x[2].mass, x[1], x[2]]])[0..$blend.linked] | x[2]]
  AS c
WITH speakers, nearest, weights, looked, c, c.m AS m
// The filters of the full-text index are hashes: what they stand for is looked at once more.
WHERE m.bank = $bank AND m.audience IN $audiences
// --- The few that are left: their own cosine, who said it and when ------------------------------------------------
CALL (m, c) {
  WITH m, c WHERE c.cosine IS NOT NULL
  RETURN c.cosine AS cosine
  UNION ALL
  WITH m, c WHERE c.cosine IS NULL
  MATCH (x:EmbeddingA {id: m.id})
  RETURN 2 * vector.similarity.cosine(x.vector, $vector) - 1 AS cosine
}
WITH weights, looked, m, c, cosine, m.occurred_at.epochMillis AS at, coalesce(m.asks, 0.0) AS asks,
     CASE WHEN nearest - cosine < $blend.spread THEN 1 - (nearest - cosine) / $blend.spread ELSE 0.0 END AS semantic,
     CASE WHEN size(speakers) = 1 AND m.speaker_key = speakers[0] THEN 1.0 ELSE 0.0 END AS speaker
WITH weights, looked, m, c, cosine, at, asks, semantic, speaker,
     CASE WHEN $window.from_ms <= at AND at < $window.before_ms THEN 1.0 ELSE 0.0 END AS time
WITH weights, looked, c {.*, m: m, cosine: cosine, at: at, asks: asks, semantic: semantic, speaker: speaker, time: time,
  likeness: weights.semantic * semantic + weights.keyword * c.words + weights.activation * c.activation
    + $blend.speaker * speaker + $blend.time * time - $blend.asks * asks} AS c
WITH weights, looked, collect(c) AS scored
// --- The scene: turns around good turns, and the answer that follows a question -----------------------------------
CALL (scored) {
  CALL (scored) {
    UNWIND scored AS c
    RETURN c.m AS m, c AS c, 0.0 AS scene, 0.0 AS answer
    UNION ALL
    UNWIND [x IN coll.sort([c IN scored | [-c.likeness, c.m, c.asks]])[0..$blend.scenes] WHERE x[0] < 0] AS x
    WITH x, x[1] AS m
    MATCH p = (m)-[:NEXT]-{1,6}(n)
    RETURN n AS m, null AS c, x[0] ^ 4 * $blend.scene_decay ^ length(p) AS scene,
           CASE WHEN length(p) = 1 AND startNode(relationships(p)[0]) = m THEN -x[0] * x[2] ELSE 0.0 END AS answer
  }
  WITH m, max(c) AS c, sum(scene) AS scene, max(answer) AS answer
  WHERE c IS NOT NULL
  WITH collect({m: m, c: c, scene: scene, answer: answer}) AS rows, max(scene) + 0.000001 AS busiest
  RETURN [r IN rows | r { .m, .c, .answer, scene: r.scene / busiest }] AS rows
}
// --- The blend: likeness, then boosts that re-order what bears on the query and lift nothing that does not ---------
WITH weights, looked, [r IN rows | r {.*,
  likeness: r.c.likeness + $blend.scene * r.scene + $blend.answer * r.answer}] AS rows
WITH weights, looked, rows,
     reduce(top = 0.0, r IN rows | CASE WHEN r.likeness > top THEN r.likeness ELSE top END) AS best
// The latest is so among what is as like the query: no boost lifts more than that.
WITH weights, looked, rows, CASE WHEN $blend.is_latest
  THEN coll.sort([r IN rows WHERE r.likeness >= best * $blend.fitting AND r.c.at <= $now.epochMillis | -r.c.at])[0..$limit]
  ELSE [] END AS newest
UNWIND rows AS r
WITH weights, looked, newest, r.m AS m, r.c AS c, r.scene AS scene, r.answer AS answer, r.likeness AS likeness
WITH weights, looked, m, c, scene, answer, likeness,
     CASE WHEN $blend.is_latest THEN 0.5 ^ (size([at IN newest WHERE -at > c.at]) / $blend.places)
          WHEN m.pinned OR m.access_count >= 10 OR c.at >= $now.epochMillis THEN 1.0
          ELSE exp(-0.6931 * (($now.epochMillis - c.at) / 86400000.0)
                   / coalesce(
                       m.half_life_days, $blend.half_lives[m.domain], $blend.half_lives[m.type], $blend.half_life_days
                     )) END AS recency,
     m.importance AS importance, 1 - exp(-0.2 * m.access_count) AS access,
     m.feedback / (1.0 + abs(m.feedback)) AS feedback, m.confidence - 0.9 AS confidence
WITH weights, looked, m, c, likeness,
     [c.semantic, c.words, c.activation, c.speaker, c.time, c.asks, scene, answer,
      recency, importance - 0.5, access, feedback, confidence] AS terms,
     CASE WHEN c.cosine > 0 THEN c.cosine ELSE 0.0 END AS similarity, recency, importance, access, feedback,
     CASE WHEN $blend.published IS NULL THEN
       likeness * (1 + $blend.recency * recency + $blend.importance * (importance - 0.5) + $blend.access * access
         + $blend.feedback * feedback + $blend.confidence * confidence)
     END AS score
WITH weights, looked, m, c, likeness, terms, [similarity, c.activation, importance, recency, access, feedback] AS published,
     CASE WHEN score IS NOT NULL THEN score
     WHEN $blend.published.is_product THEN similarity * recency * importance
     ELSE $blend.published.similarity * similarity + $blend.published.entity * c.activation
       + $blend.published.importance * importance + $blend.published.recency * recency
       + $blend.published.access * access + $blend.published.feedback * feedback END AS score
WITH weights, looked, coll.sort(collect([-score, m, c, likeness, terms, published])) AS ordered
WITH weights, looked, ordered[0..$limit]
  + [x IN coll.sort([x IN ordered[$limit..] WHERE x[2].mass > 0 | [-x[2].mass, x[1], x]])[0..$blend.linked] | x[2]] AS hits
UNWIND hits AS hit
WITH weights, looked, hit, hit[1] AS m, hit[2] AS c
RETURN weights, looked, collect([
         [m.id, m.bank, m.content, m.summary, m.type, m.layer, m.scope, m.status, m.importance, m.confidence,
          m.source, m.language, m.access_count, m.feedback, m.half_life_days, m.pinned, m.version, m.domain, m.tags,
          m.agent_id, m.user_id, m.session_id, m.speaker, m.experience, m.metadata],
         // As text: the driver takes a tenth of a millisecond for each time of its own type.
         [at IN [m.occurred_at, m.occurred_until, m.valid_from, m.valid_until, m.created_at, m.updated_at,
                 m.last_accessed_at, m.expires_at, m.archived_at] | toString(at)],
         hit[4], CASE WHEN $blend.published IS NULL THEN null ELSE hit[5] END,
         [hit[3], -hit[0], c.cosine, c.keyword, c.mass, m.more_words],
         [s IN c.path | [coalesce(s[1].key, s[1].id), s[1].name, s[1].key IS NULL, s[2],
           CASE WHEN s[0] IS :: STRING THEN s[0] ELSE type(s[0]) + coalesce(' ' + s[0].predicate, ' ' + s[0].type, '') END]]
       ]) AS hits
