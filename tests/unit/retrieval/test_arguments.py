"""A recall's arguments: each is checked, none is silently ignored."""

from datetime import UTC, datetime
from typing import Any

import pytest

from retrograph.errors import InvalidInput
from retrograph.models import MemoryType, SearchFilter, Source, Status
from retrograph.retrieval import SearchOptions
from retrograph.retrieval.arguments import checked
from retrograph.retrieval.blend import PRESETS, preset
from retrograph.settings import Settings


def _checked(query: str = "tea", **more: Any) -> tuple[SearchFilter, SearchOptions]:
    return checked(query, None, None, more, settings=Settings.load())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", 0),
        ("limit", -1),
        ("limit", 10**9),
        ("hops", -1),
        ("hops", 4),
        ("decay", 0),
        ("decay", 1.5),
        ("decay", float("nan")),
        ("min_score", -0.1),
        ("min_score", 1.1),
        ("max_tokens", 0),
        ("half_life_days", 0),
        ("half_life_days", float("inf")),
    ],
)
def test_option_out_of_range_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(InvalidInput) as refused:
        _checked(**{name: value})
    assert refused.value.field == name


@pytest.mark.parametrize("name", ["limits", "where_tag", "greater_than", "bank", "user"])
def test_argument_that_does_not_exist_is_refused_with_those_that_do(name: str) -> None:
    with pytest.raises(InvalidInput, match=name) as refused:
        _checked(**{name: "x"})
    assert "limit" in refused.value.cure
    assert "tags" in refused.value.cure


@pytest.mark.parametrize(("name", "value"), [("types", ["opinion"]), ("source", "rumour"), ("statuses", ["deleted"])])
def test_word_outside_a_vocabulary_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput):
        _checked(**{name: value})


def test_words_of_a_vocabulary_may_be_plain_text() -> None:
    where, _ = _checked(types=["fact"], source="tool", statuses=["superseded"])
    assert (list(where.types or ()), where.source) == ([MemoryType.FACT], Source.TOOL)
    assert list(where.statuses) == [Status.SUPERSEDED]


@pytest.mark.parametrize("query", ["", "  \n", "\u3000"])
def test_empty_query_is_refused(query: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        _checked(query)
    assert refused.value.field == "query"


def test_query_without_end_is_refused() -> None:
    with pytest.raises(InvalidInput):
        _checked("x" * 10_000_000)


def test_single_arguments_override_the_objects() -> None:
    where, options = checked(
        "tea", SearchFilter(domain="a", tags=("x",)), SearchOptions(limit=3, hops=1), {"domain": "b", "limit": 7},
        settings=Settings.load(),
    )  # fmt: skip
    assert (where.domain, where.tags, options.limit, options.hops) == ("b", ("x",), 7, 1)


def test_absent_options_come_from_the_settings() -> None:
    settings = Settings.load(**{"recall.limit": 9, "recall.min_score": 0.25})
    _, options = checked("tea", None, None, {}, settings=settings)
    assert (options.limit, options.min_score) == (9, 0.25)
    _, options = checked("tea", None, None, {"min_score": 0.0}, settings=settings)
    assert options.min_score == 0.0, "0 is a value, not an absence"


def test_naive_times_become_aware() -> None:
    where, options = _checked(since=datetime(2026, 1, 1), until=datetime(2026, 2, 1), now=datetime(2026, 3, 1))
    assert where.since == datetime(2026, 1, 1, tzinfo=UTC)
    assert where.until == datetime(2026, 2, 1, tzinfo=UTC)
    assert options.now == datetime(2026, 3, 1, tzinfo=UTC)


def test_preset_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(InvalidInput) as refused:
        preset("best")
    assert all(name in refused.value.cure for name in PRESETS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("since", "yesterday"),
        ("until", "2026-01-01"),
        ("as_of", 1_700_000_000),
        ("now", "昨天"),
        ("limit", "five"),
        ("limit", 2.5),
        ("limit", True),
        ("min_score", "high"),
        ("tags", "red"),
        ("tags", [1]),
        ("tags", ["red", None]),
        ("session", 7),
        ("domain", ["billing"]),
        ("statuses", []),
        ("metadata", ["team"]),
        ("metadata", {"team": {1, 2}}),
    ],
)
def test_value_of_another_kind_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        _checked(**{name: value})
    assert refused.value.field == name


@pytest.mark.parametrize(
    "operator", ["$gt", ">=", "gte", "greater than", "less_than", "contains", "IN", "大于", "包含"]
)
def test_comparison_asked_of_metadata_is_refused(operator: str) -> None:
    with pytest.raises(InvalidInput, match="equality") as refused:
        _checked(metadata={"age": {operator: 3}})
    assert refused.value.field == "metadata"


@pytest.mark.parametrize("value", [{"city": "José", "zip": [1, 2]}, {"城市": "大理"}, {}, None, "greater than", ["in"]])
def test_metadata_may_hold_anything_that_json_can_say(value: Any) -> None:
    where, _ = _checked(metadata={"home": value})
    assert where.metadata == {"home": value}
