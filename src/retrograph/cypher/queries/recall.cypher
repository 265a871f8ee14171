// Recalls memories: seeds from vector, words and names, three hops of spreading activation, the blend, the best paths.
// mode: read
// params: bank: STRING, audiences: LIST<STRING>, statuses: LIST<STRING>, vector: LIST<FLOAT>, pool: INTEGER,
//         text: MAP, types: LIST<STRING>, domain: STRING, session: STRING,
//         source: STRING, from_ms: INTEGER, before_ms: INTEGER, alive_ms: INTEGER, filter: MAP, now: ZONED DATETIME,
//         window_from_ms: INTEGER, window_before_ms: INTEGER,
//         hops: INTEGER, decay: FLOAT, blend: MAP, limit: INTEGER
// returns: memory: MAP, terms: MAP, raw: MAP, path: LIST<MAP>, weights: MAP
// source: spreading activation after Collins and Loftus (1975), Anderson (1983): docs/recall.md
CYPHER 25
// --- Names of the query that the bank knows; a name inside a longer known one does not count -------------------
CALL () {
  UNWIND $text.keys AS key
  MATCH (n:Entity {bank: $bank, key: key})
  WITH collect(n) AS known
  UNWIND known AS n
  WITH known, n
  WHERE none(other IN known WHERE other <> n AND other.key CONTAINS n.key)
  CALL (n) {
    RETURN n AS e
    UNION
    // Up to what it is a name of, and down to all other names of that.
    MATCH (n) (()-[up:ALIAS_OF WHERE up.audience IN $audiences]->()){0,3} (top:Entity)
    MATCH (top) (()<-[down:ALIAS_OF WHERE down.audience IN $audiences]-()){0,3} (e:Entity)
    WHERE e <> n
    RETURN DISTINCT e
  }
  WITH e, max(size(n.key)) AS letters
  WITH e, letters, COUNT { (e)<-[:MENTIONS]-() } AS mentions
  WHERE mentions > 0
  WITH e, log(1 + $blend.hub / toFloat(mentions)) / mentions AS mass,
       (CASE WHEN mentions >= $blend.hub THEN 0.0 ELSE 1.0 - log(mentions) / log($blend.hub) END)
       // A common noun is the topic as far as it makes up the query.
       * (CASE WHEN e.speaks THEN 0.0
               WHEN e.is_name THEN 1.0
               ELSE (toFloat(letters) / $text.length) ^ $blend.concept END) AS specificity
  ORDER BY specificity DESC, e.key LIMIT 12
  WITH collect({e: e, mass: mass, specificity: specificity}) AS named
  WITH named, [n IN named WHERE n.e.speaks | n.e.key] AS speakers
  WITH named, speakers, [w IN $text.words WHERE none(s IN speakers WHERE w IN split(s, ' '))] AS telling
  WITH named, speakers, CASE WHEN size(telling) > 0 THEN telling ELSE $text.words END AS words
  RETURN named, speakers, reduce(line = '', w IN words | line + w + ' ') AS words,
    reduce(top = 0.0, n IN named | CASE WHEN n.specificity > top THEN n.specificity ELSE top END) AS specificity
}
WITH named, speakers, specificity,
     $text.filters + CASE WHEN words = '' THEN $text.otherwise
       ELSE $text.must + '(content:(' + words + ')^' + $text.content_weight + ' context:(' + words + '))' END AS english,
     $text.filters + CASE WHEN $text.runs = '' THEN $text.otherwise
       ELSE $text.must + '(content:(' + $text.runs + ')^' + $text.content_weight + ' context:(' + $text.runs + '))' END AS cjk
