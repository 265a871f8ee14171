// Indexes for near names, their candidates, and jobs.
CYPHER 25 CREATE FULLTEXT INDEX entity_near IF NOT EXISTS
FOR (e:Entity) ON EACH [e.near_tokens]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
CYPHER 25 CREATE RANGE INDEX same_as_confidence IF NOT EXISTS FOR ()-[s:SAME_AS]-() ON (s.bank, s.confidence);
CYPHER 25 CREATE CONSTRAINT job_chunk_id IF NOT EXISTS FOR (c:JobChunk) REQUIRE c.id IS UNIQUE;
CYPHER 25 CREATE RANGE INDEX job_state IF NOT EXISTS FOR (j:Job) ON (j.state, j.bank)
