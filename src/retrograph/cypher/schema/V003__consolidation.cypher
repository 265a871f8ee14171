// Paging through a bank by id, runs of consolidation, and what each of them archived, merged, derived, joined or pruned.
CYPHER 25 CREATE RANGE INDEX memory_page IF NOT EXISTS FOR (m:Memory) ON (m.bank, m.id);
CYPHER 25 CREATE RANGE INDEX archived_by IF NOT EXISTS FOR (m:ArchivedMemory) ON (m.bank, m.archived_by, m.id);
CYPHER 25 CREATE RANGE INDEX memory_derived_by IF NOT EXISTS FOR (m:Memory) ON (m.bank, m.derived_by);
CYPHER 25 CREATE CONSTRAINT consolidation_run_id IF NOT EXISTS FOR (r:ConsolidationRun) REQUIRE r.id IS UNIQUE;
CYPHER 25 CREATE RANGE INDEX consolidation_run_bank IF NOT EXISTS FOR (r:ConsolidationRun) ON (r.bank, r.id);
CYPHER 25 CREATE RANGE INDEX merged_run IF NOT EXISTS FOR ()-[r:MERGED]-() ON (r.run);
CYPHER 25 CREATE RANGE INDEX alias_run IF NOT EXISTS FOR ()-[r:ALIAS_OF]-() ON (r.run);
CYPHER 25 CREATE RANGE INDEX pruned_run IF NOT EXISTS FOR ()-[r:PRUNED]-() ON (r.run)
