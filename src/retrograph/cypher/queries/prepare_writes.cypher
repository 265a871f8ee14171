// Looks up, for texts about to be written, what the bank knows already: entities by name, and earlier tellings.
// mode: read
// params: bank: STRING, keys: LIST<STRING>, identity_keys: LIST<STRING>, source_keys: LIST<STRING>
// returns: entities: LIST<MAP>, twins: LIST<MAP>, last_batch: STRING
CYPHER 25
OPTIONAL MATCH (b:Bank {name: $bank})
WITH b.last_batch AS last_batch
CALL () {
  UNWIND $keys AS key
  MATCH (e:Entity {bank: $bank, key: key}) WHERE e.is_part IS NULL
  RETURN collect({key: e.key, name: e.name, type: e.type}) AS entities
}
CALL () {
  UNWIND $identity_keys AS key
  MATCH (m:Memory {identity_key: key})
  RETURN collect({id: m.id, identity_key: key, source_key: null, source_keys: m.source_keys}) AS same
}
CALL () {
  UNWIND $source_keys AS key
  // What the owner or consolidation archived stays archived when its source is ingested again.
  MATCH (m:Memory|ArchivedMemory {bank: $bank, source_key: key})
  RETURN collect({id: m.id, identity_key: m.identity_key, source_key: key, source_keys: m.source_keys}) AS told
}
RETURN entities, same + told AS twins, last_batch
