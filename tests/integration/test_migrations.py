"""The schema: made once by whoever comes first, checked by everybody, refused where it is not ours."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from retrograph import cypher
from retrograph.cypher import Migration
from retrograph.engine import Engine
from retrograph.errors import Conflict, GraphError, SchemaOutdated
from retrograph.graph import Connection, Graph, hold_lease, migrate, schema_state

_START = """\
import sys
from retrograph.graph import Connection, Graph, migrate
uri, username, password = sys.stdin.readline().split()
print("ready", flush=True)
sys.stdin.readline()
with Graph(lambda: Connection(uri, username, password)) as graph:
    state = migrate(graph)
print(*state.applied)
"""


@pytest.fixture(scope="module")
def address(spare_engine: Engine) -> Connection:
    """The spare engine's database."""
    found = spare_engine.start()
    return Connection(found.uri, found.username, found.password)


@pytest.fixture
def empty(address: Connection) -> Iterator[Graph]:
    """A database without schema and without data."""
    with Graph(lambda: address) as graph:
        for what in ("CONSTRAINT", "INDEX"):
            kind = "" if what == "CONSTRAINT" else " WHERE type <> 'LOOKUP'"
            rows = _run(graph, f"SHOW {what}{'S' if what == 'CONSTRAINT' else 'ES'} YIELD *{kind} RETURN name")
            for row in rows:
                _run(graph, f"DROP {what} {row['name']} IF EXISTS")
        _run(graph, "MATCH (n) DETACH DELETE n")
        yield graph


@pytest.fixture
def migrated(address: Connection) -> Iterator[Graph]:
    """A database at this version; what a test adds to its records is taken out again."""
    with Graph(lambda: address) as graph:
        migrate(graph)
        kept = _records(graph)
        yield graph
        _run(graph, "MATCH (n:SchemaMigration|Lease) DELETE n")
        for row in kept:
            graph.run("record_migration", **{key: row["p"][key] for key in ("version", "name", "checksum")})


def _records(graph: Graph) -> list[dict[str, Any]]:
    return _run(graph, "MATCH (s:SchemaMigration) RETURN properties(s) AS p ORDER BY s.version")


def _run(graph: Graph, text: str) -> list[dict[str, Any]]:
    return graph.run_statement(f"CYPHER 25 {text}", doing="test")


def _schema(graph: Graph) -> list[str]:
    constraints = _run(graph, "SHOW CONSTRAINTS YIELD name RETURN name")
    indexes = _run(
        graph, "SHOW INDEXES YIELD name, type, state WHERE type <> 'LOOKUP' RETURN name + ' ' + state AS name"
    )
    return sorted(row["name"] for row in [*constraints, *indexes])


def test_empty_database_is_brought_to_this_version(empty: Graph) -> None:
    assert schema_state(empty).applied == ()
    assert not schema_state(empty).is_current
    assert migrate(empty).is_current
    made = _schema(empty)
    assert {
        "memory_id",
        "memory_identity_key",
        "entity_key",
        "memory_text_english ONLINE",
        "memory_text_cjk ONLINE",
    } <= {*made}


def test_migrating_again_changes_nothing(migrated: Graph) -> None:
    before = _schema(migrated), _records(migrated)
    assert migrate(migrated).is_current
    assert before == (_schema(migrated), _records(migrated))


def test_looking_at_the_schema_changes_nothing(empty: Graph) -> None:
    schema_state(empty)
    assert _schema(empty) == []
    assert _run(empty, "MATCH (n) RETURN count(n) AS n") == [{"n": 0}]


def test_four_processes_that_start_at_once_make_one_schema(empty: Graph, address: Connection) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", _START], stdin=-1, stdout=-1, stderr=-1, text=True) for _ in range(4)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write(f"{address.uri} {address.username} {address.password}\n")
        process.stdin.flush()
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    answers = [process.communicate("go\n", timeout=300) for process in started]
    applied = " ".join(str(m.version) for m in cypher.migrations())
    assert [(out.strip(), err) for out, err in answers] == [(applied, "")] * 4
    counted = _run(empty, "MATCH (s:SchemaMigration) RETURN count(s) AS n, count(DISTINCT s.version) AS versions")
    assert counted == [{"n": len(cypher.migrations()), "versions": len(cypher.migrations())}]
    assert _run(empty, "MATCH (l:Lease) RETURN l.name AS name") == []
    assert all(name.endswith("ONLINE") for name in _schema(empty) if " " in name)


