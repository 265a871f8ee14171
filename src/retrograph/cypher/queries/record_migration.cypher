// Records that a migration was applied.
// mode: write
// params: version: INTEGER, name: STRING, checksum: STRING
// returns: version: INTEGER
CYPHER 25
MERGE (s:SchemaMigration {version: $version})
ON CREATE SET s.name = $name, s.checksum = $checksum, s.applied_at = datetime()
RETURN s.version AS version
