// Takes back that one entity is another name of a second, as far as the caller may see it.
// mode: write
// params: bank: STRING, audiences: LIST<STRING>, alias: STRING, canonical: STRING
// returns: removed: INTEGER
CYPHER 25
MATCH (:Entity {bank: $bank, key: $alias})-[r:ALIAS_OF]->(:Entity {bank: $bank, key: $canonical})
WHERE r.audience IN $audiences
DELETE r
RETURN count(*) AS removed
