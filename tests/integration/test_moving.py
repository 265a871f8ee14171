"""A bank between two engines and back; the local engine's backup."""

import re
import tarfile
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.integration.conftest import EPOCH, ask, dump

from retrograph.engine import Engine
from retrograph.errors import Conflict, InvalidInput
from retrograph.graph import Connection, Graph, migrate
from retrograph.memory import Memory
from retrograph.models import Turn
from retrograph.settings import EngineSettings, Settings
from retrograph.transfer import export_bank, import_bank

PEOPLE = ("Nadia", "Omar", "小王", "李娜", "José")
THINGS = ("billing service", "render queue", "支付模块", "Redis 7.2", "garden")
PAIRS = [(person, thing) for person in PEOPLE for thing in THINGS]
STORY = [
    Turn(
        f"{person}负责{thing}。" if number % 2 else f"{person} looks after the {thing}.",
        occurred_at=EPOCH + timedelta(hours=number),
        id=str(number),
    )
    for number, (person, thing) in enumerate(PAIRS)
]
QUESTIONS = [
    question.format(person=person, thing=thing)
    for number, (person, thing) in enumerate(PAIRS)
    for question in (
        ("{person}负责{thing}吗", "{thing}是{person}负责的吗")
        if number % 2
        else ("does {person} look after the {thing}?", "the {thing}: is it {person} who looks after it?")
    )
]


def _answers(memory: Memory) -> list[str | None]:
    """The first of each recall: further down, how rare a word is in the whole database moves what is nearly equal."""
    asked = [memory.search(question, now=EPOCH + timedelta(days=3), limit=1).hits for question in QUESTIONS]
    return [hits[0].memory.content if hits else None for hits in asked]


def _whole(graph: Graph, bank: str) -> tuple[list[str], list[str]]:
    """All of a bank; which slot its vectors have is a database's own affair."""
    nodes, edges = dump(graph, bank)
    return sorted(re.sub(r"Embedding[A-D]", "Embedding", node) for node in nodes), edges


def _move(source: Graph, target: Graph, bank: str, file: Path, memory: Memory) -> Any:
    with file.open("w", encoding="utf-8", newline="\n") as out:
        export_bank(source, bank, out)
    return import_bank(target, file, bank=None, encoder=memory._resources.encoder, timezone=ZoneInfo("UTC"))


def test_bank_moved_to_another_database_and_back_answers_the_same(
    memory: Memory, graph: Graph, spare_engine: Engine, tmp_path: Path
) -> None:
    bank = memory.identity.bank
    memory.ingest(STORY)
    assert len(QUESTIONS) == 50
    before, answers = _whole(graph, bank), _answers(memory)
    assert None not in answers
    at = spare_engine.start()
    elsewhere = Settings.load(uri=at.uri, username=at.username, password=at.password, bank=bank)
    with Graph(lambda: Connection(at.uri, at.username, at.password)) as far, Memory(elsewhere) as there:
        ask(far, "MATCH (n) DETACH DELETE n RETURN count(*) AS n", write=True)
        migrate(far)
        _move(graph, far, bank, tmp_path / "away.jsonl", memory)
        assert _whole(far, bank) == before
        assert _answers(there) == answers
        told = there.write("Omar sold the garden.", force=True).id
        ask(graph, "MATCH (n) WHERE n.bank = $bank DETACH DELETE n RETURN count(*) AS n", bank=bank, write=True)
        _move(far, graph, bank, tmp_path / "back.jsonl", memory)
    assert memory.get(told or "").memory.content == "Omar sold the garden."
    memory.forget([told or ""], hard=True)
    assert _whole(graph, bank) == before
    assert _answers(memory) == answers


@pytest.fixture
def small(tmp_path: Path) -> Any:
    """An engine of its own that a test may stop."""
    base = Settings.load(data_dir=tmp_path / "home")
    settings = EngineSettings(heap_mib=256, page_cache_mib=16, java_options=base.engine.java_options)
    engine = Engine(settings, data_dir=base.data_dir, cache_dir=base.cache_dir)
    if not engine.is_installed():
        engine.install()
    yield engine
    engine.stop(force=True)


def _write(engine: Engine, name: str) -> None:
    with _graph(engine) as graph:
        ask(graph, "CREATE (n:Note {name: $name}) RETURN n.name AS name", name=name, write=True)


def _names(engine: Engine) -> set[str]:
    with _graph(engine) as graph:
        return {row["name"] for row in ask(graph, "MATCH (n:Note) RETURN n.name AS name")}


def _graph(engine: Engine) -> Graph:
    at = engine.start()
    return Graph(lambda: Connection(at.uri, at.username, at.password))


def test_backup_put_back_is_what_was_there_and_sets_the_rest_aside(small: Engine, tmp_path: Path) -> None:
    file = tmp_path / "engine.tar.gz"
    with pytest.raises(InvalidInput, match="nothing to back up"):
        small.backup(file)
    _write(small, "茶")
    made = small.backup(file)
    assert file.stat().st_mode & 0o077 == 0
    assert made.bytes == file.stat().st_size > 0
    _write(small, "later")
    with pytest.raises(Conflict, match="has data already"):
        small.restore(file)
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(file.read_bytes()[:2000])
    with pytest.raises(InvalidInput, match="no backup"):
        small.restore(broken, replace=True)
    assert _names(small) == {"茶", "later"}
    report = small.restore(file, replace=True)
    assert report.set_aside
    assert (report.set_aside / "data").is_dir()
    assert _names(small) == {"茶"}


def test_backup_waits_for_nobody_that_uses_the_engine(small: Engine, tmp_path: Path) -> None:
    _write(small, "茶")
    with small.lease(), pytest.raises(Conflict, match="in use"):
        small.backup(tmp_path / "engine.tar.gz")
    assert not (tmp_path / "engine.tar.gz").exists()


def test_backup_of_a_newer_neo4j_is_refused(small: Engine, tmp_path: Path) -> None:
    _write(small, "茶")
    file = tmp_path / "engine.tar.gz"
    small.backup(file)
    with tarfile.open(file) as archive:
        archive.extractall(tmp_path / "x", filter="data")
    manifest = tmp_path / "x" / "backup.json"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace('"neo4j": "2026', '"neo4j": "2099'), "utf-8")
    with tarfile.open(file, "w:gz") as archive:
        for path in (tmp_path / "x").iterdir():
            archive.add(path, arcname=path.name)
    with pytest.raises(Conflict, match="2099"):
        small.restore(file, replace=True)
    assert _names(small) == {"茶"}
