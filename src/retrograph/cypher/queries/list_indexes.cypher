// Lists the indexes of the database and how they are.
// mode: read
// params:
// returns: name: STRING, state: STRING
CYPHER 25
SHOW INDEXES YIELD name, state RETURN name, state
