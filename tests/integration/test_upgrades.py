"""Databases that earlier versions of the schema left: brought to this one, they recall, remember and are kept as any.

`tests/data/upgrades/V00N.jsonl` is a small bank as the code that had N migrations wrote it: a line with the schema, a
line for each node, a line for each edge (its ends by the number of their lines).
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from retrograph import cypher
from retrograph.consolidation import Consolidator, check_bank
from retrograph.engine import Engine
from retrograph.extraction import Extractor
from retrograph.graph import Connection, Graph, migrate, schema_state
from retrograph.memory import Memory, facade
from retrograph.models import Identity, Outcome
from retrograph.settings import Settings

from .conftest import PlannedEncoder, ask

_FILES = sorted((Path(__file__).parents[1] / "data" / "upgrades").glob("V*.jsonl"))
_LATER = datetime(2026, 12, 31, tzinfo=UTC)
_EXTRACTOR = Extractor()


def _version(file: Path) -> int:
    return int(file.stem.removeprefix("V"))


@pytest.fixture(scope="module")
def address(spare_engine: Engine) -> Connection:
    """The spare engine's database."""
    found = spare_engine.start()
    return Connection(found.uri, found.username, found.password)


@pytest.fixture(params=_FILES, ids=lambda file: file.stem)
def old(request: pytest.FixtureRequest, address: Connection) -> Iterator[tuple[int, Graph]]:
    """A database as an earlier version left it, and the number of its last migration."""
    with Graph(lambda: address) as graph:
        _empty(graph)
        _load(graph, request.param)
        yield _version(request.param), graph
        _empty(graph)


@pytest.fixture
def memory(
    old: tuple[int, Graph], address: Connection, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[int, Memory]]:
    """Its bank, opened by this version."""
    monkeypatch.setattr(facade, "open_encoder", lambda *_, **__: PlannedEncoder())
    settings = Settings.load(uri=address.uri, username=address.username, password=address.password, bank="old")
    with Memory(settings) as opened:
        yield old[0], opened


def _run(graph: Graph, text: str) -> list[dict[str, Any]]:
    return graph.run_statement(text if text.startswith("CYPHER") else f"CYPHER 25 {text}", doing="test")


def _empty(graph: Graph) -> None:
    for what, kind in (("CONSTRAINT", ""), ("INDEX", " WHERE type <> 'LOOKUP'")):
        rows = _run(graph, f"SHOW {what}{'S' if what == 'CONSTRAINT' else 'ES'} YIELD *{kind} RETURN name")
        for row in rows:
            _run(graph, f"DROP {what} {row['name']} IF EXISTS")
    _run(graph, "MATCH (n) DETACH DELETE n")


def _load(graph: Graph, file: Path) -> None:
    schema, *lines = (json.loads(line, object_hook=_restored) for line in file.read_text("utf-8").splitlines())
    for statement in schema["schema"]:
        _run(graph, statement)
    nodes = [line | {"n": n} for n, line in enumerate(line for line in lines if "labels" in line)]
    edges = [line for line in lines if "type" in line]
    ask(
        graph,
        "UNWIND $rows AS row CREATE (n:$(row.labels)) SET n = row.properties, n.line = row.n",
        write=True,
        rows=nodes,
    )
    made = ask(
        graph,
        "UNWIND $rows AS row MATCH (a {line: row.from}) MATCH (b {line: row.to}) "
        "CREATE (a)-[r:$(row.type)]->(b) SET r = row.properties RETURN count(r) AS n",
        write=True,
        rows=edges,
    )
    assert made == [{"n": len(edges)}]
    ask(graph, "MATCH (n) REMOVE n.line", write=True)
    graph.run_implicit("await_indexes", timeout_s=60)


def _restored(value: dict[str, Any]) -> Any:
    return datetime.fromisoformat(value["$time"]) if value.keys() == {"$time"} else value


def _contents(memory: Memory, query: str, **more: Any) -> list[str]:
    return [hit.memory.content for hit in memory.search(query, min_score=0.0, **more).hits]


def _id(memory: Memory, content: str) -> str:
    rows = ask(
        memory.resources.graph,
        "MATCH (m:Memory|ArchivedMemory) WHERE m.bank = 'old' AND m.content = $content RETURN m.id AS id",
        content=content,
    )
    return rows[0]["id"]


def test_there_is_a_database_of_every_earlier_version() -> None:
    assert [_version(file) for file in _FILES] == list(range(1, len(cypher.migrations())))


def test_database_of_an_earlier_version_is_brought_to_this_one_and_keeps_all_it_had(old: tuple[int, Graph]) -> None:
    version, graph = old
    counted = "MATCH (n) WHERE NOT n:SchemaMigration AND NOT n:Lease RETURN labels(n) AS l, n.id AS id, count(*) AS n"
    before = sorted(map(str, _run(graph, counted)))
    assert schema_state(graph).applied == tuple(range(1, version + 1))
    assert migrate(graph).is_current
    assert sorted(map(str, _run(graph, counted))) == before
    states = {row["state"] for row in _run(graph, "SHOW INDEXES YIELD state RETURN DISTINCT state")}
    assert states == {"ONLINE"}


