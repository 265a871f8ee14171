"""Tools that look after what is stored, and the worker that does jobs in the background."""

import threading
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from fastmcp import Client

from retrograph.errors import Conflict, EngineUnavailable, RetrographError
from retrograph.models import (
    EntityDetail,
    EntityRelation,
    EntityType,
    EntityView,
    Identity,
    JobState,
    JobView,
    Language,
    MemoryRecord,
    MemoryType,
    MemoryVersion,
    MergeResult,
    Outcome,
    PendingList,
    PendingMemory,
    ReviewResult,
    SameAsView,
    Scope,
    Source,
    Status,
    WriteResult,
)
from retrograph.server import build_server
from retrograph.server.jobs import working_on_jobs
from retrograph.settings import ServerSettings

AT = datetime(2026, 3, 5, 12, tzinfo=UTC)
RECORD = MemoryRecord(
    id="m2",
    bank="default",
    content="李娜住在上海。",
    type=MemoryType.FACT,
    layer=MemoryType.FACT.layer,
    scope=Scope.GLOBAL,
    status=Status.ACTIVE,
    importance=0.5,
    confidence=0.9,
    source=Source.USER,
    language=Language.CHINESE,
    occurred_at=AT,
    created_at=AT,
    updated_at=AT,
    version=2,
)
OLD = replace(RECORD, id="m1", content="李娜住在北京。", status=Status.SUPERSEDED, version=1)
LI, NA = EntityView("李娜", "李娜", EntityType.PERSON), EntityView("lina", "Lina", EntityType.PERSON)
JOB = JobView("j1", "default", JobState.RUNNING, 10, 4, 3, 1, 0, 0, 0, 0, AT, AT)


class Keeper:
    """Notes what it is called with; answers with what a memory might."""

    def __init__(self) -> None:
        server = ServerSettings(profile="full")
        self.settings = SimpleNamespace(timezone="Asia/Shanghai", server=server)
        self.identity = Identity()
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def for_identity(self, identity: Identity) -> "Keeper":
        self.identity = identity
        return self

    def _note(self, name: str, *given: Any, **more: Any) -> None:
        self.calls.append((name, given, more))

    def update(self, memory_id: str, **given: Any) -> WriteResult:
        self._note("update", memory_id, **given)
        return WriteResult(Outcome.STORED, "m3", "changed", superseded=(memory_id,))

    def history(self, memory_id: str) -> tuple[MemoryVersion, ...]:
        self._note("history", memory_id)
        return MemoryVersion(OLD, AT, "m2", "another value"), MemoryVersion(RECORD)

    def pending(self, *, limit: int) -> PendingList:
        self._note("pending", limit=limit)
        return PendingList((PendingMemory(RECORD, ("injection: x",), (OLD,)),), 7)

    def review(self, memory_id: str, *, approve: bool) -> ReviewResult:
        self._note("review", memory_id, approve=approve)
        return ReviewResult(memory_id, approve, True, ("m1",))

    def entity(self, name: str, *, limit: int) -> EntityDetail:
        self._note("entity", name, limit=limit)
        relations = (EntityRelation("李娜", "lives_in", "上海", False, 2),)
        return EntityDetail(LI, (LI, NA), (RECORD,), 500, relations, 1, (SameAsView(LI, NA, 0.5, "part"),), 1)

    def merge_entities(self, alias: str, canonical: str, **given: Any) -> MergeResult:
        self._note("merge_entities", alias, canonical, **given)
        return MergeResult(NA, LI, merged=True, changed=True)

    def unmerge_entities(self, alias: str, canonical: str) -> MergeResult:
        self._note("unmerge_entities", alias, canonical)
        raise Conflict("not merged", cure="Merge first.")

    def job(self, job_id: str) -> JobView:
        self._note("job", job_id)
        return JOB

    def ingest_later(self, turns: Any, **given: Any) -> JobView:
        self._note("ingest_later", *(turn.content for turn in turns), **given)
        return JOB


@pytest.fixture
def keeper() -> Keeper:
    return Keeper()


@pytest.fixture
def call(keeper):
    """Calls a tool; returns its result."""
    memory: Any = keeper
    server = build_server(memory, warm=False)

    def calls(tool: str, /, **arguments: Any) -> Any:
        async def once() -> Any:
            async with Client(server) as client:
                return await client.call_tool(tool, arguments, raise_on_error=False)

        return anyio.run(once)

    return calls


@pytest.mark.parametrize(
    ("tool", "arguments", "asked"),
    [
        ("memory_history", {"memory_id": "m2"}, ("history", ("m2",), {})),
        ("memory_review", {}, ("pending", (), {"limit": 20})),
        ("memory_review", {"memory_id": "m2", "approve": False}, ("review", ("m2",), {"approve": False})),
        ("memory_review", {"memory_id": "m2", "approve": True}, ("review", ("m2",), {"approve": True})),
        ("entity_explore", {"name": "李娜", "limit": 3}, ("entity", ("李娜",), {"limit": 3})),
        (
            "entity_merge",
            {"alias": "Lina", "canonical": "李娜", "reason": "同一人", "scope": "team"},
            ("merge_entities", ("Lina", "李娜"), {"reason": "同一人", "scope": Scope.TEAM}),
        ),
        ("memory_job", {"job_id": "j1"}, ("job", ("j1",), {})),
        (
            "memory_ingest",
            {"turns": [{"content": "一"}, {"content": "two"}], "wait": False, "gate": True, "scope": "global"},
            ("ingest_later", ("一", "two"), {"scope": Scope.GLOBAL, "force": False}),
        ),
    ],
)
def test_tool_asks_the_facade_for_what_was_said(keeper, call, tool, arguments, asked):
    assert not call(tool, **arguments).is_error
    assert keeper.calls == [asked]


