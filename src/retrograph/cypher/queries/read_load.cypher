// Counts what waits in jobs and what is kept and was ever recalled, in all banks together: for whoever runs the server.
// mode: read
// params:
// returns: jobs: INTEGER, turns: INTEGER, memories: INTEGER, archived: INTEGER, recalled: INTEGER
CYPHER 25
CALL () {
  UNWIND ['queued', 'running'] AS state
  MATCH (j:Job {state: state}) WHERE j.bank IS NOT NULL
  RETURN count(j) AS jobs, coalesce(sum(j.total - j.done), 0) AS turns
}
CALL () { MATCH (m:Memory) RETURN count(m) AS memories }
CALL () { MATCH (m:ArchivedMemory) RETURN count(m) AS archived }
CALL () { MATCH (m:Memory) WHERE m.recalls > 0 RETURN count(m) AS recalled }
RETURN jobs, turns, memories, archived, recalled
