// What was told by whom is known of the archive too, so that telling it again does not bring it back.
CYPHER 25 CREATE RANGE INDEX archived_source IF NOT EXISTS FOR (m:ArchivedMemory) ON (m.bank, m.source_key)