def test_start_that_was_killed_half_way_is_completed(empty: Graph) -> None:
    first = cypher.migrations()[0]
    for statement in first.statements[: len(first.statements) // 2]:
        empty.run_statement(statement, doing="test")
    assert migrate(empty).is_current
    half = _schema(empty)
    assert {"memory_id", "memory_text_cjk ONLINE"} <= {*half}


def test_newer_database_is_refused_with_the_cure(migrated: Graph) -> None:
    _run(migrated, "CREATE (:SchemaMigration {version: 999, name: 'future', checksum: 'x'})")
    for look in (schema_state, migrate):
        with pytest.raises(SchemaOutdated, match="999") as refused:
            look(migrated)
        assert "Install a Retrograph" in refused.value.cure


def test_changed_migration_is_refused_with_the_cure(migrated: Graph) -> None:
    _run(migrated, "MATCH (s:SchemaMigration {version: 1}) SET s.checksum = 'other'")
    with pytest.raises(SchemaOutdated, match="migration 1") as refused:
        migrate(migrated)
    assert refused.value.cure


def test_migration_that_fails_is_not_recorded_and_can_be_tried_again(
    migrated: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = cypher.migrations()
    bad = Migration(
        len(real) + 1, "bad", "c", ("CYPHER 25 CREATE INDEX x IF NOT EXISTS FOR (n:N) ON (n.a)", "CYPHER 25 NONSENSE")
    )
    monkeypatch.setattr(cypher, "migrations", lambda: (*real, bad))
    with pytest.raises(GraphError, match=f"migration {bad.version}"):
        migrate(migrated)
    assert schema_state(migrated).applied == tuple(m.version for m in real)
    good = Migration(bad.version, "bad", "c", bad.statements[:1])
    monkeypatch.setattr(cypher, "migrations", lambda: (*real, good))
    assert migrate(migrated).is_current
    assert "x ONLINE" in _schema(migrated)
    _run(migrated, "DROP INDEX x")


def test_database_one_version_behind_gets_only_what_is_missing(
    migrated: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = cypher.migrations()
    first = _run(migrated, "MATCH (s:SchemaMigration) RETURN s.version AS v, s.applied_at AS at ORDER BY v")
    added = Migration(len(real) + 1, "more", "c", ("CYPHER 25 CREATE INDEX more IF NOT EXISTS FOR (n:N) ON (n.b)",))
    monkeypatch.setattr(cypher, "migrations", lambda: (*real, added))
    assert schema_state(migrated).applied == tuple(m.version for m in real)
    assert migrate(migrated).applied[-1] == added.version
    after = _run(migrated, "MATCH (s:SchemaMigration) RETURN s.version AS v, s.applied_at AS at ORDER BY v")
    assert after[: len(first)] == first
    _run(migrated, "DROP INDEX more")


def test_lease_excludes_until_it_is_given_back(migrated: Graph) -> None:
    with hold_lease(migrated, "job", seconds=30):
        with pytest.raises(Conflict, match="job") as refused, hold_lease(migrated, "job", seconds=30):
            raise AssertionError("two hold it")
        assert refused.value.cure
        with hold_lease(migrated, "another job", seconds=30):
            pass
    with hold_lease(migrated, "job", seconds=30) as holder:
        assert holder
    assert _run(migrated, "MATCH (l:Lease) RETURN l.name AS name") == []


def test_lease_is_given_back_where_the_work_fails(migrated: Graph) -> None:
    with pytest.raises(ValueError, match="boom"), hold_lease(migrated, "job", seconds=30):
        raise ValueError("boom")
    with hold_lease(migrated, "job", seconds=30):
        pass


def test_lease_of_a_dead_holder_is_taken_over(migrated: Graph) -> None:
    assert migrated.run("take_lease", name="job", holder="dead", seconds=1.0)[0]["taken"]
    with pytest.raises(Conflict), hold_lease(migrated, "job", seconds=30):
        raise AssertionError("the dead holder's lease has not run out")
    with hold_lease(migrated, "job", seconds=30, wait_s=30) as holder:
        assert _run(migrated, "MATCH (l:Lease) RETURN l.holder AS h") == [{"h": holder}]
        assert not migrated.run("take_lease", name="job", holder="dead", seconds=1.0)[0]["taken"]
        migrated.run("release_lease", name="job", holder="dead")
        assert _run(migrated, "MATCH (l:Lease) RETURN l.holder AS h") == [{"h": holder}]


def test_lease_is_renewed_while_the_work_goes_on(migrated: Graph) -> None:
    with hold_lease(migrated, "job", seconds=1.5) as holder:
        time.sleep(3)
        assert not migrated.run("take_lease", name="job", holder="other", seconds=1.0)[0]["taken"]
        assert _run(migrated, "MATCH (l:Lease) RETURN l.holder AS h") == [{"h": holder}]


def test_of_many_that_ask_at_once_one_holds_the_lease(migrated: Graph) -> None:
    together = threading.Barrier(8)
    taken: list[bool] = []

    def work(number: int) -> None:
        together.wait()
        taken.append(migrated.run("take_lease", name="job", holder=f"h{number}", seconds=60.0)[0]["taken"])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 7 + [True]
