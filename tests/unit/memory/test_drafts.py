"""What a caller gives is checked and put in order before anything is read or written."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograph.errors import InvalidInput
from retrograph.memory.drafts import Draft, aware, checked, metadata_json
from retrograph.models import EntityInput, Identity, RelationInput, Scope

_SHANGHAI = ZoneInfo("Asia/Shanghai")


def _checked(
    draft: Draft, *, identity: Identity | None = None, zone: ZoneInfo = _SHANGHAI, max_chars: int = 1000
) -> Draft:
    return checked(draft, identity=identity or Identity("b"), timezone=zone, max_chars=max_chars)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content", ""),
        ("content", " \n\t　"),
        ("content", "x" * 1001),
        ("content", "half \ud800 a character"),
        ("summary", "\udfff"),
        ("domain", "\ud800"),
        ("speaker", "\ud800"),
        ("session", "\ud800"),
        ("importance", 1.01),
        ("importance", -0.01),
        ("importance", float("nan")),
        ("confidence", 2),
        ("confidence", float("inf")),
        ("half_life_days", 0),
        ("half_life_days", -1),
        ("half_life_days", float("nan")),
        ("tags", ("",)),
        ("tags", tuple(f"t{n}" for n in range(65))),
        ("tags", ("x" * 501,)),
        ("tags", ("\ud800",)),
        ("domain", "x" * 501),
        ("entities", (EntityInput(" "),)),
        ("entities", (EntityInput("Ann", aliases=("",)),)),
        ("entities", tuple(EntityInput(f"e{n}") for n in range(201))),
        ("relations", (RelationInput("Ann", "", "Bob"),)),
        ("relations", (RelationInput("Ann", "knows", "\ud800"),)),
        ("metadata", {"x": object()}),
        ("metadata", {"x": float("nan")}),
        ("metadata", {"x": "\ud800"}),
        ("metadata", {"x": "y" * 100_001}),
    ],
)
def test_value_that_cannot_work_is_refused_by_the_name_of_its_field(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        _checked(replace(Draft("Ann moved to Oslo."), **{field: value}))
    assert refused.value.field == field
    assert refused.value.message


def test_metadata_nested_too_deep_is_refused() -> None:
    nested: dict[str, Any] = {}
    for _ in range(100_000):
        nested = {"x": nested}
    with pytest.raises(InvalidInput, match="metadata"):
        metadata_json(nested)


@pytest.mark.parametrize(("start", "end"), [("occurred_at", "occurred_until"), ("valid_from", "valid_until")])
def test_end_before_its_start_is_refused(start: str, end: str) -> None:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    with pytest.raises(InvalidInput) as refused:
        _checked(replace(Draft("x"), **{start: at, end: at - timedelta(seconds=1)}))
    assert refused.value.field == end


def test_naive_time_is_taken_in_the_zone_and_kept_in_utc() -> None:
    draft = _checked(Draft("x", occurred_at=datetime(2026, 3, 1, 10)))
    assert draft.occurred_at == datetime(2026, 3, 1, 2, tzinfo=UTC)
    assert draft.occurred_at is not None
    assert draft.occurred_at.tzinfo is UTC


def test_naive_and_aware_times_are_brought_into_one_order() -> None:
    naive = _checked(Draft("x", occurred_at=datetime(2026, 3, 1, 10)), zone=ZoneInfo("UTC")).occurred_at
    shanghai = datetime(2026, 3, 1, 10, tzinfo=timezone(timedelta(hours=8)))
    given_zone = _checked(Draft("x", occurred_at=shanghai), zone=ZoneInfo("UTC")).occurred_at
    assert naive is not None
    assert given_zone is not None
    assert naive - given_zone == timedelta(hours=8)


@pytest.mark.parametrize("edge", [datetime.min, datetime.max])
def test_time_at_the_edge_of_the_calendar_is_stored_or_refused_never_moved(edge: datetime) -> None:
    for hours in (-12, 12):
        zone = timezone(timedelta(hours=hours))
        try:
            stored = aware(edge.replace(tzinfo=zone), timezone=_SHANGHAI)
        except InvalidInput:
            continue
        assert stored == edge.replace(tzinfo=zone)


def test_names_are_trimmed_and_said_once() -> None:
    draft = _checked(Draft("x", tags=(" a ", "b", "a"), domain=" billing ", speaker=" Ann \n Lee "))
    assert draft.tags == ("a", "b")
    assert (draft.domain, draft.speaker) == ("billing", "Ann Lee")


def test_session_and_scope_come_from_the_identity_unless_given() -> None:
    ann = Identity("b", user="ann", session="s1")
    assert (_checked(Draft("x"), identity=ann).session, _checked(Draft("x"), identity=ann).scope) == (
        "s1",
        Scope.PRIVATE,
    )
    own = _checked(Draft("x", session="s2", scope=Scope.TEAM), identity=ann)
    assert (own.session, own.scope) == ("s2", Scope.TEAM)
    assert _checked(Draft("x")).scope is Scope.GLOBAL


def test_content_is_never_changed() -> None:
    content = "  Ann \x00 said：“好”\r\n\tand left.  "
    assert _checked(Draft(content)).content == content


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.dictionaries(st.text(st.characters(exclude_categories=("Cs",)), max_size=5), _JSON, max_size=4))
def test_metadata_round_trips_as_json(metadata: dict[str, Any]) -> None:
    import json

    text = metadata_json(metadata)
    assert text is not None
    assert json.loads(text) == metadata


@pytest.mark.parametrize(
    ("given", "utc"),
    [
        ("2026-03-01T10:00:00", datetime(2026, 3, 1, 2, tzinfo=UTC)),
        ("2026-03-01T10:00:00+01:00", datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("2026-03-01T10:00:00Z", datetime(2026, 3, 1, 10, tzinfo=UTC)),
    ],
)
def test_time_as_text_is_read(given: Any, utc: datetime) -> None:
    draft = checked(
        Draft("Ivo paid.", occurred_at=given), identity=Identity(), timezone=ZoneInfo("Asia/Shanghai"), max_chars=100
    )
    assert draft.occurred_at == utc


@pytest.mark.parametrize(
    ("field", "value"),
    [("occurred_at", "last week"), ("valid_from", 5), ("type", "poem"), ("source", "nobody"), ("content", 7)],
)
def test_value_of_a_wrong_kind_is_refused_by_its_name(field: str, value: Any) -> None:
    draft = Draft(**{"content": "Ivo paid.", field: value})
    with pytest.raises(InvalidInput, match=field):
        checked(draft, identity=Identity(), timezone=ZoneInfo("UTC"), max_chars=100)
