// Makes memories that wait for review current; recall finds them from now on.
// mode: write
// params: ids: LIST<STRING>, at: ZONED DATETIME
// returns: id: STRING
CYPHER 25
UNWIND $ids AS id
MATCH (m:Memory {id: id, status: 'pending_review'})
SET m.status = 'active',
    m.reviewed = 'approved',
    m.reviewed_at = $at,
    m.updated_at = $at,
    m.filter_tokens = replace(m.filter_tokens, ' spendingreview ', ' sactive ')
WITH m
OPTIONAL MATCH (e:EmbeddingA {id: m.id})
SET e.status = 'active',
    e.audience = m.bank + '\u001F' + m.audience + '\u001Factive'
RETURN m.id AS id
