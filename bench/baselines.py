"""Baselines on the very vectors and indexes of a bank: cosine, full-text, rank fusion, score fusion.

They are what a vector search or a hybrid search over the same memories answers, without a graph: statements of the
bench's own, run beside the recall on the same questions. Every one is filtered by bank as the recall is.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from bench.asking import DEPTHS, Question, Scores
from retrograph import Memory
from retrograph.cypher import CypherQuery
from retrograph.graph.records import visible_as
from retrograph.models import SearchFilter, Status
from retrograph.retrieval.query_text import full_text_query

POOL = 100
_RANK_DAMPING = 60  # Cormack, Clarke and Büttcher (2009).
_SEMANTIC = 0.6

_VECTOR = """CYPHER 25
MATCH (x:EmbeddingA)
SEARCH x IN (
  VECTOR INDEX embedding_a FOR $vector
  WHERE x.audience IN $visible
  LIMIT $pool
) SCORE AS score
RETURN x.id AS id, 2 * score - 1 AS score ORDER BY score DESC, id"""
_TEXT = """CYPHER 25
CALL (*) {
  CALL db.index.fulltext.queryNodes('memory_text_english', $english, {limit: $pool}) YIELD node, score
  RETURN node, score
  UNION ALL
  CALL db.index.fulltext.queryNodes('memory_text_cjk', $cjk, {limit: $pool}) YIELD node, score
  RETURN node, score
}
WITH node, sum(score) AS score
RETURN node.id AS id, score ORDER BY score DESC, id LIMIT $pool"""


def ask_baselines(
    memory: Memory, questions: Iterable[Question], turn_of: Mapping[str, str], scores: dict[str, Scores]
) -> None:
    """Asks each question of each baseline and adds the scores by its name."""
    for question in questions:
        for name, ranked in rankings(memory, question.text).items():
            turns = [turn_of.get(memory_id, "") for memory_id in ranked[: max(DEPTHS)]]
            scores.setdefault(name, Scores()).add(question, turns, 0.0)


def rankings(memory: Memory, text: str) -> dict[str, list[str]]:
    """Ids as each baseline ranks them."""
    by_vector, by_text = _vector(memory, text), _text(memory, text)
    return {
        "cosine": list(by_vector),
        "BM25": list(by_text),
        "rank fusion": _best(_reciprocal(by_vector), _reciprocal(by_text)),
        "score fusion": _best(_scaled(by_vector, _SEMANTIC), _scaled(by_text, 1 - _SEMANTIC)),
    }


def _vector(memory: Memory, text: str) -> dict[str, float]:
    resources, identity = memory._resources, memory.identity
    space = resources.recaller._space(identity.bank)
    query = dataclasses.replace(_query(_VECTOR, "vector", "visible", "pool")).in_slot(space.slot)
    rows = resources.graph.run(
        query,
        vector=resources.encoder.encode_query(text).tolist(),
        visible=[visible_as(identity.bank, audience, Status.ACTIVE.value) for audience in identity.audiences],
        pool=POOL,
    )
    return {row["id"]: row["score"] for row in rows}


def _text(memory: Memory, text: str) -> dict[str, float]:
    """Content alone, every word of the question that tells something; no context, no names left out."""
    parts = full_text_query(
        text, identity=memory.identity, where=SearchFilter(), statuses=[Status.ACTIVE.value], content_weight=1.0
    )
    words = " ".join(parts["words"])

    def query(words: str) -> str:
        return parts["filters"] + (f" +content:({words})" if words else " +filter_tokens:nothing")

    rows = memory._resources.graph.run(
        _query(_TEXT, "english", "cjk", "pool"), english=query(words), cjk=query(parts["runs"]), pool=POOL
    )
    return {row["id"]: row["score"] for row in rows}


def _query(text: str, *params: str) -> CypherQuery:
    return CypherQuery("baseline", "", text, "read", dict.fromkeys(params, "ANY"), {})


def _reciprocal(scores: Mapping[str, float]) -> dict[str, float]:
    return {memory_id: 1 / (_RANK_DAMPING + rank) for rank, memory_id in enumerate(scores, 1)}


def _scaled(scores: Mapping[str, float], weight: float) -> dict[str, float]:
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {i: weight * ((s - low) / (high - low) if high > low else 1.0) for i, s in scores.items()}


def _best(*arms: Mapping[str, float]) -> list[str]:
    total: dict[str, float] = {}
    for arm in arms:
        for memory_id, score in arm.items():
            total[memory_id] = total.get(memory_id, 0.0) + score
    return sorted(total, key=lambda memory_id: (-total[memory_id], memory_id))


def rows_of(scores: Mapping[str, Scores], names: Sequence[str] = ("R@1", "R@5", "R@10", "R@20")) -> dict[str, str]:
    """One row a baseline."""
    return {name: " / ".join(f"{of.rows()[n]:.1f}" for n in names) for name, of in scores.items()}
