"""Jobs: promised at once, done by any process, gone on with after a kill, nothing stored twice."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from retrograph.errors import Conflict, EncoderMismatch, EngineUnavailable, InvalidInput, NotFound, Refused
from retrograph.graph import Connection, hold_lease
from retrograph.memory import Memory
from retrograph.memory.writing import Writer
from retrograph.models import (
    EntityInput,
    EntityType,
    JobState,
    MemoryType,
    RelationInput,
    Scope,
    Source,
    Turn,
)
from retrograph.settings import Settings

from .conftest import ask, dump

_AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
_WORDS = "amber birch cedar delta ember fjord grove heath inlet jetty knoll larch".split()


@pytest.fixture
def other(memory: Memory) -> Callable[..., Memory]:
    """The same bank, or another, seen by somebody else."""
    return lambda **who: memory.for_identity(replace(memory.identity, **who))


def _turns(count: int) -> list[Turn]:
    texts = [
        f"Crate {n} holds {_WORDS[n % 12]} wood." if n % 2 else f"{n}号箱子里是{_WORDS[n % 12]}木料。"
        for n in range(count)
    ]
    return [
        Turn(t, speaker="Ann", session="s", occurred_at=_AT + timedelta(minutes=n), id=f"t{n}")
        for n, t in enumerate(texts)
    ]


def _dump(memory: Memory) -> tuple[list[str], list[str]]:
    nodes, edges = dump(memory._resources.graph, memory.identity.bank)  # pyright: ignore[reportPrivateUsage]
    return [node for node in nodes if not node.startswith(("Job(", "JobChunk("))], edges


def _chunks(memory: Memory) -> int:
    graph = memory._resources.graph  # pyright: ignore[reportPrivateUsage]
    return ask(graph, "MATCH (c:JobChunk) WHERE c.bank = $bank RETURN count(*) AS n", bank=memory.identity.bank)[0]["n"]


def test_job_does_what_an_ingest_does(memory: Memory, other: Callable[..., Memory]) -> None:
    turns = [
        *_turns(10),
        Turn(
            "Rui 把 Atlas 交给了 Mia。",
            type=MemoryType.DECISION,
            source=Source.TOOL,
            domain="计费",
            tags=("a", "b c"),
            occurred_at=datetime(2026, 3, 1, 18, tzinfo=timezone(timedelta(hours=8))),
            entities=(EntityInput("Atlas", EntityType.PRODUCT, aliases=("阿特拉斯",)),),
            relations=(RelationInput("Rui", "由...组成", "Mia"),),
            metadata={"nested": {"list": [1, None, "二"]}},
        ),
    ]
    direct = other(bank=f"{memory.identity.bank}-direct")
    direct.ingest(turns, batch_size=4)
    queued = memory.ingest_later(iter(turns), batch_size=4)
    assert (queued.state, queued.total, queued.done, queued.bank) == (JobState.QUEUED, 11, 0, memory.identity.bank)
    assert memory.stats().memories == 0
    seen: list[int] = []
    ended = memory.run_jobs(progress=lambda job: seen.append(job.done))
    assert [(job.id, job.state, job.done, job.stored) for job in ended] == [(queued.id, JobState.DONE, 11, 11)]
    assert seen == [4, 8, 11]
    assert memory.job(queued.id) == ended[0]
    assert ended[0].finished_at is not None
    assert _chunks(memory) == 0
    assert _dump(memory) == _dump(direct)


def test_second_job_of_the_same_turns_changes_nothing(memory: Memory) -> None:
    turns = _turns(9)
    memory.ingest_later(turns, batch_size=4)
    memory.run_jobs()
    before = _dump(memory)
    memory.ingest_later(turns, batch_size=2)
    (again,) = memory.run_jobs()
    assert (again.unchanged, again.stored, again.state) == (9, 0, JobState.DONE)
    assert _dump(memory) == before
    assert memory.run_jobs() == ()
    assert memory.ingest(turns).unchanged == 9
    assert [job.state for job in memory.jobs()] == [JobState.DONE, JobState.DONE]
    assert memory.jobs()[0].id == again.id


def test_turn_without_a_time_happened_when_it_was_queued(memory: Memory) -> None:
    queued = memory.ingest_later([Turn("Tomas owns the invoice service.")])
    memory.run_jobs()
    (hit,) = memory.search("invoice service").hits
    assert hit.memory.occurred_at == queued.created_at


def test_job_goes_on_where_a_broken_one_stopped(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = _turns(10)
    queued = memory.ingest_later(turns, batch_size=3)
    real, calls = Writer.write, []

    def breaks(self: Writer, *args: object, **more: object) -> object:
        calls.append(1)
        # The third batch is written and its answer lost.
        written = real(self, *args, **more)  # pyright: ignore[reportArgumentType]
        if len(calls) == 3:
            raise EngineUnavailable("gone")
        return written

    monkeypatch.setattr(Writer, "write", breaks)
    with pytest.raises(EngineUnavailable):
        memory.run_jobs()
    assert (memory.job(queued.id).state, memory.job(queued.id).done) == (JobState.RUNNING, 6)
    assert memory.stats().memories == 9
    monkeypatch.undo()
    (ended,) = memory.run_jobs()
    assert (ended.state, ended.done, ended.stored, ended.unchanged) == (JobState.DONE, 10, 7, 3)
    assert memory.stats().memories == 10


_RUN = """\
import sys
from retrograph.memory import Memory
from retrograph.settings import Settings
uri, password, bank = sys.stdin.readline().split()
with Memory(Settings.load(uri=uri, username="neo4j", password=password, bank=bank)) as memory:
    memory.run_jobs(progress=lambda job: print(job.done, flush=True))
