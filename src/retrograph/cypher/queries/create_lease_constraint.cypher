// Makes lease names unique; run before anything is leased.
// mode: write
// params:
// returns: nothing: NULL
CYPHER 25
CREATE CONSTRAINT lease_name IF NOT EXISTS FOR (l:Lease) REQUIRE l.name IS UNIQUE