// --- Memories by meaning and by words, filtered inside the indexes ---------------------------------------------
CALL (english, cjk) {
  MATCH (x:EmbeddingA)
  SEARCH x IN (
    VECTOR INDEX embedding_a FOR $vector
    WHERE x.bank = $bank AND x.audience IN $audiences AND x.status IN $statuses
      AND x.type IN $types //? types
      AND x.domain = $domain //? domain
      AND x.session = $session //? session
      AND x.source = $source //? source
      AND x.occurred_ms >= $from_ms //? from_ms
      AND x.occurred_ms < $before_ms //? before_ms
      AND x.until_ms > $alive_ms //? alive_ms
    LIMIT $pool
  ) SCORE AS score
  MATCH (m:Memory|ArchivedMemory {id: x.id})
  RETURN m, 2 * score - 1 AS cosine, 0.0 AS keyword
  UNION ALL //? window_from_ms
  MATCH (x:EmbeddingA) //? window_from_ms
  SEARCH x IN ( //? window_from_ms
    VECTOR INDEX embedding_a FOR $vector //? window_from_ms
    WHERE x.bank = $bank AND x.audience IN $audiences AND x.status IN $statuses //? window_from_ms
      AND x.occurred_ms >= $window_from_ms AND x.occurred_ms < $window_before_ms //? window_from_ms
    LIMIT $pool //? window_from_ms
  ) SCORE AS score //? window_from_ms
  MATCH (m:Memory|ArchivedMemory {id: x.id}) //? window_from_ms
  RETURN m, 2 * score - 1 AS cosine, 0.0 AS keyword //? window_from_ms
  UNION ALL
  CALL db.index.fulltext.queryNodes('memory_text_english', english, {limit: $pool}) YIELD node AS m, score AS keyword
  RETURN m, null AS cosine, keyword
  UNION ALL
  CALL db.index.fulltext.queryNodes('memory_text_cjk', cjk, {limit: $pool}) YIELD node AS m, score AS keyword
  RETURN m, null AS cosine, keyword
}
WITH named, speakers, specificity, m, max(cosine) AS cosine, sum(keyword) AS keyword
WHERE m.bank = $bank AND m.audience IN $audiences
CALL (m, cosine) {
  WITH m, cosine WHERE cosine IS NOT NULL
  RETURN cosine AS exact
  UNION ALL
  WITH m, cosine WHERE cosine IS NULL
  MATCH (x:EmbeddingA {id: m.id})
  RETURN 2 * vector.similarity.cosine(x.vector, $vector) - 1 AS exact
}
WITH named, speakers, specificity, collect({m: m, cosine: exact, keyword: keyword}) AS found,
     max(exact) AS nearest, max(keyword) AS most
WITH named, speakers, nearest, most, found, {
       semantic: $blend.semantic,
       keyword: $blend.keyword * (1 - $blend.keyword_loss * specificity),
       // Where no word of the query is in the bank, links are all there is to go by.
       activation: $blend.activation
         * CASE WHEN specificity > 1 - most / $blend.wordless THEN specificity ELSE 1 - most / $blend.wordless END
     } AS weights
// --- Where activation starts: the best few memories, and the names of the query --------------------------------
CALL (found, weights, nearest, most, named) {
  UNWIND found AS c
  WITH c, CASE WHEN nearest - c.cosine < $blend.spread
            THEN weights.semantic * (1 - (nearest - c.cosine) / $blend.spread) ELSE 0.0 END
        + weights.keyword * c.keyword / (most + $blend.keyword_half) AS score
  ORDER BY score DESC, c.m.id LIMIT $blend.seeds
  WITH collect({m: c.m, score: score}) AS best, max(score) + 0.000001 AS top
  // One that is half as good starts nothing.
  WITH [s IN best WHERE s.score > top / 2] AS best, top
  WITH best, top, reduce(z = 0.0, s IN best | z + exp($blend.sharpness * (s.score / top - 1))) AS z,
       CASE WHEN size(named) > 0 THEN 1 - $blend.named ELSE 1.0 END AS share
  WITH [s IN best | {m: s.m, mass: share * exp($blend.sharpness * (s.score / top - 1)) / z}] AS best
  RETURN [s IN best | {
    m: s.m, mass: s.mass, path: [{kind: 'memory', id: s.m.id, name: s.m.name, edge: '', activation: s.mass}]
  }] AS memories0
}
WITH named, speakers, nearest, most, found, weights, memories0, reduce(z = 0.000001, n IN named | z + n.mass) AS z
WITH named, speakers, nearest, most, found, weights, memories0,
     [n IN named | {e: n.e, mass: $blend.named * n.mass / z}] AS cues
