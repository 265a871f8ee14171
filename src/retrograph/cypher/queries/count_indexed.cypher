// Counts what a full-text index has of a bank.
// mode: read
// params: index: STRING, words: STRING
// returns: found: INTEGER
CYPHER 25
CALL db.index.fulltext.queryNodes($index, $words) YIELD node
RETURN count(node) AS found
