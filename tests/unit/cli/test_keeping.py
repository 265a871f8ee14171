"""Commands that look after what is stored: what each asks of the memory, what it prints, how it exits."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from retrograph.cli.app import run
from retrograph.cli.calling import Parts
from retrograph.errors import Conflict, NotFound
from retrograph.models import (
    EntityDetail,
    EntityRelation,
    EntityType,
    EntityView,
    JobState,
    JobView,
    MemoryVersion,
    MergeResult,
    Outcome,
    PendingList,
    PendingMemory,
    RestoreReport,
    ReviewResult,
    SameAsList,
    SameAsView,
    Scope,
    Status,
    VersionChange,
    WriteResult,
)

from .conftest import AT, ID, RECORD

OLD = replace(RECORD, id="old", content="Ada 住在 Porto.", status=Status.SUPERSEDED, version=1)
NEW = replace(RECORD, version=2)
ADA, A = EntityView("ada", "Ada\x1b[31m", EntityType.PERSON), EntityView("a", "阿达", EntityType.PERSON)
JOB = JobView("j1", "default", JobState.RUNNING, 10, 4, 3, 1, 0, 0, 0, 0, AT, AT)


class Keeper:
    """Notes what it is called with; answers with what a memory might."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[object, ...], dict[str, object]]] = []
        self.error: Exception | None = None

    def _note(self, name: str, *given: object, **more: object) -> None:
        self.calls.append((name, given, more))
        if self.error:
            raise self.error

    def history(self, memory_id: str) -> tuple[MemoryVersion, ...]:
        self._note("history", memory_id)
        return MemoryVersion(OLD, AT, ID, "another value"), MemoryVersion(NEW)

    def update(self, memory_id: str, **given: object) -> WriteResult:
        self._note("update", memory_id, **given)
        return WriteResult(Outcome.STORED, "new", "changed", superseded=(memory_id,))

    def undo_supersede(self, newer: str, older: str) -> VersionChange:
        self._note("undo_supersede", newer, older)
        return VersionChange(newer, older, True, Status.ACTIVE, Status.ACTIVE)

    def restore(self, ids: list[str]) -> RestoreReport:
        self._note("restore", *ids)
        return RestoreReport(("a",), ("b",), {"c": "d"})

    def pending(self, *, limit: int) -> PendingList:
        self._note("pending", limit=limit)
        return PendingList((PendingMemory(RECORD, ("injection: 忽略",), (OLD,)),), 7)

    def review(self, memory_id: str, *, approve: bool) -> ReviewResult:
        self._note("review", memory_id, approve=approve)
        return ReviewResult(memory_id, approve, True, ("old",))

    def entity(self, name: str, *, limit: int) -> EntityDetail:
        self._note("entity", name, limit=limit)
        relations = (EntityRelation("Ada", "lives_in", "Lisbon", True, 2),)
        return EntityDetail(ADA, (ADA, A), (RECORD,), 500, relations, 40, (SameAsView(ADA, A, 0.5, "part"),), 1)

    def entity_candidates(self, *, limit: int) -> SameAsList:
        self._note("entity_candidates", limit=limit)
        return SameAsList((SameAsView(ADA, A, 0.9, "same letters"),), 3)

    def merge_entities(self, alias: str, canonical: str, **given: object) -> MergeResult:
        self._note("merge_entities", alias, canonical, **given)
        return MergeResult(A, ADA, merged=True, changed=True)

    def unmerge_entities(self, alias: str, canonical: str) -> MergeResult:
        self._note("unmerge_entities", alias, canonical)
        return MergeResult(A, ADA, merged=False, changed=False)

    def jobs(self, *, limit: int) -> tuple[JobView, ...]:
        self._note("jobs", limit=limit)
        return (JOB,)

    def job(self, job_id: str) -> JobView:
        self._note("job", job_id)
        return JOB

    def cancel_job(self, job_id: str) -> JobView:
        self._note("cancel_job", job_id)
        return replace(JOB, state=JobState.CANCELLED)

    def retry_job(self, job_id: str) -> JobView:
        self._note("retry_job", job_id)
        return replace(JOB, state=JobState.QUEUED)

    def run_jobs(self, *, progress: object) -> tuple[JobView, ...]:
        assert callable(progress)
        progress(JOB)
        self._note("run_jobs")
        return (replace(JOB, state=JobState.FAILED, error="no encoder"),)

    def ingest_later(self, turns: object, **given: object) -> JobView:
        assert hasattr(turns, "__iter__")
        self._note("ingest_later", *turns, **given)
        return JOB

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def keeper() -> Keeper:
    return Keeper()


