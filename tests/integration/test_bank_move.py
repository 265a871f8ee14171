"""A bank moved to another database while it is read and written: nothing acknowledged is lost, a kill harms nothing."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from uuid_utils import uuid7

from retrograph.cli.app import run
from retrograph.consolidation import check_bank
from retrograph.engine import Engine
from retrograph.errors import BankMoved, BankMoving, Conflict, InvalidInput, NotFound
from retrograph.graph import Connection, Graph
from retrograph.memory import Memory
from retrograph.models import Turn
from retrograph.settings import Settings
from retrograph.transfer import Place, move_bank
from retrograph.transfer.exporting import bank_nodes
from retrograph.transfer.format import fingerprint

from .conftest import EPOCH, ask

T = TypeVar("T")

_KILLED = """\
import os, signal, sys
from retrograph.graph import Connection, Graph
from retrograph.transfer import Place, move_bank
from retrograph.transfer.moving import _Move

here, there, username, one, other, bank, where = sys.stdin.readline().split()

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(_Move, where, die)
source, target = Graph(lambda: Connection(here, username, one)), Graph(lambda: Connection(there, username, other))
move_bank(Place(source, "here"), Place(target, "there"), bank, wait_s=60)
"""
"""Moves a bank and dies where it would begin with a step."""


class Ends:
    """A bank's two ends: the database of the run, and an engine of its own."""

    def __init__(self, memory: Memory, here: Connection, there: Connection, models: Memory) -> None:
        self.bank = memory.identity.bank
        self.here, self.there = here, there
        self.memory = memory
        self.moved = _memory_at(there, self.bank, models)
        self.source, self.target = Graph(lambda: here), Graph(lambda: there)

    def move(self, **options: Any) -> Any:
        """Moves the bank there."""
        return move_bank(Place(self.source, "here"), Place(self.target, "there"), self.bank, **options)

    def back(self, **options: Any) -> Any:
        """Moves it back."""
        return move_bank(Place(self.target, "there"), Place(self.source, "here"), self.bank, **options)


def _memory_at(at: Connection, bank: str, models: Memory) -> Memory:
    """A memory of a database that shares the models of another, for they take long to load."""
    opened = Memory(Settings.load(uri=at.uri, username=at.username, password=at.password, bank=bank, retry_s=3))
    opened.resources.extractor = models.resources.extractor
    opened.resources._encoder = models.resources.encoder
    return opened


@pytest.fixture
def ends(database: Connection, memory: Memory, spare_engine: Engine) -> Generator[Ends]:
    address = spare_engine.start()
    made = Ends(memory, database, Connection(address.uri, address.username, address.password), memory)
    made.memory = _memory_at(database, made.bank, memory)
    yield made
    for opened in (made.moved, made.memory, made.source, made.target):
        opened.close()


def _story(memory: Memory) -> list[str]:
    """A bank with all that a bank can have; the ids of what is current."""
    turns = [
        Turn(said, session="s", speaker=who, occurred_at=EPOCH, id=f"t{number}")
        for number, (who, said) in enumerate(
            [
                ("Ann", "Priya lives in Lyon and keeps bees."),
                ("Bob", "小李住在苏州, and his brother Petra's friend moved to Ghent."),
                ("Ann", "The deploy of billing-api fails with E4012 on staging-2."),
            ]
        )
    ]
    kept = list(memory.ingest(turns).ids)
    memory.write("小李住在无锡。", speaker="Bob", force=True)
    kept.append(memory.write("Teddy is short for Theodora Vance.", force=True).id or "")
    archived = memory.write("The kettle of the office is green.", force=True).id or ""
    memory.forget([archived])
    memory.forget([memory.write("Nobody needs to know this.", force=True).id or ""], hard=True)
    memory.link(kept[0], kept[-1], "supports")
    memory.feedback([kept[0]], useful=True)
    memory.update(kept[-1], tags=["names"])
    memory.search("who keeps bees?")
    memory.resources.keep_usage()
    return kept


def _prints(graph: Graph, bank: str) -> dict[tuple[str, str], bytes]:
    """Every node of a bank with its edges, embedding and vector, as a fingerprint."""
    slot = ask(graph, "MATCH (b:Bank {name: $bank}) RETURN b.slot AS slot", bank=bank)[0]["slot"]
    nodes = bank_nodes(graph, bank, slot=slot, vectors=True, audit=True)
    return {(node.label, node.key): fingerprint(node) for node in nodes}


def _faults(graph: Graph, memory: Memory) -> list[str]:
    report = check_bank(graph, memory.identity.bank, encoder=lambda: memory.resources.encoder)
    assert report.memories
    return [f"{fault.check}: {fault.id} {fault.detail}" for fault in report.faults]


