// Constraints and indexes of the memory graph. Vector indexes are made when an encoder takes a slot.
CYPHER 25 CREATE CONSTRAINT bank_name IF NOT EXISTS FOR (b:Bank) REQUIRE b.name IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (m:Memory) REQUIRE m.id IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT memory_identity_key IF NOT EXISTS FOR (m:Memory) REQUIRE m.identity_key IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT archived_memory_id IF NOT EXISTS FOR (m:ArchivedMemory) REQUIRE m.id IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (e:Entity) REQUIRE (e.bank, e.key) IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT session_key IF NOT EXISTS FOR (s:Session) REQUIRE (s.bank, s.key) IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT embedding_slot_name IF NOT EXISTS FOR (s:EmbeddingSlot) REQUIRE s.slot IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT embedding_slot_encoder IF NOT EXISTS FOR (s:EmbeddingSlot) REQUIRE s.encoder IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT job_id IF NOT EXISTS FOR (j:Job) REQUIRE j.id IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT audit_id IF NOT EXISTS FOR (a:Audit) REQUIRE a.id IS UNIQUE;
CYPHER 25 CREATE RANGE INDEX memory_occurred IF NOT EXISTS FOR (m:Memory) ON (m.bank, m.occurred_at);
CYPHER 25 CREATE RANGE INDEX memory_session IF NOT EXISTS FOR (m:Memory) ON (m.bank, m.session_key, m.occurred_at);
CYPHER 25 CREATE RANGE INDEX memory_created IF NOT EXISTS FOR (m:Memory) ON (m.bank, m.created_at);
CYPHER 25 CREATE RANGE INDEX memory_expires IF NOT EXISTS FOR (m:Memory) ON (m.bank, m.expires_at);
CYPHER 25 CREATE RANGE INDEX memory_source IF NOT EXISTS FOR (m:Memory) ON (m.bank, m.source_key);
CYPHER 25 CREATE FULLTEXT INDEX memory_text_english IF NOT EXISTS
FOR (m:Memory|ArchivedMemory) ON EACH [m.content, m.context, m.filter_tokens]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
CYPHER 25 CREATE FULLTEXT INDEX memory_text_cjk IF NOT EXISTS
FOR (m:Memory|ArchivedMemory) ON EACH [m.filter_tokens, m.content, m.context]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk'}}
