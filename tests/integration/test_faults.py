"""Faults between a client and its database: slow, silent, cut, and cut at the worst moment: nothing is done twice."""

from collections.abc import Callable, Generator
from dataclasses import replace
from datetime import timedelta

import pytest
from uuid_utils import uuid7

from retrograph.consolidation import check_bank
from retrograph.errors import EngineUnavailable, OutcomeUnknown
from retrograph.graph import Connection, Graph
from retrograph.memory import Memory
from retrograph.memory.trajectories import Step, StepKind
from retrograph.models import Outcome, Turn
from retrograph.settings import Settings

from .conftest import EPOCH, ask, dump
from .proxy import Proxy


@pytest.fixture
def proxy(database: Connection) -> Generator[Proxy]:
    with Proxy(database.uri) as made:
        yield made


@pytest.fixture
def open_through(database: Connection, proxy: Proxy, memory: Memory) -> Generator[Callable[..., Memory]]:
    """Opens memories whose database is reached through the proxy; models are those of the run."""
    opened: list[Memory] = []

    def make(**given: object) -> Memory:
        settings = Settings.load(
            uri=proxy.uri,
            username=database.username,
            password=database.password,
            bank=memory.identity.bank,
            **({"connect_timeout_s": 5, "retry_s": 1} | given),
        )
        made = Memory(settings)
        made.resources.extractor = memory.resources.extractor
        made.resources._encoder = memory.resources.encoder
        opened.append(made)
        return made

    yield make
    # What is counted of their use is written at the end: that is no part of a test.
    proxy.loses = proxy.drops = 0
    proxy.loses_every_other = proxy.is_silent = proxy.is_shut = False
    for made in opened:
        made.close()


@pytest.fixture
def far(open_through: Callable[..., Memory]) -> Memory:
    """A memory behind the proxy, connected."""
    made = open_through()
    made.resources.graph.verify()
    made.warm()
    return made


def _deeds(graph: Graph, bank: str) -> list[str]:
    rows = ask(graph, "MATCH (a:Audit {bank: $bank}) RETURN a.action AS action ORDER BY action", bank=bank)
    return [row["action"] for row in rows]


# --- Slow, silent, gone ---------------------------------------------------------------------------------------------


def test_slow_database_is_waited_for(far: Memory, proxy: Proxy) -> None:
    proxy.delay_s = 0.1
    stored = far.write("Petra keeps bees on the roof in 苏州.", force=True)
    assert [hit.memory.id for hit in far.search("who keeps bees?").hits] == [stored.id]


def test_database_that_takes_connections_and_says_nothing_is_told_as_not_answering(
    open_through: Callable[..., Memory], proxy: Proxy
) -> None:
    proxy.is_silent = True
    silent = open_through(connect_timeout_s=1)
    with pytest.raises(EngineUnavailable, match="no database answers") as caught:
        silent.write("Nobody hears this.", force=True)
    assert caught.value.retryable
    assert caught.value.cure
    proxy.is_silent = False
    assert silent.write("Now somebody does, 现在有人听到了.", force=True).outcome is Outcome.STORED


def test_database_that_goes_away_is_told_and_found_again_when_it_is_back(far: Memory, proxy: Proxy) -> None:
    far.write("The ferry leaves at noon.", force=True)
    proxy.cut()
    assert far.write("The ferry is back at nine.", force=True).outcome is Outcome.STORED
    proxy.is_shut = True
    proxy.cut()
    for call in (lambda: far.search("ferry"), lambda: far.write("The ferry has gone.", force=True)):
        with pytest.raises(EngineUnavailable) as caught:
            call()
        assert not isinstance(caught.value, OutcomeUnknown)
    proxy.is_shut = False
    assert len(far.search("when does the ferry leave?").hits) == 2
    assert far.stats().memories == 2


# --- Cut between commit and answer ----------------------------------------------------------------------------------


def test_write_whose_answer_was_lost_is_stored_once_and_answered(far: Memory, proxy: Proxy, graph: Graph) -> None:
    bank = far.identity.bank
    far.write("The first write makes the bank.", force=True)
    for number in range(2):
        # Each commit of the write is lost once: those of its reads, and that of the write itself.
        proxy.loses_every_other = True
        stored = far.write(f"Boat {number} 号 left the port of Ghent.", force=True)
        proxy.loses_every_other = False
        assert stored.outcome is Outcome.STORED
    assert proxy.lost >= 4
    rows = ask(graph, "MATCH (m:Memory {bank: $bank}) RETURN m.source_count AS told, m.access_count AS used", bank=bank)
    assert rows == [{"told": 1, "used": 0}] * 3
    assert _deeds(graph, bank) == ["stored"] * 3


def test_write_that_did_not_reach_the_database_is_stored_once(far: Memory, proxy: Proxy) -> None:
    proxy.drops = 1
    assert far.write("Petra mends boats.", force=True).outcome is Outcome.STORED
    assert (proxy.dropped, far.stats().memories) == (1, 1)


def test_write_of_which_nobody_can_tell_says_so_and_the_same_source_again_changes_nothing(
    far: Memory, proxy: Proxy
) -> None:
    far.write("The first write makes the bank.", force=True)
    turn = Turn("小周养了三只鸭子。", session="s", id="turn-7", occurred_at=EPOCH)
    # The first time, and when it is done again.
    proxy.only_writes, proxy.loses = True, 2
    with pytest.raises(OutcomeUnknown, match="before the database said") as caught:
        far.ingest([turn])
    assert caught.value.retryable
    assert proxy.lost == 2
    told = far.ingest([turn])
    assert (told.unchanged, told.stored) == (1, 0)
    assert far.stats().memories == 2


