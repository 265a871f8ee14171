"""Keys, tokens and rows: what is stored comes back, and what differs stays apart."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograph.graph.records import (
    digest,
    filter_token,
    filter_tokens,
    metadata_tokens,
    record_of,
    relation_json,
    relation_of,
    session_key,
    until_ms,
)
from retrograph.models import Experience, Identity, MemoryType, RelationMention, Status

_AT = datetime(2026, 3, 1, 10, tzinfo=UTC)
_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


def _row(**more: Any) -> dict[str, Any]:
    return {
        "id": "m1",
        "bank": "b",
        "content": "Ann moved to Oslo.",
        "type": "fact",
        "layer": "semantic",
        "scope": "global",
        "status": "active",
        "importance": 0.5,
        "confidence": 0.9,
        "source": "user",
        "language": "en",
        "occurred_at": _AT,
        "created_at": _AT,
        "updated_at": _AT,
    } | more


def test_record_of_a_row_without_options_has_their_defaults() -> None:
    record = record_of(_row())
    assert (record.type, record.status) == (MemoryType.FACT, Status.ACTIVE)
    assert (record.tags, record.access_count, record.pinned, record.archived) == ((), 0, False, False)
    assert (record.metadata, record.experience, record.version) == (None, None, 1)


def test_record_of_a_row_keeps_nested_metadata_and_the_experience() -> None:
    metadata = {"nested": {"list": [1, None, {"x": "值"}]}, "empty": {}}
    experience = {"problem": "p", "root_cause": "r", "solution": "s", "verified": True, "outcome": "failure"}
    record = record_of(_row(metadata=json.dumps(metadata), experience=json.dumps(experience), archived_at=_AT))
    assert record.metadata == metadata
    assert record.experience == Experience("p", "r", "s", verified=True, outcome="failure")
    assert record.archived


@pytest.mark.parametrize(
    "value", ["default", "Team X", "a_b", "a-b", "多语言", "", "a b", "ＡＢＣ", "+*:\\", "é", "e\u0301"]
)
def test_filter_token_is_one_word_of_a_letter_and_digits(value: str) -> None:
    token = filter_token("b", value)
    assert token[0] == "b"
    assert token[1:].isdigit()
    assert token.isascii()


def test_filter_tokens_of_values_that_an_analyzer_would_fold_stay_apart() -> None:
    alike = ["team", "Team", "teams", "team ", "ｔｅａｍ", "té", "te\u0301", "team-1", "team_1"]
    assert len({filter_token("b", value) for value in alike}) == len(alike)
    assert filter_token("b", "x") != filter_token("g", "x")


def test_filter_tokens_hold_each_filter_once() -> None:
    words = filter_tokens(
        bank="b",
        audience="g",
        status="pending_review",
        type="task_state",
        source="user",
        domain="billing",
        session="s",
        tags=("x", "y"),
        metadata={"n": 2},
        claim_keys=["c1"],
    ).split()
    assert set(metadata_tokens({"n": 2})) <= set(words)
    assert filter_token("b", "b") in words
    assert {filter_token("g", "x"), filter_token("g", "y"), filter_token("d", "billing"), filter_token("x", "s")} <= {
        *words
    }
    assert {"spendingreview", "ttaskstate", "ouser", "c1"} <= {*words}
    assert len(words) == len(set(words))


def test_metadata_tokens_tell_values_and_kinds_apart_and_not_the_order_of_keys() -> None:
    values: list[dict[str, Any]] = [
        {"a": 1},
        {"a": "1"},
        {"a": True},
        {"a": None},
        {"b": 1},
        {"a": [1]},
        {"a": {"x": 1}},
    ]
    assert len({tuple(metadata_tokens(value)) for value in values}) == len(values)
    assert metadata_tokens({"a": 1, "b": {"x": 1, "y": 2}}) == metadata_tokens({"b": {"y": 2, "x": 1}, "a": 1})
    assert metadata_tokens(None) == []


def test_sessions_of_one_name_are_apart_for_two_users_and_one_for_the_same() -> None:
    ann, bob = Identity("b", user="ann"), Identity("b", user="bob")
    assert session_key(ann, "s") != session_key(bob, "s")
    assert session_key(ann, "s") == session_key(Identity("b", user="ann", agent="other"), "s")
    assert session_key(ann, "s") != session_key(ann, "t")


def test_digest_tells_where_one_part_ends() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("a", "b") == digest("a", "b")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(_TEXT, _TEXT, _TEXT, st.booleans(), st.booleans())
def test_relation_round_trips(subject: str, predicate: str, object_: str, negated: bool, literal: bool) -> None:
    relation = RelationMention(subject, predicate, object_, negated=negated, object_is_literal=literal)
    back = relation_of(relation_json(relation))
    assert (back.subject, back.predicate, back.object) == (subject, predicate, object_)
    assert (back.negated, back.object_is_literal) == (negated, literal)


def test_validity_without_an_end_lies_after_every_end() -> None:
    last = int(datetime.max.replace(tzinfo=UTC).timestamp() * 1000)
    assert until_ms(None) > last
    assert until_ms(5) == 5
    assert until_ms(None) < 2**63