def test_parts_of_names_that_came_twice_are_made_one(address: Connection) -> None:
    with Graph(lambda: address) as graph:
        _empty(graph)
        _load(graph, next(file for file in _FILES if _version(file) == 8))  # before their key was unique
        twice = (
            "MATCH (m:Memory {bank: 'old'}) WITH m LIMIT 2 "
            "CREATE (m)-[:MENTIONS {weight: 0.5}]->(:NamePart {bank: 'old', key: 'jose', name: 'Jose'})"
        )
        ask(graph, twice, write=True)
        assert migrate(graph).is_current
        parts = _run(graph, "MATCH (p:NamePart {key: 'jose'}) RETURN COUNT { (p)<-[r:MENTIONS]-() } AS n")
        assert parts == [{"n": 2}]
        _empty(graph)


def test_bank_of_an_earlier_version_recalls_and_goes_on(memory: tuple[int, Memory]) -> None:
    version, old = memory
    assert "The cedar server keeps the invoices of 青浦仓库." in _contents(old, "Which server keeps invoices?")
    assert "The cedar server keeps the invoices of 青浦仓库." in _contents(old, "青浦仓库的发票在哪里？")
    assert any("渲染队列" in content for content in _contents(old, "谁维护渲染队列？"))
    private = "我对花生过敏，只告诉 Ann 的 assistant。"
    assert private not in _contents(old, "花生过敏")
    assert private in _contents(old.for_identity(Identity("old", user="ann")), "花生过敏")
    where = _contents(old, "Where does Ada live?", limit=10)
    assert "Ada lives in Lisbon." in where
    assert "Ada lives in Porto." not in where
    lives, moved = _id(old, "Ada lives in Porto."), _id(old, "Ada lives in Lisbon.")
    assert old.get(moved).supersedes == (lives,)
    assert [version.memory.id for version in old.history(moved)] == [lives, moved]
    gone = _id(old, "The old printer stands in room 12.")
    assert old.get(gone).memory.archived
    old.restore([gone])
    assert "The old printer stands in room 12." in _contents(old, "printer in room 12", limit=10)
    again = old.write("Ada lives in Lisbon.", force=True, occurred_at=_LATER - timedelta(days=60))
    assert (again.outcome, again.id) == (Outcome.MERGED, moved)
    newer = old.write("Ada lives in Berlin.", force=True, occurred_at=_LATER - timedelta(days=30)).id
    assert newer and old.get(newer).supersedes == (moved,)
    if version >= 2:
        text = "韩梅梅和李雷负责渲染队列的维护。"
        assert len(old.history(_id(old, text))) == 2


def test_bank_of_an_earlier_version_is_in_order(memory: tuple[int, Memory]) -> None:
    resources = memory[1].resources
    report = check_bank(resources.graph, "old", encoder=lambda: resources.encoder)
    assert report.memories >= 13
    assert report.faults == ()


def _changed(report: Any) -> dict[str, Sequence[Any]]:
    return {job.job: job.changes for job in report.jobs if job.changed}


def test_bank_of_an_earlier_version_is_consolidated_and_that_is_undone(memory: tuple[int, Memory]) -> None:
    version, old = memory
    resources = old.resources
    worker = Consolidator(resources.graph, lambda: resources.encoder, old.settings, extractor=lambda: _EXTRACTOR)
    badge = _id(old, "The visitor badge is number 4417.")
    assert old.get(badge).memory.archived == (version >= 4)
    report = worker.run("old", now=_LATER)
    done = _changed(report)
    assert old.get(badge).memory.archived
    assert ("expire" in done) == (version < 4)
    if version >= 8:
        assert len(done["reflect"]) == 1
        assert len(old.trajectories()) == 2
        assert all(run.lessons for run in old.trajectories())
        assert all(len(old.trajectory(run.id).steps) == 4 for run in old.trajectories())
    assert worker.run("old", now=_LATER).changed == 0
    assert any("crane" in content for content in _contents(old, "What did the crane at the harbour move?", limit=10))
    if report.run:
        worker.undo("old", report.run)
        assert old.get(badge).memory.archived == (version >= 4)
        for earlier in worker.runs("old"):
            if earlier.state == "done":
                worker.undo("old", earlier.id)
        assert not old.get(badge).memory.archived


def test_bank_of_an_earlier_version_moves_to_another_bank(memory: tuple[int, Memory], tmp_path: Path) -> None:
    from zoneinfo import ZoneInfo

    from retrograph.transfer import export_bank, import_bank

    _, old = memory
    graph, file = old.resources.graph, tmp_path / "old.jsonl"
    with file.open("w", encoding="utf-8") as out:
        told = export_bank(graph, "old", out)
    report = import_bank(graph, file, bank="copy", encoder=PlannedEncoder(), timezone=ZoneInfo("UTC"))
    assert dict(report.created) == told.nodes
    copy = old.for_identity(Identity("copy"))
    for query in ("Where does Ada live?", "谁维护渲染队列？", "What did the crane move?"):
        assert _contents(copy, query) == _contents(old, query)