"""


def test_job_of_a_killed_process_is_finished_by_another(memory: Memory, database: Connection) -> None:
    turns = _turns(40)
    queued = memory.ingest_later(turns, batch_size=2)
    process = subprocess.Popen([sys.executable, "-c", _RUN], stdin=-1, stdout=-1, text=True)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{database.uri} {database.password} {memory.identity.bank}\n")
    process.stdin.flush()
    for line in process.stdout:
        if int(line) >= 4:
            process.kill()
            break
    process.communicate()
    left = memory.job(queued.id)
    assert left.state is JobState.RUNNING and 4 <= left.done < 40
    # Its lease lives on for a minute: nobody takes the job from a process that may only be slow.
    assert memory.run_jobs() == ()
    graph = memory._resources.graph  # pyright: ignore[reportPrivateUsage]
    ask(graph, "MATCH (l:Lease {name: $name}) DELETE l", write=True, name=f"job:{queued.id}")
    (ended,) = memory.run_jobs()
    assert (ended.state, ended.done, ended.stored + ended.unchanged) == (JobState.DONE, 40, 40)
    assert memory.stats().memories == 40
    assert _chunks(memory) == 0
    assert memory.ingest(turns).unchanged == 40


def test_job_at_work_is_left_to_its_worker_and_others_are_done(memory: Memory) -> None:
    first, second = memory.ingest_later(_turns(2)), memory.ingest_later(_turns(4)[2:])
    graph = memory._resources.graph  # pyright: ignore[reportPrivateUsage]
    with hold_lease(graph, f"job:{first.id}", seconds=60):
        assert [job.id for job in memory.run_jobs()] == [second.id]
    assert memory.job(first.id).state is JobState.QUEUED
    assert [job.id for job in memory.run_jobs()] == [first.id]


def test_workers_side_by_side_do_every_job_once(memory: Memory) -> None:
    turns = _turns(24)
    queued = {memory.ingest_later(turns[start : start + 4], batch_size=2).id for start in range(0, 24, 4)}
    with ThreadPoolExecutor(3) as pool:
        ended = [job for jobs in pool.map(lambda _: memory.run_jobs(), range(3)) for job in jobs]
    finished = [job for job in ended if job.state is JobState.DONE]
    assert {job.id for job in finished} == queued
    assert memory.stats().memories == 24
    assert sum(memory.job(i).stored for i in queued) == 24


def test_full_queue_refuses_with_the_cure_and_queues_nothing(settings: Settings, memory: Memory) -> None:
    small = Memory(
        settings.model_copy(update={"ingest": settings.ingest.model_copy(update={"queue_turns": 10})}),
        shared=memory._resources,  # pyright: ignore[reportPrivateUsage]
        identity=memory.identity,
    )
    small.ingest_later(_turns(6))
    with pytest.raises(Refused, match="QUEUE_TURNS") as refused:
        small.ingest_later(_turns(5))
    assert "6 turns wait" in refused.value.message
    with pytest.raises(Refused, match="more than 10"):
        small.ingest_later(_turns(1) * 1000)
    assert len(small.jobs()) == 1
    # Another bank has a queue of its own.
    elsewhere = small.for_identity(replace(small.identity, bank=f"{small.identity.bank}-b"))
    assert elsewhere.ingest_later(_turns(5)).state is JobState.QUEUED
    small.run_jobs()
    assert small.ingest_later(_turns(10)).state is JobState.QUEUED


def test_queue_holds_what_many_callers_add_at_once(settings: Settings, memory: Memory) -> None:
    small = Memory(
        settings.model_copy(update={"ingest": settings.ingest.model_copy(update={"queue_turns": 10})}),
        shared=memory._resources,  # pyright: ignore[reportPrivateUsage]
        identity=memory.identity,
    )

    def add(_: int) -> bool:
        try:
            return bool(small.ingest_later(_turns(4)))
        except Refused:
            return False

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(add, range(4))) == [False, False, True, True]


def test_jobs_of_somebody_else_are_not_there_and_run_as_who_queued_them(
    memory: Memory, other: Callable[..., Memory]
) -> None:
    ann, bob = other(user="ann"), other(user="bob")
    queued = ann.ingest_later(_turns(2))
    for stranger in (bob, memory, other(bank=f"{memory.identity.bank}-b", user="ann")):
        assert stranger.jobs() == () and stranger.run_jobs() == ()
        for call in (stranger.job, stranger.cancel_job, stranger.retry_job):
            with pytest.raises(NotFound):
                call(queued.id)
    assert ann.job(queued.id).state is JobState.QUEUED
    ended = memory.run_jobs(everybody=True)
    assert queued.id in {job.id for job in ended}
    assert (ann.stats().memories, bob.stats().memories, memory.stats().memories) == (2, 0, 0)
    shared = ann.ingest_later(_turns(4)[2:], scope=Scope.GLOBAL)
    assert bob.jobs() == ()
    ann.run_jobs()
    assert ann.job(shared.id).state is JobState.DONE
    assert bob.stats().memories == 2


def test_cancelled_job_stops_and_gives_up_its_turns(memory: Memory) -> None:
    queued = memory.ingest_later(_turns(8), batch_size=2)

    def stop(job: object) -> None:
        memory.cancel_job(queued.id)

    (ended,) = memory.run_jobs(progress=stop)
    assert (ended.state, ended.done) == (JobState.CANCELLED, 2)
    assert memory.cancel_job(queued.id).state is JobState.CANCELLED
    assert _chunks(memory) == 0
    assert memory.stats().memories == 2
    with pytest.raises(Conflict, match="cancelled"):
        memory.retry_job(queued.id)
    assert memory.run_jobs() == ()


def test_job_that_cannot_work_says_why_and_can_be_tried_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    queued = memory.ingest_later(_turns(4), batch_size=2)

    def refuses(*_: object, **__: object) -> object:
        raise Conflict("the encoder is another", cure="Set it back.")

    monkeypatch.setattr(Writer, "write", refuses)
    (failed,) = memory.run_jobs()
    assert (failed.state, failed.done) == (JobState.FAILED, 0)
    assert failed.error and "another" in failed.error and "Set it back" in failed.error
    assert memory.run_jobs() == ()
    monkeypatch.undo()
    again = memory.retry_job(queued.id)
    assert (again.state, again.error, again.finished_at) == (JobState.QUEUED, None, None)
    assert memory.run_jobs()[0].done == 4
    assert memory.retry_job(queued.id).state is JobState.DONE


def test_job_waits_for_a_process_with_the_encoder_of_its_bank(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    queued = memory.ingest_later(_turns(4), batch_size=2)

    def mismatches(*_: object, **__: object) -> object:
        raise EncoderMismatch("written with another encoder", cure="Set it back.")

    monkeypatch.setattr(Writer, "write", mismatches)
    (left,) = memory.run_jobs()
    assert (left.id, left.state, left.done) == (queued.id, JobState.QUEUED, 0)
    assert left.error and "another encoder" in left.error
    monkeypatch.undo()
    (ended,) = memory.run_jobs()
    assert (ended.state, ended.done, ended.error) == (JobState.DONE, 4, None)


def test_turn_that_cannot_work_is_named_and_nothing_is_queued(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="turn 3"):
        memory.ingest_later([*_turns(2), Turn("  "), *_turns(1)])
    with pytest.raises(InvalidInput):
        memory.ingest_later([])
    with pytest.raises(InvalidInput):
        memory.ingest_later(_turns(1), batch_size=0)
    assert memory.jobs() == ()
    with pytest.raises(InvalidInput):
        memory.jobs(limit=0)