def test_moved_bank_is_the_same_node_for_node_and_its_old_place_refuses_writes(ends: Ends) -> None:
    kept = _story(ends.memory)
    job = ends.memory.ingest_later([Turn("小周养了三只鸭子。"), Turn("Petra mends boats.")])
    used = ends.memory.stats().usage
    report = ends.move()
    assert (report.jobs, report.rounds >= 2, report.nodes > 20, report.edges > 20) == (1, True, True, True)
    here, there = _prints(ends.source, ends.bank), _prints(ends.target, ends.bank)
    assert here
    assert there == here
    assert ends.moved.stats().usage == used
    assert [hit.memory.id for hit in ends.moved.search("who keeps bees?", limit=1).hits] == kept[:1]
    with pytest.raises(BankMoved, match="moved to another database"):
        ends.memory.write("Too late for this place.", force=True)
    with pytest.raises(BankMoved):
        ends.memory.forget([kept[0]])
    with pytest.raises(BankMoved):
        ends.memory.ingest_later([Turn("Too late for this queue.")])
    assert ends.memory.run_jobs() == ()
    assert [done.id for done in ends.moved.run_jobs()] == [job.id]
    assert ends.moved.job(job.id).done == 2
    assert ends.moved.write("Ravi keeps goats in 青岛.", force=True).id
    assert _faults(ends.target, ends.moved) == []
    assert ends.bank not in {row["bank"] for row in ends.source.run("list_banks")}


def test_bank_moves_on_and_back_with_what_changed_meanwhile(ends: Ends, tmp_path: Path) -> None:
    kept = _story(ends.memory)
    ends.move(remove_old=True)
    assert _prints(ends.source, ends.bank) == {}
    assert ends.move().rounds == 0
    new = ends.moved.write("Ravi keeps goats in 青岛.", force=True).id or ""
    ends.moved.forget([kept[2]], hard=True)
    ends.moved.forget([kept[0]])
    files = []
    for name, at in (("old", ends.there), ("new", ends.here)):
        files.append(tmp_path / f"{name}.toml")
        files[-1].write_text(f'uri = "{at.uri}"\nusername = "{at.username}"\npassword = "{at.password}"\n')
    words = ["move", "--config", str(files[0]), "--to", str(files[1]), "--bank", ends.bank]
    assert run([*words, "--dry-run", "--json"]) == 0
    assert ends.moved.write("It still lives there.", force=True).id
    assert run(words) == 0
    assert _prints(ends.source, ends.bank) == _prints(ends.target, ends.bank)
    assert ends.memory.get(new).memory.content == "Ravi keeps goats in 青岛."
    with pytest.raises(NotFound):
        ends.memory.get(kept[2])
    assert ends.memory.restore([kept[0]]).restored
    assert _faults(ends.source, ends.memory) == []


def test_move_that_cannot_be_made_leaves_the_bank_where_it_is(ends: Ends) -> None:
    _story(ends.memory)
    with pytest.raises(InvalidInput, match="same database"):
        move_bank(Place(ends.source, "here"), Place(ends.source, "here"), ends.bank)
    with pytest.raises(NotFound):
        move_bank(Place(ends.source, "here"), Place(ends.target, "there"), f"nobody-{uuid7()}")
    ends.moved.write("This bank has a life of its own.", force=True)
    with pytest.raises(Conflict, match="of its own already"):
        ends.move()
    assert ends.moved.write("And goes on with it.", force=True).id
    ends.moved.forget([hit.memory.id for hit in ends.moved.search("life of its own goes on").hits], hard=True)
    other = ends.memory.for_identity(replace(ends.memory.identity, bank=f"{ends.bank}-b"))
    other.write("A bank that is written into all the time.", force=True)
    with pytest.raises(Conflict, match="--hold"):
        move_bank(Place(ends.source, "here"), Place(ends.target, "there"), other.identity.bank, hold_s=0)
    assert other.write("It goes on here.", force=True).id
    early = ends.moved.for_identity(other.identity)
    with pytest.raises(BankMoving, match="not whole here yet"):
        early.write("Too early.", force=True)
    with pytest.raises(BankMoving):
        early.search("written into")


@pytest.mark.parametrize("where", ["_put_edges", "_copy_beside", "open"])
def test_move_killed_on_its_way_leaves_a_bank_that_works_and_is_taken_up_again(ends: Ends, where: str) -> None:
    kept = _story(ends.memory)
    process = subprocess.Popen([sys.executable, "-c", _KILLED], stdin=-1, stdout=-1, stderr=-1, text=True)
    told = (ends.here.uri, ends.there.uri, ends.here.username, ends.here.password, ends.there.password, ends.bank)
    _, err = process.communicate(" ".join((*told, where)) + "\n", timeout=500)
    assert process.returncode == -signal.SIGKILL, err
    assert [hit.memory.id for hit in ends.memory.search("who keeps bees?", limit=1).hits] == kept[:1]
    with pytest.raises(BankMoving):
        ends.moved.search("who keeps bees?")
    if where == "open":
        with pytest.raises(BankMoved):
            ends.memory.write("Between two places.", force=True)
    else:
        written = _patient(lambda: ends.memory.write("Written after the kill, 被杀之后.", force=True))
        assert written.id
    report = ends.move(wait_s=60)
    assert (report.rounds == 0) is (where == "open")
    assert _prints(ends.target, ends.bank) == _prints(ends.source, ends.bank)
    assert ends.moved.write("It lives here now.", force=True).id
    assert _faults(ends.target, ends.moved) == []


