// Makes migration versions unique; run before anything is migrated.
// mode: write
// params:
// returns: nothing: NULL
CYPHER 25
CREATE CONSTRAINT migration_version IF NOT EXISTS FOR (s:SchemaMigration) REQUIRE s.version IS UNIQUE