@pytest.fixture
def call(keeper, capsys, shell):
    """Runs a command; returns its exit code and what it printed. `shell` empties the environment."""

    def runs(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments, parts=Parts(open_memory=lambda _: keeper))  # pyright: ignore[reportArgumentType]
        return code, *capsys.readouterr()

    return runs


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (("history", ID), ("history", (ID,), {})),
        (("undo", "n", "o"), ("undo_supersede", ("n", "o"), {})),
        (("restore", "a", "b", "c"), ("restore", ("a", "b", "c"), {})),
        (("review",), ("pending", (), {"limit": 50})),
        (("review", ID, "--approve"), ("review", (ID,), {"approve": True})),
        (("review", ID, "--reject"), ("review", (ID,), {"approve": False})),
        (("entity", "李建国", "--limit", "3"), ("entity", ("李建国",), {"limit": 3})),
        (("candidates",), ("entity_candidates", (), {"limit": 50})),
        (
            ("merge", "阿达", "Ada", "--reason", "昵称", "--scope", "team"),
            ("merge_entities", ("阿达", "Ada"), {"reason": "昵称", "scope": Scope.TEAM}),
        ),
        (("merge", "阿达", "Ada", "--undo"), ("unmerge_entities", ("阿达", "Ada"), {})),
        (("jobs",), ("jobs", (), {"limit": 20})),
        (("jobs", "j1"), ("job", ("j1",), {})),
        (("jobs", "j1", "--cancel"), ("cancel_job", ("j1",), {})),
        (("jobs", "j1", "--retry"), ("retry_job", ("j1",), {})),
        (("jobs", "--run"), ("run_jobs", (), {})),
    ],
)
@pytest.mark.parametrize("as_json", [True, False])
def test_command_asks_for_what_was_said(keeper, call, arguments, asked, as_json) -> None:
    code, out, _ = call(*arguments, *(["--json"] if as_json else []))
    assert code == 0
    assert keeper.calls == [asked]
    assert "\x1b" not in out and out.endswith("\n")
    if as_json:
        json.loads(out)


def test_update_hands_over_every_option(keeper, call) -> None:
    code, out, _ = call(
        *("update", ID, "Ada 搬到了 Porto", "--occurred-at", "2026-03-01", "--summary", "s", "--domain", "d"),
        *("--tag", "a", "--tag", "b", "--importance", "0.4", "--confidence", "0.7", "--unpin"),
        *("--expires-at", "2027-01-01", "--half-life-days", "3", "--metadata", '{"k": 1}', "--clear", "tags", "--json"),
    )
    assert code == 0
    assert json.loads(out)["superseded"] == [ID]
    assert keeper.calls == [
        (
            "update",
            (ID,),
            {
                "content": "Ada 搬到了 Porto",
                "occurred_at": datetime(2026, 3, 1, tzinfo=UTC),
                "summary": "s",
                "domain": "d",
                "tags": ["a", "b"],
                "importance": 0.4,
                "confidence": 0.7,
                "pinned": False,
                "expires_at": datetime(2027, 1, 1, tzinfo=UTC),
                "half_life_days": 3.0,
                "metadata": {"k": 1},
                "clear": ["tags"],
            },
        )
    ]


def test_update_gives_none_for_what_was_not_said(keeper, call) -> None:
    assert call("update", ID, "--tag", "x")[0] == 0
    given = keeper.calls[0][2]
    assert {name for name, value in given.items() if value not in (None, ())} == {"tags"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("review", ID),
        ("review", "--approve"),
        ("review", ID, "--approve", "--reject"),
        ("jobs", "--cancel"),
        ("jobs", "j1", "--run"),
        ("jobs", "j1", "--cancel", "--retry"),
        ("entity", "x", "--limit", "0"),
        ("restore",),
        ("update", ID, "x", "--occurred-at", "someday"),
    ],
)
def test_contradictory_options_are_wrong_usage_and_ask_nothing(keeper, call, arguments) -> None:
    code, out, err = call(*arguments)
    assert (code, out, keeper.calls) == (2, "", [])
    assert err


@pytest.mark.parametrize("error", [NotFound("no such memory", cure="Search."), Conflict("merged", cure="Unmerge.")])
@pytest.mark.parametrize(
    "arguments", [("history", "x"), ("entity", "x"), ("merge", "a", "b"), ("review", "x", "--approve")]
)
def test_error_exits_1_with_the_cure(keeper, call, arguments, error) -> None:
    keeper.error = error
    code, out, err = call(*arguments)
    assert (code, out) == (1, "")
    assert error.cure in err


def test_texts_show_what_matters(call) -> None:
    _, out, _ = call("history", ID)
    assert "Ada 住在 Porto." in out and "another value" in out and out.index("Porto") < out.index("Lisbon")
    _, out, _ = call("review")
    assert "injection: 忽略" in out and "Porto" in out and "7 wait for review" in out
    _, out, _ = call("entity", "Ada")
    assert "阿达" in out and "not lives_in" in out and "and 499 more memories" in out and "and 39 more relations" in out
    _, out, _ = call("restore", "c")
    assert "d says the same" in out
    _, out, _ = call("jobs", "--run")
    assert "failed" in out and "no encoder" in out and "4 of 10" in out


def test_ingest_later_queues_the_file_and_answers_at_once(keeper, call, tmp_path) -> None:
    file = tmp_path / "turns.jsonl"
    file.write_text('{"content": "Ada 住在 Lisbon", "speaker": "Ben"}\n{"content": "second"}\n', encoding="utf-8")
    code, out, _ = call("ingest", str(file), "--later", "--tag", "t", "--scope", "global", "--gate", "--json")
    assert code == 0
    ((name, turns, given),) = keeper.calls
    assert name == "ingest_later"
    assert [(t.content, t.tags) for t in turns] == [("Ada 住在 Lisbon", ("t",)), ("second", ("t",))]
    assert given == {"scope": Scope.GLOBAL, "force": False, "batch_size": 64}
    assert json.loads(out)["id"] == "j1"
    code, out, _ = call("ingest", str(file), "--later")
    assert code == 0 and "4 of 10 turns" in out
