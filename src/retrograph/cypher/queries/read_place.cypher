// Says which database this is.
// mode: read
// params:
// returns: id: STRING, name: STRING
CYPHER 25
CALL db.info() YIELD id, name
RETURN id, name
