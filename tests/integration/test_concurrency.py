"""Many at once, and killed half-way: nothing lost, nothing twice, one graph whatever the order."""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from uuid_utils import uuid7

from retrograph.graph import Connection, Graph
from retrograph.memory import Memory
from retrograph.models import EntityInput, Outcome, Turn

from .conftest import EPOCH, ask, dump

_WRITER = """\
import sys
from datetime import UTC, datetime, timedelta
from retrograph.memory import open_memory
from retrograph.models import Turn

uri, username, password, bank, who, how = sys.stdin.readline().split()
with open_memory(uri=uri, username=username, password=password, bank=bank) as memory:
    memory.warm()
    print("ready", flush=True)
    sys.stdin.readline()
    if how == "write":
        for n in range(20):
            memory.write(f"Writer {who} bought boat number {n} in port {who}{n}.", force=True)
    else:
        at = datetime(2026, 3, 1, 9, tzinfo=UTC)
        turns = [
            Turn(f"Petra bought boat number {n}.", session="s", speaker="Petra", occurred_at=at + timedelta(minutes=n))
            for n in range(24)
        ]
        memory.ingest(turns, batch_size=2, progress=lambda done: print("done", done, flush=True))
print("end", flush=True)
"""


def _started(database: Connection, bank: str, who: str, how: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", _WRITER], stdin=-1, stdout=-1, stderr=-1, text=True)
    assert process.stdin is not None
    process.stdin.write(f"{database.uri} {database.username} {database.password} {bank} {who} {how}\n")
    process.stdin.flush()
    return process


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_two_processes_of_twenty_writes_make_forty_memories(database: Connection, memory: Memory) -> None:
    processes = [_started(database, memory.identity.bank, who, "write") for who in ("red", "blue")]
    for process in processes:
        assert _line(process) == "ready"
    for process in processes:
        out, err = process.communicate("go\n", timeout=500)
        assert (out.strip(), process.returncode) == ("end", 0), err
    assert memory.stats().memories == 40


def test_ingest_killed_half_way_is_completed_by_the_next(database: Connection, memory: Memory, graph: Graph) -> None:
    bank = memory.identity.bank
    killed = _started(database, bank, "x", "ingest")
    assert _line(killed) == "ready"
    assert killed.stdin is not None
    killed.stdin.write("go\n")
    killed.stdin.flush()
    assert _line(killed) == "done 2"
    assert _line(killed) == "done 4"
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    half = memory.stats().memories
    assert 4 <= half < 24
    again = _started(database, bank, "x", "ingest")
    out, err = again.communicate("go\n", timeout=500)
    assert again.returncode == 0, err
    assert out.split()[-1] == "end"
    whole = memory.for_identity(replace(memory.identity, bank=f"{bank}-whole"))
    turns = [
        Turn(f"Petra bought boat number {n}.", session="s", speaker="Petra", occurred_at=EPOCH + timedelta(minutes=n))
        for n in range(24)
    ]
    whole.ingest(turns, batch_size=2)
    assert memory.stats().memories == 24
    apart = _apart(dump(graph, bank), dump(graph, whole.identity.bank))
    assert apart == [], "\n".join(apart)


def test_ingest_told_twice_changes_nothing(memory: Memory, graph: Graph) -> None:
    turns = [
        Turn("Petra moved to Ghent.", speaker="Ann", session="s", occurred_at=EPOCH, id="t1"),
        Turn("小李住在北京。", speaker="Bob", session="s", occurred_at=EPOCH + timedelta(hours=1)),
        Turn("小李住在上海。", speaker="Bob", session="s", occurred_at=EPOCH + timedelta(hours=2)),
        Turn("Petra moved to Ghent.", speaker="Ann", session="t", occurred_at=EPOCH + timedelta(hours=3)),
    ]
    first = memory.ingest(turns)
    before = dump(graph, memory.identity.bank)
    assert before[0]
    assert before[1]
    second = memory.ingest(turns)
    assert dump(graph, memory.identity.bank) == before
    assert (second.unchanged, second.stored, second.merged) == (4, 0, 0)
    assert second.ids == first.ids
    memory.ingest(turns, batch_size=1)
    assert dump(graph, memory.identity.bank) == before


def test_one_new_entity_mentioned_by_twenty_writers_at_once_is_one_entity(memory: Memory, graph: Graph) -> None:
    def write(number: int) -> Outcome:
        result = memory.write(f"Note {number} on the thing.", force=True, entities=[EntityInput("Fluxatron")])
        return result.outcome

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(write, range(20)))
    assert len(outcomes) == 20
    assert set(outcomes) == {Outcome.STORED}
    rows = ask(
        graph,
        "MATCH (e:Entity {bank: $bank, name: 'Fluxatron'}) RETURN e.key AS key, COUNT { (e)<-[:MENTIONS]-() } AS n",
        bank=memory.identity.bank,
    )
    assert rows == [{"key": "fluxatron", "n": 20}]


def test_one_text_written_by_eight_at_once_is_one_memory(memory: Memory, graph: Graph) -> None:
    def write(number: int) -> Outcome:
        here = memory.for_identity(replace(memory.identity, session=f"s{number}"))
        return here.write("Petra keeps bees on the roof.", force=True).outcome

    with ThreadPoolExecutor(8) as pool:
        outcomes = sorted(outcome.value for outcome in pool.map(write, range(8)))
    assert outcomes == ["merged"] * 7 + ["stored"]
    rows = ask(
        graph,
        "MATCH (m:Memory {bank: $bank}) RETURN m.source_count AS n, m.access_count AS a",
        bank=memory.identity.bank,
    )
    assert rows == [{"n": 8, "a": 7}]
    vectors = ask(
        graph, "MATCH (e) WHERE e.bank = $bank AND e.vector IS NOT NULL RETURN count(*) AS n", bank=memory.identity.bank
    )
    assert vectors == [{"n": 1}]


