// Writes embeddings that are not there.
// mode: write
// params: rows: LIST<MAP>
// returns: written: INTEGER
CYPHER 25
UNWIND $rows AS row
MERGE (e:EmbeddingA {id: row.id})
ON CREATE SET e += row.properties, e.vector = toFloatList(row.vector),
  e.audience = row.properties.bank + '\u001F' + row.properties.audience + '\u001F' + row.properties.status
RETURN count(*) AS written
