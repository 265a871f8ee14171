// Lists the migrations that the database has, in order.
// mode: read
// params:
// returns: version: INTEGER, name: STRING, checksum: STRING
CYPHER 25
MATCH (s:SchemaMigration)
RETURN s.version AS version, s.name AS name, s.checksum AS checksum
ORDER BY version
