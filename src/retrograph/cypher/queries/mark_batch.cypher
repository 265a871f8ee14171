// Leaves at a bank which batch was written last. The lock that this takes orders the batches of a bank at their ends,
// so of two that did not see each other the later one learns it.
// mode: write
// params: bank: STRING, batch: STRING
// returns: before: STRING
CYPHER 25
MATCH (b:Bank {name: $bank})
SET b.is_written = true
WITH b, b.last_batch AS before
SET b.last_batch = $batch
RETURN before
