// Changes fields of memories in place, with the words and vector properties that recall filters on.
// mode: write
// params: bank: STRING, audiences: LIST<STRING>, rows: LIST<MAP>
// returns: id: STRING
CYPHER 25
UNWIND $rows AS row
MATCH (m:Memory {id: row.id}) WHERE m.bank = $bank AND m.audience IN $audiences
SET m += row.properties,
    m.updated_at = row.at,
    // The first letter of a word says what it filters on.
    m.filter_tokens = reduce(
      words = '',
      word IN [w IN split(m.filter_tokens, ' ') WHERE NOT left(w, 1) IN row.dropped] + row.added |
      words + CASE words WHEN '' THEN '' ELSE ' ' END + word
    )
WITH row, m
OPTIONAL MATCH (e:EmbeddingA {id: m.id})
SET e.domain = coalesce(m.domain, '')
RETURN m.id AS id
