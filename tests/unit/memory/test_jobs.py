"""A turn that waits in a job is the turn that was handed over."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from retrograph.memory.drafts import Draft, checked
from retrograph.memory.ingesting import draft_of
from retrograph.memory.jobs import job_rows, queued_drafts
from retrograph.models import EntityInput, EntityType, Identity, MemoryType, RelationInput, Scope, Source, Turn

_NOW = datetime(2026, 3, 1, tzinfo=UTC)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(lambda t: bool(t.strip()))
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)
_TURNS = st.builds(
    Turn,
    content=_TEXT,
    speaker=st.none() | _TEXT,
    session=st.none() | _TEXT,
    occurred_at=st.none() | st.datetimes(timezones=st.just(UTC), min_value=datetime(1900, 1, 1)),
    type=st.none() | st.sampled_from(MemoryType),
    source=st.sampled_from(Source),
    id=st.none() | _TEXT,
    domain=st.none() | _TEXT,
    tags=st.lists(_TEXT, max_size=3).map(tuple),
    entities=st.lists(
        st.builds(
            EntityInput,
            name=_TEXT,
            type=st.sampled_from(EntityType),
            aliases=st.lists(_TEXT, max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    relations=st.lists(st.builds(RelationInput, _TEXT, _TEXT, _TEXT), max_size=2).map(tuple),
    metadata=st.none() | st.dictionaries(_TEXT, _JSON, max_size=3),
)


def _drafts(turns: list[Turn], scope: Scope | None) -> list[Draft]:
    identity = Identity("b", user="ann", session="s")
    found = [replace(draft_of(turn, identity=identity, scope=scope)) for turn in turns]
    return [
        checked(
            replace(d, occurred_at=d.occurred_at or _NOW), identity=identity, timezone=ZoneInfo("UTC"), max_chars=99
        )
        for d in found
    ]


@given(st.lists(_TURNS, min_size=1, max_size=7), st.none() | st.sampled_from(Scope), st.integers(1, 4))
def test_turns_come_out_of_the_queue_as_they_went_in(turns: list[Turn], scope: Scope | None, size: int) -> None:
    drafts = _drafts(turns, scope)
    job, chunks = job_rows(drafts, identity=Identity("b", user="ann"), force=True, batch_size=size, now=_NOW)
    assert [d for chunk in chunks for d in queued_drafts(chunk)] == drafts
    assert (job["total"], job["done"]) == (len(turns), 0)
    assert sum(chunk["size"] for chunk in chunks) == len(turns)
    assert [chunk["number"] for chunk in chunks] == sorted({chunk["number"] for chunk in chunks})


def test_job_is_seen_by_who_queued_it_whatever_the_scope_of_its_turns() -> None:
    job, _ = job_rows(
        _drafts([Turn("x")], Scope.GLOBAL), identity=Identity("b", user="ann"), force=True, batch_size=1, now=_NOW
    )
    assert job["audience"] == Identity("b", user="ann").audience(Scope.PRIVATE)
