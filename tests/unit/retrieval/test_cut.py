"""The cut: the limit, the budget of the whole payload, and near-copies."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from retrograph.models import Hit, Language, Layer, MemoryRecord, MemoryType, Scope, Source, Status, Term
from retrograph.retrieval.cut import cut, estimate_tokens, payload_tokens
from retrograph.retrieval.options import SearchOptions

_AT = datetime(2026, 3, 1, tzinfo=UTC)


def _hit(number: int, content: str = "", **more: Any) -> Hit:
    memory = MemoryRecord(
        id=f"m{number}",
        bank="b",
        content=content or f"memory {number}",
        type=MemoryType.FACT,
        layer=Layer.SEMANTIC,
        scope=Scope.GLOBAL,
        status=Status.ACTIVE,
        importance=0.5,
        confidence=0.9,
        source=Source.USER,
        language=Language.ENGLISH,
        occurred_at=_AT,
        created_at=_AT,
        updated_at=_AT,
        **more,
    )
    return Hit(memory, relevance=0.5, score=1 / (1 + number))


def _never(_: str, __: str) -> bool:
    return False


def _ids(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.memory.id for hit in hits]


@pytest.mark.parametrize(("limit", "kept"), [(1, 1), (3, 3), (10, 5)])
def test_limit_keeps_the_best_and_counts_the_rest(limit: int, kept: int) -> None:
    hits = [_hit(n) for n in range(5)]
    found, omitted, _ = cut(hits, SearchOptions(limit=limit), similar=_never)
    assert _ids(found) == [f"m{n}" for n in range(kept)]
    assert omitted == 5 - kept


def test_nothing_in_nothing_out() -> None:
    assert cut([], SearchOptions(limit=5), similar=_never) == ((), 0, 0)


def test_near_copy_makes_room_for_the_next() -> None:
    hits = [_hit(0, "Tea."), _hit(1, "tea"), _hit(2, "Coffee.")]
    same = lambda a, b: a.lower().strip(".") == b.lower().strip(".")  # noqa: E731
    found, omitted, _ = cut(hits, SearchOptions(limit=2), similar=same)
    assert _ids(found) == ["m0", "m2"]
    assert omitted == 1
    found, _, _ = cut(hits, SearchOptions(limit=2, diversity=False), similar=same)
    assert _ids(found) == ["m0", "m1"]


@pytest.mark.parametrize("words", ["word " * 40, "记忆" * 40, "memory 记忆 " * 20])
def test_budget_holds_for_the_whole_payload(words: str) -> None:
    hits = [_hit(n, words, tags=("tag",) * 5, metadata={"long": "x " * 100}) for n in range(10)]
    one = payload_tokens(hits[0])
    budget = int(one * 3.5)
    found, omitted, tokens = cut(hits, SearchOptions(limit=10, max_tokens=budget), similar=_never)
    assert len(found) == 3
    assert omitted == 7
    assert tokens == sum(payload_tokens(hit) for hit in found) <= budget


def test_budget_too_small_for_the_first_passes_on_to_one_that_fits() -> None:
    hits = [_hit(0, "word " * 2_000), _hit(1)]
    found, omitted, _ = cut(hits, SearchOptions(limit=5, max_tokens=payload_tokens(hits[1])), similar=_never)
    assert _ids(found) == ["m1"]
    assert omitted == 1


@pytest.mark.parametrize(
    "more",
    [{"metadata": {"k": "v " * 50}}, {"tags": ("label",) * 20}, {"summary": "short " * 30}, {"domain": "d" * 90}],
)
def test_payload_counts_more_than_the_text(more: dict[str, Any]) -> None:
    assert payload_tokens(_hit(0, **more)) > payload_tokens(_hit(0)) + 15


def test_payload_counts_the_explanation() -> None:
    hit = _hit(0)
    terms = tuple(Term(f"term{n}", 0.1, 0.2, 0.02) for n in range(10))
    assert payload_tokens(replace(hit, terms=terms)) > payload_tokens(hit) + 50


@pytest.mark.parametrize(
    ("text", "least"), [("", 0), ("hello", 1), ("机器学习算法", 6), ("a, b", 3), ("こんにちは", 5)]
)
def test_estimate_errs_on_the_high_side(text: str, least: int) -> None:
    assert estimate_tokens(text) >= least
