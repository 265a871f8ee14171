"""A clock that goes back a day between two calls: order, history, ages and decay hold."""

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import pytest

from retrograph.consolidation import Consolidator, check_bank
from retrograph.graph import Graph
from retrograph.memory import Memory
from retrograph.models import Hit, Outcome, Scope, Status, Turn

_DAY = timedelta(days=1)


class _Clock(type):
    """Makes a class that is `datetime` to all who look, so that the driver is given times of the real one."""

    def __call__(cls, *args: Any, **kwargs: Any) -> datetime:
        return datetime(*args, **kwargs)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, datetime)

    def __getattr__(cls, name: str) -> Any:
        return getattr(datetime, name)


class _Shifted(metaclass=_Clock):
    """A clock that is behind by `behind`."""

    behind = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        return datetime.now(tz) - cls.behind


@pytest.fixture
def set_back(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Sets back the clock that every module of Retrograph reads; the database keeps its own."""
    monkeypatch.setattr(_Shifted, "behind", timedelta())
    for name, module in list(sys.modules.items()):
        if name.startswith("retrograph.") and getattr(module, "datetime", None) is datetime:
            monkeypatch.setattr(module, "datetime", _Shifted)

    def by(behind: timedelta) -> None:
        monkeypatch.setattr(_Shifted, "behind", behind)

    return by


def _recency(hit: Hit) -> float:
    return next(term.value for term in hit.terms if term.name == "recency")


def test_clock_that_is_set_back_is_the_one_that_is_read(memory: Memory, set_back: Callable[[timedelta], None]) -> None:
    set_back(_DAY)
    kept = memory.write("Petra keeps bees.", force=True).id or ""
    created = memory.get(kept).memory.created_at
    assert created is not None
    assert timedelta(hours=23) < datetime.now(UTC) - created < timedelta(hours=25)


def test_what_was_written_before_the_clock_went_back_is_recalled_and_no_age_is_negative(
    memory: Memory, set_back: Callable[[timedelta], None]
) -> None:
    kept = memory.write("Petra keeps bees on the roof in 苏州.", force=True).id or ""
    memory.write("Ravi keeps goats.", force=True)
    set_back(_DAY)
    later = memory.write("Lena keeps ducks, 养了三只鸭子。", force=True).id or ""
    found = memory.search("who keeps bees?", limit=3, deep=True)
    assert found.hits[0].memory.id == kept
    assert {kept, later} <= {hit.memory.id for hit in found.hits}
    for hit in found.hits:
        assert 0 <= hit.relevance <= 1
        assert 0 <= _recency(hit) <= 1
    assert memory.explain("who keeps bees?", kept).found


def test_what_happens_in_a_year_is_no_newer_than_what_happens_now(memory: Memory) -> None:
    now = datetime.now(UTC)
    near = memory.write("Petra keeps bees on the roof.", force=True, occurred_at=now).id or ""
    far = memory.write("The beekeepers of 苏州 meet.", force=True, occurred_at=now + timedelta(days=365)).id or ""
    hits = {hit.memory.id: hit for hit in memory.search("who keeps bees on the roof?", limit=3).hits}
    assert near in hits
    for hit in hits.values():
        assert 0 <= _recency(hit) <= 1
    assert far not in hits or hits[near].score > hits[far].score


def test_new_version_written_after_the_clock_went_back_replaces_the_old_one(
    memory: Memory, graph: Graph, set_back: Callable[[timedelta], None]
) -> None:
    first = memory.write("The deploy of billing-api takes 7 minutes.", force=True).id or ""
    set_back(_DAY)
    second = memory.update(first, content="The deploy of billing-api takes 9 minutes.").id or ""
    set_back(2 * _DAY)
    third = memory.update(second, content="The deploy of billing-api takes 4 minutes.").id or ""
    statuses = [memory.get(memory_id).memory.status for memory_id in (first, second, third)]
    assert statuses == [Status.SUPERSEDED, Status.SUPERSEDED, Status.ACTIVE]
    versions = [version.memory for version in memory.history(third)]
    assert {version.id for version in versions} == {first, second, third}
    assert [version.version for version in sorted(versions, key=lambda version: version.version)] == [1, 2, 3]
    assert memory.search("how long does the deploy take?").hits[0].memory.id == third
    then = memory.search("how long does the deploy take?", as_of=datetime.now(UTC) + _DAY)
    assert then.hits[0].memory.id == third
    assert check_bank(graph, memory.identity.bank, encoder=lambda: memory.resources.encoder).faults == ()


def test_feedback_and_counts_after_the_clock_went_back_only_add(
    memory: Memory, set_back: Callable[[timedelta], None]
) -> None:
    kept = memory.write("Petra keeps bees.", force=True).id or ""
    (before,) = memory.feedback([kept], useful=True).memories
    set_back(_DAY)
    (after,) = memory.feedback([kept], useful=True).memories
    assert (after.access_count, after.feedback) == (2, 2)
    assert (after.half_life_days or 0) >= (before.half_life_days or 0)
    memory.update(kept, tags=["bees"])
    assert memory.forget([kept]).count == 1
    assert memory.restore([kept]).restored == (kept,)
    assert memory.get(kept).memory.tags == ("bees",)


def test_nothing_is_archived_because_the_clock_went_back_or_came_forward_again(
    memory: Memory, graph: Graph, set_back: Callable[[timedelta], None]
) -> None:
    kept = [memory.write(f"Boat {n} 号 is blue.", force=True, importance=0.1).id for n in range(2)]
    worker = Consolidator(graph, lambda: memory.resources.encoder, memory.settings)
    for behind in (40 * _DAY, timedelta()):
        set_back(behind)
        kept.append(memory.write(f"Boat {behind.days} 号 is red.", force=True, importance=0.1).id)
        report = worker.run(memory.identity.bank, jobs=("expire", "decay"))
        archived = {change.id for job in report.jobs for change in job.changes if change.kind == "archived"}
        # What was dated forty days ago, while the clock was wrong, is as old as it says by the clock of today.
        assert archived <= {kept[2]}
    assert memory.get(kept[0] or "").memory.status is Status.ACTIVE
    assert check_bank(graph, memory.identity.bank, encoder=lambda: memory.resources.encoder).faults == ()


def test_sessions_jobs_and_the_feed_go_on_after_the_clock_went_back(
    memory: Memory, set_back: Callable[[timedelta], None]
) -> None:
    here = memory.for_identity(replace(memory.identity, session="s", agent="ann"))
    reader = memory.for_identity(replace(memory.identity, agent="bob"))
    cursor = reader.changes().cursor
    here.write("The first boat left port.", force=True, scope=Scope.GLOBAL)
    queued = here.ingest_later([Turn("小周养了三只鸭子。", session="s", id="q")], scope=Scope.GLOBAL)
    set_back(_DAY)
    second = here.write("The second boat left port.", force=True, scope=Scope.GLOBAL)
    assert second.outcome is Outcome.STORED
    (done,) = memory.run_jobs(everybody=False) or here.run_jobs()
    assert (done.id, done.state, done.done) == (queued.id, "done", 1)
    assert here.session_context().turns_total == 3
    feed = reader.changes(cursor)
    assert len(feed.changes) == 3
    assert reader.changes(feed.cursor).changes == ()