def test_read_whose_answers_are_lost_is_told_as_a_database_that_does_not_answer(far: Memory, proxy: Proxy) -> None:
    kept = far.write("Petra keeps bees.", force=True).id or ""
    proxy.loses = 2
    with pytest.raises(EngineUnavailable) as caught:
        far.history(kept)
    assert not isinstance(caught.value, OutcomeUnknown)
    assert far.stats().memories == 1


def test_feedback_whose_answer_was_lost_counts_once(far: Memory, proxy: Proxy, graph: Graph) -> None:
    kept = far.write("Petra keeps bees.", force=True).id or ""
    proxy.loses_every_other = True
    marked = far.feedback([kept], useful=True).memories
    proxy.loses_every_other = False
    assert proxy.lost >= 1
    assert [(view.feedback, view.access_count) for view in marked] == [(1, 1)]
    found = far.get(kept).memory
    assert (found.feedback, found.access_count) == (1, 1)
    assert _deeds(graph, far.identity.bank) == ["marked", "stored"]


def test_counts_of_use_whose_answer_was_lost_are_added_once(far: Memory, proxy: Proxy) -> None:
    kept = far.write("Petra keeps bees.", force=True).id
    far.resources.keep_usage()
    assert [hit.memory.id for hit in far.search("who keeps bees?").hits] == [kept]
    proxy.loses_every_other = True
    far.resources.keep_usage()
    proxy.loses_every_other = False
    assert proxy.lost >= 1
    used = far.stats().usage
    assert (used.searches, used.hits, used.stored) == (1, 1, 1)


def test_job_whose_commits_are_lost_is_done_once(far: Memory, proxy: Proxy) -> None:
    queued = far.ingest_later([Turn(f"Boat {n} 号 left port.", id=f"b{n}") for n in range(5)], batch_size=2)
    proxy.loses_every_other = True
    far.run_jobs()
    proxy.loses_every_other = False
    job = far.job(queued.id)
    assert proxy.lost >= 6
    assert (job.state, job.done, job.stored + job.unchanged) == ("done", 5, 5)
    assert far.stats().memories == 5


def test_bank_is_the_same_whether_every_answer_was_lost_once_or_none(
    far: Memory, proxy: Proxy, memory: Memory, graph: Graph
) -> None:
    _everything(memory)
    other = far.for_identity(replace(far.identity, bank=f"test-{uuid7()}"))
    # Two readers side by side would lose the answers of one of them twice.
    proxy.only_writes = proxy.loses_every_other = True
    _everything(other)
    proxy.loses_every_other = False
    assert proxy.lost >= 20
    # When it was done is not the same, and how far a mark lengthens a half-life depends on that.
    without = ("half_life_days", "kept_at")
    banks = (memory.identity.bank, other.identity.bank)
    once, again = ([line for part in dump(graph, bank, without=without) for line in part] for bank in banks)
    assert len(once) > 30
    assert (sorted(set(once) - set(again)), sorted(set(again) - set(once))) == ([], [])
    assert len(again) == len(once)
    assert _deeds(graph, other.identity.bank) == _deeds(graph, memory.identity.bank)
    assert check_bank(graph, other.identity.bank, encoder=lambda: far.resources.encoder).faults == ()


def _everything(memory: Memory) -> None:
    """All that changes a bank, at fixed times."""
    here = memory.for_identity(replace(memory.identity, session="s"))
    turns = [
        Turn("Priya lives in Lyon.", session="s", speaker="Ann", occurred_at=EPOCH, id="1"),
        Turn("小李住在苏州。", session="s", speaker="Bob", occurred_at=EPOCH + timedelta(hours=1), id="2"),
        Turn("Priya lives in Porto.", session="s", speaker="Ann", occurred_at=EPOCH + timedelta(days=1), id="3"),
        Turn("Teddy is short for Theodora Vance.", occurred_at=EPOCH, id="4"),
        Turn("It rained on staging-2.", occurred_at=EPOCH, id="5"),
        Turn("Nobody needs this.", occurred_at=EPOCH, id="6"),
    ]
    first, second, third, fourth, fifth, sixth = (told or "" for told in here.ingest(turns, batch_size=2).ids)
    here.write("Priya lives in Lyon.", speaker="Ann", force=True, occurred_at=EPOCH)
    memory.link(third, second, "supports", strength=0.5)
    memory.feedback([second], useful=True)
    memory.mark(useful=[fourth], not_useful=[fifth])
    memory.update(fourth, tags=["names"], summary="A nickname.")
    memory.forget([fifth])
    memory.restore([fifth])
    memory.forget([sixth], hard=True)
    memory.undo_supersede(third, first)
    memory.merge_entities("Priya", "Teddy")
    memory.unmerge_entities("Priya", "Teddy")
    run = memory.record_trajectory(task="mend the boat", steps=[Step(StepKind.THOUGHT, "look", id="a")])
    memory.record_trajectory(trajectory_id=run.id, steps=[Step(StepKind.ERROR, "it leaks", id="b")])