def test_turns_of_one_session_written_by_many_at_once_make_one_chain(memory: Memory, graph: Graph) -> None:
    here = memory.for_identity(replace(memory.identity, session="s"))
    numbers = list(range(16))
    random.Random(7).shuffle(numbers)

    def write(number: int) -> None:
        here.write(f"Boat number {number} left port.", force=True, occurred_at=EPOCH + timedelta(minutes=number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, numbers))
    edges = ask(
        graph,
        "MATCH (a:Memory {bank: $bank})-[:NEXT]->(b) RETURN a.content AS a, b.content AS b",
        bank=memory.identity.bank,
    )
    expected = {(f"Boat number {n} left port.", f"Boat number {n + 1} left port.") for n in range(15)}
    assert {(row["a"], row["b"]) for row in edges} == expected
    assert len(edges) == 15


def test_first_writes_of_a_bank_at_once_make_one_bank(memory: Memory) -> None:
    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(lambda n: memory.write(f"Boat number {n} sank.", force=True).outcome, range(6)))
    assert outcomes == [Outcome.STORED] * 6
    assert memory.stats().memories == 6


_STORY = [
    Turn("Priya lives in Lyon.", session="s", speaker="Ann", occurred_at=EPOCH),
    Turn("Priya lives in Turin.", session="s", speaker="Ann", occurred_at=EPOCH + timedelta(days=1)),
    Turn("Priya lives in Porto.", session="s", speaker="Ann", occurred_at=EPOCH + timedelta(days=2)),
    Turn("小王住在北京。", session="t", occurred_at=EPOCH + timedelta(hours=1)),
    Turn("小王住在上海。", session="t", occurred_at=EPOCH + timedelta(days=3)),
    Turn("Ravi keeps bees.", session="s", speaker="Bob", occurred_at=EPOCH + timedelta(hours=2)),
]


@pytest.fixture(scope="module")
def in_order(_shared_memory: Memory, graph: Graph) -> tuple[list[str], list[str]]:
    """What the story leaves in the graph when it is told in order, turn by turn."""
    memory = _shared_memory.for_identity(replace(_shared_memory.identity, bank=f"test-{uuid7()}"))
    memory.ingest(_STORY, batch_size=1)
    return dump(graph, memory.identity.bank)


@settings(max_examples=3, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(len(_STORY))), batch_size=st.integers(1, len(_STORY)))
def test_order_and_batching_of_the_writes_do_not_change_the_graph(
    memory: Memory, graph: Graph, in_order: tuple[list[str], list[str]], order: list[int], batch_size: int
) -> None:
    fresh = memory.for_identity(replace(memory.identity, bank=f"test-{uuid7()}"))
    fresh.ingest([_STORY[n] for n in order], batch_size=batch_size)
    apart = _apart(dump(graph, fresh.identity.bank), in_order)
    assert apart == [], "\n".join(apart)


@pytest.mark.parametrize(
    "told",
    [
        ["The project is called Kestrel.", "Everybody says kestrel is late."],
        ["票务页面跑在 web07 上。", "web07 reboots every night."],
        ["《青竹》项目由李雷负责。", "青竹今晚上线。"],
    ],
)
def test_name_is_known_to_what_comes_after_it_in_its_batch(memory: Memory, graph: Graph, told: list[str]) -> None:
    turns = [Turn(text, occurred_at=EPOCH + timedelta(hours=n)) for n, text in enumerate(told)]
    stories: list[tuple[list[str], list[str]]] = []
    for batch_size in (1, len(turns)):
        fresh = memory.for_identity(replace(memory.identity, bank=f"test-{uuid7()}"))
        fresh.ingest(turns, batch_size=batch_size, force=True)
        stories.append(dump(graph, fresh.identity.bank))
    apart = _apart(*stories)
    assert apart == [], "\n".join(apart)
    mentions = [edge for edge in stories[0][1] if "-MENTIONS" in edge]
    assert any(sum(edge.endswith(name) for edge in mentions) == 2 for name in {e.split("-> ")[1] for e in mentions})


def _apart(one: tuple[list[str], list[str]], other: tuple[list[str], list[str]]) -> list[str]:
    """Lines that only one of two dumps has."""
    counted = Counter(one[0] + one[1])
    counted.subtract(other[0] + other[1])
    return [f"{number:+d} {line}" for line, number in counted.items() if number]


@pytest.mark.parametrize(
    "told",
    [
        ("Priya lives in Lyon.", "Priya lives in Turin.", "Priya still lives in Lyon."),
        ("小王住在北京。", "小王住在上海。", "小王一直住在北京。"),
    ],
)
def test_likeness_is_noted_whether_the_older_one_was_superseded_before(
    memory: Memory, graph: Graph, told: tuple[str, str, str]
) -> None:
    first, newer, again = (
        Turn(text, occurred_at=EPOCH + timedelta(days=n)) for n, text in zip((0, 2, 1), told, strict=True)
    )
    stories: list[tuple[list[str], list[str]]] = []
    for order in ([first, again, newer], [first, newer, again]):
        fresh = memory.for_identity(replace(memory.identity, bank=f"test-{uuid7()}"))
        fresh.ingest(order, batch_size=1, force=True)
        stories.append(dump(graph, fresh.identity.bank))
    apart = _apart(*stories)
    assert apart == [], "\n".join(apart)
    assert any("'similar'" in edge for edge in stories[0][1])