def _patient(act: Callable[[], T]) -> T:
    """Tries again while the bank is held."""
    while True:
        try:
            return act()
        except BankMoving:
            time.sleep(0.2)


class Client(threading.Thread):
    """Somebody who uses the bank until told to stop, first here, and there as soon as that is the answer."""

    def __init__(self, ends: Ends) -> None:
        super().__init__()
        self.memory = ends.memory
        self.moved = ends.moved
        self.stop = threading.Event()
        self.failed: list[BaseException] = []
        self.done = 0
        self.done_there = 0

    def run(self) -> None:
        try:
            while not self.stop.is_set() or not self.done_there:
                self.act(self.done)
                self.done += 1
                self.done_there += self.memory is self.moved
        except BaseException as error:  # noqa: BLE001  (told by the test's own thread)
            self.failed.append(error)

    def act(self, number: int) -> None:
        """One thing."""
        raise NotImplementedError

    def ask(self, act: Callable[[Memory], T]) -> T:
        """Does it where the bank lives."""
        while True:
            try:
                return act(self.memory)
            except BankMoving:
                time.sleep(0.05)
            except BankMoved:
                self.memory = self.moved


class Writing(Client):
    """Writes, tells again, corrects, edits, archives, restores and deletes; keeps what was acknowledged."""

    def __init__(self, ends: Ends) -> None:
        super().__init__(ends)
        self.current: dict[str, str] = {}
        self.tagged: dict[str, str] = {}
        self.archived: list[str] = []
        self.deleted: list[str] = []
        self.superseded: list[str] = []

    def act(self, number: int) -> None:
        said = f"Boat {number} 号 left the port of Ghent with {number + 3} crates."
        told = self.ask(lambda m: m.ingest([Turn(said, session="log", id=f"boat-{number}")]))
        first = told.ids[0] or ""
        self.current[first] = said
        match number % 5:
            case 0:
                self.ask(lambda m: m.update(first, tags=[f"tag-{number}"]))
                self.tagged[first] = f"tag-{number}"
            case 1:
                self.ask(lambda m: m.forget([first]))
                self.archived.append(first)
                del self.current[first]
            case 2:
                self.ask(lambda m: m.forget([first], hard=True))
                self.deleted.append(first)
                del self.current[first]
            case 3:
                newer = self.ask(lambda m: m.update(first, content=f"{said} It is back."))
                if newer.id != first:
                    self.superseded.append(first)
                    del self.current[first]
                self.current[newer.id] = f"{said} It is back."
            case _ if self.archived:
                again = self.archived.pop()
                self.ask(lambda m: m.restore([again]))
                self.current[again] = self.ask(lambda m: m.get(again)).memory.content
            case _:
                pass


class Reading(Client):
    """Recalls what was there before the move began; it has to be there at every moment."""

    def __init__(self, ends: Ends, kept: str, writer: Writing) -> None:
        super().__init__(ends)
        self.kept = kept
        self.writer = writer

    def act(self, number: int) -> None:
        self.memory = self.writer.memory
        found = self.ask(lambda m: m.search("who keeps bees?", limit=3))
        assert self.kept in {hit.memory.id for hit in found.hits}, f"search {number}"


@contextmanager
def _going_on(*clients: Client) -> Iterator[None]:
    for client in clients:
        client.start()
    try:
        yield
    finally:
        for client in clients:
            client.stop.set()
        for client in clients:
            client.join(120)
    assert [client.failed for client in clients] == [[] for _ in clients]
    assert not [client for client in clients if client.is_alive()]


def test_bank_that_is_read_and_written_all_the_while_moves_without_loss(ends: Ends) -> None:
    kept = _story(ends.memory)
    writer = Writing(ends)
    reader = Reading(ends, kept[0], writer)
    with _going_on(writer, reader):
        while writer.done < 6:
            assert not writer.failed
            time.sleep(0.05)
        report = ends.move()
        frozen = _prints(ends.source, ends.bank)
    assert report.rounds >= 2
    assert writer.done_there >= 1
    assert reader.done >= 1
    moved = ends.moved
    for memory_id, said in writer.current.items():
        assert moved.get(memory_id).memory.content == said
    for memory_id, tag in writer.tagged.items():
        assert moved.get(memory_id).memory.tags == (tag,)
    for memory_id in writer.deleted:
        with pytest.raises(NotFound):
            moved.get(memory_id)
    for memory_id in writer.archived:
        assert moved.restore([memory_id]).restored
    assert {moved.get(memory_id).memory.status.value for memory_id in writer.superseded} <= {"superseded"}
    # Nothing went into the old place after the switch.
    assert _prints(ends.source, ends.bank) == frozen
    assert _faults(ends.target, moved) == []
