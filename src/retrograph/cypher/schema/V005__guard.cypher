// Access tokens, kept as hashes, and who did what to which memory when.
CYPHER 25 CREATE CONSTRAINT access_token_id IF NOT EXISTS FOR (t:AccessToken) REQUIRE t.id IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT access_token_hash IF NOT EXISTS FOR (t:AccessToken) REQUIRE t.hash IS UNIQUE;
CYPHER 25 CREATE RANGE INDEX audit_at IF NOT EXISTS FOR (a:Audit) ON (a.bank, a.at);
CYPHER 25 CREATE RANGE INDEX audit_memory IF NOT EXISTS FOR (a:Audit) ON (a.bank, a.memory_id)
