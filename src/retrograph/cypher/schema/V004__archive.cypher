// The archive by time, so that what a summary was made of is found beside what happened around it.
CYPHER 25 CREATE RANGE INDEX archived_occurred IF NOT EXISTS FOR (m:ArchivedMemory) ON (m.bank, m.occurred_at)
