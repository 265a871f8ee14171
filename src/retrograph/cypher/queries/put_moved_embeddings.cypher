// Makes embeddings of a bank on the move what they are where it comes from.
// mode: write
// params: bank: STRING, rows: LIST<MAP>
// returns: written: INTEGER
CYPHER 25
UNWIND $rows AS row
MERGE (e:EmbeddingA {id: row.id})
SET e = row.properties, e.bank = $bank, e.vector = toFloatList(row.vector),
    e.audience = $bank + '\u001F' + row.properties.audience + '\u001F' + row.properties.status
RETURN count(*) AS written