def test_update_hands_over_every_argument_and_times_in_the_zone(keeper, call):
    given = {
        "content": "李娜住在深圳。",
        "occurred_at": "2026-03-01T08:00",
        "summary": "s",
        "domain": "d",
        "tags": ["a"],
        "importance": 0.4,
        "confidence": 0.7,
        "pinned": False,
        "expires_at": "2027-01-01T00:00Z",
        "metadata": {"k": [1]},
        "clear": ["half_life_days"],
    }
    answer = call("memory_update", memory_id="m2", **given).structured_content
    assert (answer["outcome"], answer["superseded"]) == ("stored", ["m2"])
    ((name, positional, handed),) = keeper.calls
    assert (name, positional) == ("update", ("m2",))
    assert handed == given | {
        "occurred_at": datetime(2026, 3, 1, tzinfo=UTC),
        "expires_at": datetime(2027, 1, 1, tzinfo=UTC),
        "clear": ("half_life_days",),
    }


def test_answers_say_what_matters_in_the_readers_zone(call):
    old, new = call("memory_history", memory_id="m2").structured_content["versions"]
    assert (old["superseded_at"], old["superseded_by"]) == ("2026-03-05T20:00:00+08:00", "m2")
    assert (old["status"], old["reason"], new["version"]) == ("superseded", "another value", 2)
    assert "superseded_by" not in new
    waiting = call("memory_review").structured_content
    assert "never instructions" in waiting["notice"] and waiting["total"] == 7
    assert waiting["waiting"][0]["flags"] == ["injection: x"]
    assert waiting["waiting"][0]["contradicts"][0]["id"] == "m1"
    decided = call("memory_review", memory_id="m2", approve=False).structured_content
    assert decided == {"id": "m2", "approved": False, "changed": True, "superseded": ["m1"]}
    seen = call("entity_explore", name="李娜").structured_content
    assert (seen["name"], seen["aliases"], seen["memories_total"]) == ("李娜", ["Lina"], 500)
    assert seen["candidates"] == [{"name": "Lina", "type": "person", "confidence": 0.5, "evidence": "part"}]
    assert seen["relations"][0]["object"] == "上海"
    assert call("memory_job", job_id="j1").structured_content["state"] == "running"
    queued = call("memory_ingest", turns=[{"content": "x"}], wait=False).structured_content
    assert (queued["job"], queued["total"], queued["stored"]) == ("j1", 10, 0)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("memory_review", {"memory_id": "m2"}, "go together"),
        ("memory_review", {"approve": True}, "go together"),
        ("entity_merge", {"alias": "a", "canonical": "b", "undo": True}, "Merge first."),
        ("entity_explore", {"name": ""}, "name"),
        ("entity_explore", {"name": "x", "limit": 1000}, "limit"),
    ],
)
def test_what_cannot_work_is_an_error_with_its_cure(call, tool, arguments, said):
    result = call(tool, **arguments)
    assert result.is_error
    assert said in result.content[0].text


class Worker:
    """A memory whose jobs a test plans."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.ran: list[dict[str, Any]] = []
        self.trouble: list[Exception] = []
        self.shards: dict[str, RetrographError] = {}
        self.batches = 0

    def run_jobs(self, **given: Any) -> tuple[JobView, ...]:
        self.ran.append(given)
        self.asked.set()
        if self.trouble:
            raise self.trouble.pop(0)
        for place, error in self.shards.items():
            given["trouble"](place, error)
        for _ in range(self.batches):
            given["progress"](JOB)
            anyio.run(anyio.sleep, 0.01)
        return (JOB,)


def test_worker_does_the_jobs_of_everybody_and_survives_trouble(caplog):
    worker: Any = Worker()
    worker.trouble = [EngineUnavailable("down"), EngineUnavailable("down")]
    with working_on_jobs(worker, poll_s=0.01):
        for _ in range(4):
            worker.asked.clear()
            assert worker.asked.wait(10)
    assert all(given["everybody"] is True for given in worker.ran)
    assert caplog.text.count("jobs wait: down") == 1
    assert not [t for t in threading.enumerate() if t.name == "jobs"]


def test_worker_tells_the_trouble_of_each_shard_once_and_again_when_it_comes_back(caplog):
    worker: Any = Worker()
    for shards in ({"east-*": "down", "cold-*": "full"}, {"east-*": "down"}, {"east-*": "down", "cold-*": "full"}):
        worker.shards = {place: EngineUnavailable(said) for place, said in shards.items()}
        with working_on_jobs(worker, poll_s=0.01):
            for _ in range(3):
                worker.asked.clear()
                assert worker.asked.wait(10)
        assert caplog.text.count("jobs wait in shard east-*: down") == 1
        assert caplog.text.count("jobs wait in shard cold-*: full") == len(shards) - 1
        caplog.clear()


def test_worker_told_to_stop_ends_between_two_batches():
    worker: Any = Worker()
    worker.batches = 100_000
    with working_on_jobs(worker, poll_s=0.01):
        assert worker.asked.wait(10)
    assert not [t for t in threading.enumerate() if t.name == "jobs"]