WITH named, speakers, nearest, most, found, weights, memories0, [c IN cues | {
  e: c.e, mass: c.mass, path: [{kind: 'entity', id: c.e.key, name: c.e.name, edge: '', activation: c.mass}]
}] AS cues
// --- Hop 1: memories to entities and on along relations, then back to memories and along links -------------------
CALL (memories0, cues) {
  CALL (memories0, cues) {
    UNWIND memories0 AS f
    WITH f, f.m AS m
    MATCH (m)-[:MENTIONS]->(e:Entity)
    WITH f, e, CASE WHEN e.speaks THEN $blend.speaker_share WHEN e.is_name THEN 1.0 ELSE $blend.concept_share END AS weight
    WITH f, sum(weight) + 0.000001 AS total, collect({e: e, weight: weight}) AS mentioned
    UNWIND mentioned AS o
    WITH f, o.e AS e, f.mass * o.weight / total AS mass
    RETURN e, mass,
           f.path + [{kind: 'entity', id: e.key, name: e.name, edge: 'MENTIONS', activation: mass}] AS path
    UNION ALL
    UNWIND cues AS f
    WITH f, f.e AS e
    RETURN e, f.mass AS mass, f.path AS path
    UNION ALL
    UNWIND cues AS f
    WITH f, f.e AS s
    WITH f, s, COUNT { (s)-[:RELATES]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (s)-[r:RELATES]-(e:Entity)
    WHERE r.audience IN $audiences AND r.is_current AND NOT r.negated
    WITH f, r, e, $blend.relation * f.mass * r.weight / fan AS mass
    RETURN e, mass, f.path + [{
      kind: 'entity', id: e.key, name: e.name, edge: 'RELATES ' + r.predicate, activation: mass
    }] AS path
  }
  WITH e, sum(mass) AS mass, max([mass - CASE WHEN e.key IN [s IN path[..-1] | s.id] THEN 1000 ELSE 0 END, path])[1] AS path
  ORDER BY mass DESC, e.key LIMIT $blend.entities
  RETURN collect({e: e, mass: mass, path: path}) AS entities1
}
CALL (memories0, entities1) {
  CALL (memories0, entities1) {
    UNWIND entities1 AS f
    WITH f, f.e AS e
    WITH f, e, COUNT { (e)<-[:MENTIONS]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (e)<-[:MENTIONS]-(m:Memory)
    WHERE m.bank = $bank AND m.audience IN $audiences AND m.status IN $statuses
    WITH f, m, $decay * f.mass / fan AS mass
    RETURN m, mass,
           f.path + [{kind: 'memory', id: m.id, name: m.name, edge: 'MENTIONS', activation: mass}] AS path
    UNION ALL
    UNWIND memories0 AS f
    WITH f, f.m AS s
    WITH f, s, COUNT { (s)-[:LINKS|DERIVED_FROM|NEXT]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (s)-[r:LINKS|DERIVED_FROM|NEXT]-(m:Memory)
    WHERE m.bank = $bank AND m.audience IN $audiences AND m.status IN $statuses
    WITH f, r, m, $decay * f.mass * CASE
      WHEN type(r) = 'NEXT' THEN $blend.next WHEN r.type = 'similar' THEN $blend.similar ELSE coalesce(r.strength, 1.0) END AS mass
    RETURN m, mass, f.path + [{
      kind: 'memory', id: m.id, name: m.name, activation: mass,
      edge: CASE type(r) WHEN 'LINKS' THEN 'LINKS ' + r.type ELSE type(r) END
    }] AS path
  }
  WITH m, sum(mass) AS mass, max([mass - CASE WHEN m.id IN [s IN path[..-1] | s.id] THEN 1000 ELSE 0 END, path])[1] AS path
  WHERE $hops >= 1
  ORDER BY mass DESC, m.id LIMIT $blend.memories
  RETURN collect({m: m, mass: mass, path: path}) AS memories1
}
// --- Hop 2: memories to entities and on along relations, then back to memories and along links -------------------
CALL (memories1, entities1) {
  CALL (memories1, entities1) {
    UNWIND memories1 AS f
    WITH f, f.m AS m
    MATCH (m)-[:MENTIONS]->(e:Entity)
    WITH f, e, CASE WHEN e.speaks THEN $blend.speaker_share WHEN e.is_name THEN 1.0 ELSE $blend.concept_share END AS weight
    WITH f, sum(weight) + 0.000001 AS total, collect({e: e, weight: weight}) AS mentioned
    UNWIND mentioned AS o
    WITH f, o.e AS e, f.mass * o.weight / total AS mass
    RETURN e, mass,
           f.path + [{kind: 'entity', id: e.key, name: e.name, edge: 'MENTIONS', activation: mass}] AS path
    UNION ALL
    UNWIND entities1 AS f
    WITH f, f.e AS s
    WITH f, s, COUNT { (s)-[:RELATES]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (s)-[r:RELATES]-(e:Entity)
    WHERE r.audience IN $audiences AND r.is_current AND NOT r.negated
    WITH f, r, e, $blend.relation * f.mass * r.weight / fan AS mass
    RETURN e, mass, f.path + [{
      kind: 'entity', id: e.key, name: e.name, edge: 'RELATES ' + r.predicate, activation: mass
    }] AS path
  }
  WITH e, sum(mass) AS mass, max([mass - CASE WHEN e.key IN [s IN path[..-1] | s.id] THEN 1000 ELSE 0 END, path])[1] AS path
  ORDER BY mass DESC, e.key LIMIT $blend.entities
  RETURN collect({e: e, mass: mass, path: path}) AS entities2
}
CALL (memories1, entities2) {
  CALL (memories1, entities2) {
    UNWIND entities2 AS f
    WITH f, f.e AS e
    WITH f, e, COUNT { (e)<-[:MENTIONS]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (e)<-[:MENTIONS]-(m:Memory)
    WHERE m.bank = $bank AND m.audience IN $audiences AND m.status IN $statuses
    WITH f, m, $decay * f.mass / fan AS mass
    RETURN m, mass,
           f.path + [{kind: 'memory', id: m.id, name: m.name, edge: 'MENTIONS', activation: mass}] AS path
    UNION ALL
    UNWIND memories1 AS f
    WITH f, f.m AS s
    WITH f, s, COUNT { (s)-[:LINKS|DERIVED_FROM|NEXT]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (s)-[r:LINKS|DERIVED_FROM|NEXT]-(m:Memory)
    WHERE m.bank = $bank AND m.audience IN $audiences AND m.status IN $statuses
    WITH f, r, m, $decay * f.mass * CASE
      WHEN type(r) = 'NEXT' THEN $blend.next WHEN r.type = 'similar' THEN $blend.similar ELSE coalesce(r.strength, 1.0) END AS mass
    RETURN m, mass, f.path + [{
      kind: 'memory', id: m.id, name: m.name, activation: mass,
      edge: CASE type(r) WHEN 'LINKS' THEN 'LINKS ' + r.type ELSE type(r) END
    }] AS path
  }
  WITH m, sum(mass) AS mass, max([mass - CASE WHEN m.id IN [s IN path[..-1] | s.id] THEN 1000 ELSE 0 END, path])[1] AS path
  WHERE $hops >= 2
  ORDER BY mass DESC, m.id LIMIT $blend.memories
  RETURN collect({m: m, mass: mass, path: path}) AS memories2
}
// --- Hop 3: memories to entities and on along relations, then back to memories and along links -------------------
CALL (memories2, entities2) {
  CALL (memories2, entities2) {
    UNWIND memories2 AS f
    WITH f, f.m AS m
    MATCH (m)-[:MENTIONS]->(e:Entity)
    WITH f, e, CASE WHEN e.speaks THEN $blend.speaker_share WHEN e.is_name THEN 1.0 ELSE $blend.concept_share END AS weight
    WITH f, sum(weight) + 0.000001 AS total, collect({e: e, weight: weight}) AS mentioned
    UNWIND mentioned AS o
    WITH f, o.e AS e, f.mass * o.weight / total AS mass
    RETURN e, mass,
           f.path + [{kind: 'entity', id: e.key, name: e.name, edge: 'MENTIONS', activation: mass}] AS path
    UNION ALL
    UNWIND entities2 AS f
    WITH f, f.e AS s
    WITH f, s, COUNT { (s)-[:RELATES]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (s)-[r:RELATES]-(e:Entity)
    WHERE r.audience IN $audiences AND r.is_current AND NOT r.negated
    WITH f, r, e, $blend.relation * f.mass * r.weight / fan AS mass
    RETURN e, mass, f.path + [{
      kind: 'entity', id: e.key, name: e.name, edge: 'RELATES ' + r.predicate, activation: mass
    }] AS path
  }
  WITH e, sum(mass) AS mass, max([mass - CASE WHEN e.key IN [s IN path[..-1] | s.id] THEN 1000 ELSE 0 END, path])[1] AS path
  ORDER BY mass DESC, e.key LIMIT $blend.entities
  RETURN collect({e: e, mass: mass, path: path}) AS entities3
}
CALL (memories2, entities3) {
  CALL (memories2, entities3) {
    UNWIND entities3 AS f
    WITH f, f.e AS e
    WITH f, e, COUNT { (e)<-[:MENTIONS]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (e)<-[:MENTIONS]-(m:Memory)
    WHERE m.bank = $bank AND m.audience IN $audiences AND m.status IN $statuses
    WITH f, m, $decay * f.mass / fan AS mass
    RETURN m, mass,
           f.path + [{kind: 'memory', id: m.id, name: m.name, edge: 'MENTIONS', activation: mass}] AS path
    UNION ALL
    UNWIND memories2 AS f
    WITH f, f.m AS s
    WITH f, s, COUNT { (s)-[:LINKS|DERIVED_FROM|NEXT]-() } AS fan
    WHERE fan <= $blend.fan_out
    MATCH (s)-[r:LINKS|DERIVED_FROM|NEXT]-(m:Memory)
    WHERE m.bank = $bank AND m.audience IN $audiences AND m.status IN $statuses
    WITH f, r, m, $decay * f.mass * CASE
      WHEN type(r) = 'NEXT' THEN $blend.next WHEN r.type = 'similar' THEN $blend.similar ELSE coalesce(r.strength, 1.0) END AS mass
    RETURN m, mass, f.path + [{
      kind: 'memory', id: m.id, name: m.name, activation: mass,
      edge: CASE type(r) WHEN 'LINKS' THEN 'LINKS ' + r.type ELSE type(r) END
    }] AS path
  }
  WITH m, sum(mass) AS mass, max([mass - CASE WHEN m.id IN [s IN path[..-1] | s.id] THEN 1000 ELSE 0 END, path])[1] AS path
  WHERE $hops >= 3
  ORDER BY mass DESC, m.id LIMIT $blend.memories
  RETURN collect({m: m, mass: mass, path: path}) AS memories3
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
    AND ($filter.types IS NULL OR m.type IN $filter.types)
    AND ($filter.domain IS NULL OR m.domain = $filter.domain)
    AND ($filter.session IS NULL OR m.session_id = $filter.session)
    AND ($filter.source IS NULL OR m.source = $filter.source)
    AND ($filter.from_ms IS NULL OR m.occurred_at.epochMillis >= $filter.from_ms)
    AND ($filter.before_ms IS NULL OR m.occurred_at.epochMillis < $filter.before_ms)
    AND ($filter.alive_ms IS NULL OR (
      (m.valid_until IS NULL OR m.valid_until.epochMillis > $filter.alive_ms)
      AND (m.superseded_at IS NULL OR m.superseded_at.epochMillis > $filter.alive_ms)
    ))
    AND all(tag IN $filter.tags WHERE tag IN m.tags)
    AND all(token IN $filter.metadata WHERE m.filter_tokens CONTAINS token)
  CALL (m, cosine) {
    WITH m, cosine WHERE cosine IS NOT NULL
    RETURN cosine AS exact
    UNION ALL
    WITH m, cosine WHERE cosine IS NULL
    MATCH (x:EmbeddingA {id: m.id})
    RETURN 2 * vector.similarity.cosine(x.vector, $vector) - 1 AS exact
  }
  RETURN collect({m: m, cosine: exact, keyword: keyword, mass: mass, path: path}) AS candidates, max(mass) AS loudest
}
// Outside a subquery, for a list that a subquery is given is counted against memory with every row that it sorts.
UNWIND candidates AS c
WITH weights, c, c.m AS m,
     CASE WHEN nearest - c.cosine < $blend.spread THEN 1 - (nearest - c.cosine) / $blend.spread ELSE 0.0 END AS semantic,
     c.keyword / (most + $blend.keyword_half) AS keyword,
     CASE WHEN c.mass > 0 THEN
       log(1 + c.mass / $blend.quiet) / log(1 + CASE WHEN loudest > $blend.loud THEN loudest ELSE $blend.loud END / $blend.quiet)
       ELSE 0.0 END AS activation,
     CASE WHEN size(speakers) = 1 AND c.m.speaker_key = speakers[0] THEN 1.0 ELSE 0.0 END AS speaker,
     CASE WHEN $filter.window_from_ms <= c.m.occurred_at.epochMillis
           AND c.m.occurred_at.epochMillis < $filter.window_before_ms THEN 1.0 ELSE 0.0 END AS time
WITH weights, c, semantic, keyword, activation, speaker, time, m.id AS id,
     weights.semantic * semantic + weights.keyword * keyword + weights.activation * activation
     + $blend.speaker * speaker + $blend.time * time - $blend.asks * coalesce(m.asks, 0.0) AS likeness
WITH weights, c { .*, semantic: semantic, keyword: keyword, words: c.keyword, activation: activation,
                  speaker: speaker, time: time, likeness: likeness } AS c, likeness, id
ORDER BY likeness DESC, id
WITH weights, collect(c) AS scored
// --- The scene: turns around good turns, and the answer that follows a question -----------------------------------
CALL (scored) {
  CALL (scored) {
    UNWIND scored AS c
    RETURN c.m AS m, c AS c, 0.0 AS scene, 0.0 AS answer
    UNION ALL
    UNWIND scored[0..$blend.scenes] AS c
    WITH c, c.m AS m WHERE c.likeness > 0
    MATCH p = (m)-[:NEXT]-{1,6}(n:Memory)
    RETURN n AS m, null AS c, c.likeness ^ 4 * $blend.scene_decay ^ length(p) AS scene,
           CASE WHEN length(p) = 1 AND startNode(relationships(p)[0]) = m
             THEN c.likeness * coalesce(m.asks, 0.0) ELSE 0.0 END AS answer
  }
  WITH m, max(c) AS c, sum(scene) AS scene, max(answer) AS answer
  WHERE c IS NOT NULL
  WITH collect({m: m, c: c, scene: scene, answer: answer}) AS rows, max(scene) + 0.000001 AS busiest
  RETURN [r IN rows | r { .m, .c, .answer, scene: r.scene / busiest }] AS rows
}
// --- The blend: likeness, then boosts that re-order what bears on the query and lift nothing that does not ---------
UNWIND rows AS r
WITH r.c AS c, r.m AS m, weights, r.scene AS scene, r.answer AS answer,
     r.c.likeness + $blend.scene * r.scene + $blend.answer * r.answer AS likeness,
     CASE WHEN r.m.pinned OR r.m.access_count >= 10 THEN 1.0
          ELSE exp(-0.6931 * (($now.epochMillis - r.m.occurred_at.epochMillis) / 86400000.0)
                   / coalesce(r.m.half_life_days, $blend.half_life_days)) END AS recency
WITH c, m, weights, likeness, recency, {
       semantic: c.semantic, keyword: c.keyword, activation: c.activation, speaker: c.speaker, time: c.time,
       asks: coalesce(m.asks, 0.0), scene: scene, answer: answer,
       recency: recency, importance: m.importance - 0.5, access: 1 - exp(-0.2 * m.access_count),
       feedback: m.feedback / (1.0 + abs(m.feedback)), confidence: m.confidence - 0.9
     } AS terms
WITH c, m, weights, likeness, terms, CASE WHEN $blend.published IS NULL THEN null ELSE {
       similarity: CASE WHEN c.cosine > 0 THEN c.cosine ELSE 0.0 END, entity: c.activation, recency: recency,
       importance: m.importance, access: terms.access, feedback: terms.feedback
     } END AS published
WITH c, m, weights, likeness, coalesce(published, terms) AS terms,
     CASE WHEN published IS NULL THEN
       likeness * (1 + $blend.recency * terms.recency + $blend.importance * terms.importance
         + $blend.access * terms.access + $blend.feedback * terms.feedback
         + $blend.confidence * terms.confidence)
     WHEN $blend.published.is_product THEN published.similarity * published.recency * published.importance
     ELSE reduce(sum = 0.0, name IN keys(published) | sum + $blend.published[name] * published[name]) END AS score
WITH weights, score, m.id AS id, {
       m: m, terms: terms, path: c.path,
       raw: {likeness: likeness, score: score, cosine: c.cosine, words: c.words, mass: c.mass, more_words: m.more_words}
     } AS hit
// Sorted whole and then cut: a LIMIT here would keep every list of the query with each of its rows.
ORDER BY score DESC, id
WITH weights, collect(hit)[0..$limit] AS hits
UNWIND range(0, size(hits) - 1) AS rank
WITH weights, rank, hits[rank] AS hit
WITH weights, rank, hit, hit.m AS m
ORDER BY rank
RETURN m {
         .id, .bank, .content, .summary, .type, .layer, .scope, .status, .importance, .confidence, .source, .language,
         .occurred_at, .occurred_until, .valid_from, .valid_until, .created_at, .updated_at, .last_accessed_at,
         .access_count, .feedback, .half_life_days, .expires_at, .pinned, .version, .domain, .tags, .agent_id, .user_id,
         .session_id, .speaker, .experience, .metadata, .archived_at
       } AS memory,
       hit.terms AS terms, hit.raw AS raw, hit.path AS path, weights
