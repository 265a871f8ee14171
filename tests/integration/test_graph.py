"""The one execution path against a real Neo4j: values, routing, atomicity, retries, reconnection, warnings."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import neo4j
import pytest
from uuid_utils import uuid7

from retrograph.cypher import CypherQuery, parse
from retrograph.errors import (
    ConstraintViolated,
    CypherFileError,
    EngineAuthError,
    EngineUnavailable,
    GraphError,
)
from retrograph.graph import Connection, Graph


def _query(text: str, mode: str = "read", **params: str) -> CypherQuery:
    declared = ", ".join(f"{name}: {kind}" for name, kind in params.items())
    return parse("test", f"// A test.\n// mode: {mode}\n// params: {declared}\n// returns: x: ANY\nCYPHER 25 {text}")


_ECHO = _query("RETURN $x AS x", x="ANY")
_KEEP = _query("CREATE (n:TestValue {id: $id, x: $x}) RETURN n.x AS x", "write", id="STRING", x="ANY")
_KEPT = _query("MATCH (n:TestValue {id: $id}) RETURN n.x AS x", id="STRING")


@pytest.fixture
def key(graph: Graph) -> Any:
    """An id for a node of this test, which is removed afterwards."""
    made = str(uuid7())
    yield made
    graph.run(_query("MATCH (n:TestValue) WHERE n.id STARTS WITH $id DETACH DELETE n", "write", id="STRING"), id=made)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "NUL \x00 inside",
        "服务器 🚀 مرحبا e\u0301 \u200b\ufdfa\U0010ffff",
        "quotes ' \" ` \\ $x {y} // /* */ ; \r\n\t",
        "'}) DETACH DELETE n //",
        "x" * 1_000_000,
        "记忆" * 300_000,
    ],
    ids=["empty", "plain", "nul", "unicode", "quotes", "cypher", "megabyte", "chinese-megabyte"],
)
def test_text_round_trips_unchanged(graph: Graph, key: str, text: str) -> None:
    assert graph.run(_KEEP, id=key, x=text) == [{"x": text}]
    assert graph.run(_KEPT, id=key) == [{"x": text}]


def test_lone_surrogate_is_an_error_and_the_graph_still_works(graph: Graph) -> None:
    with pytest.raises((GraphError, UnicodeEncodeError)):
        graph.run(_ECHO, x="half \ud800")
    assert graph.run(_ECHO, x="whole") == [{"x": "whole"}]


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=8)), timezone(timedelta(hours=-5, minutes=-30))])
def test_time_round_trips_to_the_microsecond(graph: Graph, key: str, zone: timezone) -> None:
    at = datetime(2026, 2, 28, 23, 59, 59, 123456, tzinfo=zone)
    graph.run(_KEEP, id=key, x=at)
    back = graph.run(_KEPT, id=key)[0]["x"]
    assert back == at
    assert back.tzinfo is not None


def test_times_inside_lists_and_maps_become_python_times(graph: Graph) -> None:
    at = datetime(1969, 12, 31, tzinfo=UTC)
    answer = graph.run(_query("RETURN {list: [$x, [$x]], map: {at: $x}} AS x", x="ANY"), x=at)[0]["x"]
    assert answer == {"list": [at, [at]], "map": {"at": at}}
    assert isinstance(answer["map"]["at"], datetime)


def test_nodes_and_edges_come_back_as_their_properties(graph: Graph, key: str) -> None:
    made = _query(
        "CREATE (a:TestValue {id: $id})-[r:KNOWS {since: datetime('2026-01-01T00Z')}]->(:TestValue {id: $id + 'b'}) "
        "RETURN {a: a, r: r} AS x",
        "write",
        id="STRING",
    )
    answer = graph.run(made, id=key)[0]["x"]
    assert answer == {"a": {"id": key}, "r": {"since": datetime(2026, 1, 1, tzinfo=UTC)}}


@pytest.mark.parametrize(
    "value", [2**63 - 1, -(2**63), 1.5, float("inf"), True, None, [], [1.0, 2.0], {"a": [1, {"b": None}]}]
)
def test_plain_values_round_trip(graph: Graph, value: Any) -> None:
    assert graph.run(_ECHO, x=value)[0]["x"] == value


def test_query_that_says_read_cannot_write(graph: Graph, key: str) -> None:
    sly = _query("CREATE (n:TestValue {id: $id}) RETURN 1 AS x", "read", id="STRING")
    with pytest.raises(GraphError, match="test"):
        graph.run(sly, id=key)
    assert graph.run(_KEPT, id=key) == []


def test_transaction_with_one_write_among_reads_is_routed_as_a_write(graph: Graph, key: str) -> None:
    answers = graph.run_all([(_KEPT, {"id": key}), (_KEEP, {"id": key, "x": 1}), (_KEPT, {"id": key})])
    assert answers == [[], [{"x": 1}], [{"x": 1}]]


def test_run_all_undoes_the_first_where_the_second_fails(graph: Graph, key: str) -> None:
    broken = _query("RETURN 1 / $x AS x", x="INTEGER")
    with pytest.raises(GraphError):
        graph.run_all([(_KEEP, {"id": key, "x": 1}), (broken, {"x": 0})])
    assert graph.run(_KEPT, id=key) == []


def test_run_all_refuses_a_wrong_parameter_before_anything_runs(graph: Graph, key: str) -> None:
    with pytest.raises(CypherFileError, match="unknown"):
        graph.run_all([(_KEEP, {"id": key, "x": 1}), (_ECHO, {"y": 0})])
    assert graph.run(_KEPT, id=key) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [("RETURN nothing_here AS x", "test"), ("RETURN toInteger({}) AS x", "test"), ("THIS IS NOT", "test")],
)
def test_error_of_the_server_is_ours_and_names_the_query(graph: Graph, text: str, said: str) -> None:
    with pytest.raises(GraphError, match=said) as failed:
        graph.run(_query(text))
    assert failed.value.cure
    assert isinstance(failed.value.__cause__, neo4j.exceptions.Neo4jError)


def test_broken_uniqueness_is_an_error_of_its_own(graph: Graph) -> None:
    name = f"test-{uuid7()}"
    twice = _query("CREATE (:Bank {name: $name}) CREATE (:Bank {name: $name}) RETURN 1 AS x", "write", name="STRING")
    with pytest.raises(ConstraintViolated):
        graph.run(twice, name=name)


def test_wrong_password_is_an_error_that_names_the_settings(database: Connection) -> None:
    wrong = Graph(lambda: Connection(database.uri, database.username, "wrong"))
    with wrong, pytest.raises(EngineAuthError) as refused:
        wrong.verify()
    assert "RETROGRAPH_PASSWORD" in refused.value.cure
    assert "wrong" not in repr(Connection(database.uri, "neo4j", "wrong"))


def test_nobody_at_the_address_is_an_error_that_can_be_retried() -> None:
    nobody = Graph(lambda: Connection("bolt://127.0.0.1:1", "neo4j", "x"), connect_timeout_s=2, retry_s=0)
    with nobody, pytest.raises(EngineUnavailable) as failed:
        nobody.run(_ECHO, x=1)
    assert failed.value.retryable
    assert failed.value.cure


def test_verify_tells_the_server(graph: Graph) -> None:
    assert graph.verify().startswith("Neo4j/")


def test_deprecated_query_fails_a_test(graph: Graph) -> None:
    """The tests let no notice of the server pass."""
    old = CypherQuery("old", "", "CYPHER 5 MATCH (n:Memory) RETURN id(n) AS x LIMIT 1", "read", {}, {})
    with pytest.raises(AssertionError, match=r"(?i)deprecat"):
        graph.run(old)


def test_closed_graph_connects_anew(database: Connection) -> None:
    asked: list[int] = []

    def connect() -> Connection:
        asked.append(1)
        return database

    graph = Graph(connect)
    assert graph.run(_ECHO, x=1) == [{"x": 1}]
    graph.close()
    assert graph.run(_ECHO, x=2) == [{"x": 2}]
    graph.close()
    graph.close()
    assert len(asked) == 2


def test_database_that_moved_is_asked_for_its_new_address_once(database: Connection) -> None:
    """As after the kill of a local engine: the old address is dead, the next one lives."""
    addresses = [Connection("bolt://127.0.0.1:1", "neo4j", "x"), database]
    with Graph(lambda: addresses.pop(0), connect_timeout_s=2, retry_s=0) as graph:
        assert graph.run(_ECHO, x=1) == [{"x": 1}]
    assert addresses == []


def test_graph_is_opened_once_by_many_threads(database: Connection) -> None:
    asked: list[int] = []
    together = threading.Barrier(8)

    def connect() -> Connection:
        asked.append(1)
        return database

    def work(n: int) -> Any:
        together.wait()
        return graph.run(_ECHO, x=n)[0]["x"]

    with Graph(connect) as graph, ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == list(range(8))
    assert len(asked) == 1


def test_eight_writers_on_one_hub_lose_no_increment(graph: Graph, key: str) -> None:
    """Two nodes locked in opposite orders: deadlocks are certain, and retried until each increment is in."""
    graph.run(_KEEP, id=f"{key}a", x=0)
    graph.run(_KEEP, id=f"{key}b", x=0)
    add = (
        "MATCH (n:TestValue {id: $first}) SET n.x = n.x + 1 "
        "WITH n MATCH (m:TestValue {id: $second}) SET m.x = m.x + 1 RETURN m.x AS x"
    )
    step = _query(add, "write", first="STRING", second="STRING")

    def work(number: int) -> None:
        pair = (f"{key}a", f"{key}b") if number % 2 else (f"{key}b", f"{key}a")
        for _ in range(25):
            graph.run(step, first=pair[0], second=pair[1])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert [graph.run(_KEPT, id=f"{key}{n}")[0]["x"] for n in "ab"] == [200, 200]


def test_reader_sees_its_own_write_through_another_session(graph: Graph, key: str) -> None:
    for n in range(5):
        graph.run(_KEEP, id=f"{key}{n}", x=n)
        assert graph.run(_KEPT, id=f"{key}{n}") == [{"x": n}]
