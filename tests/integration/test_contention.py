"""Many who change the same thing at once: counts are exact, no update is lost, deadlocks are tried again, and end."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, cast

import neo4j
import pytest
from neo4j import ManagedTransaction
from neo4j.exceptions import ResultFailedError, TransientError
from uuid_utils import uuid7

from retrograph.consolidation import check_bank
from retrograph.errors import Conflict, EngineUnavailable
from retrograph.graph import Connection, Graph
from retrograph.memory import Memory, writing
from retrograph.models import EntityInput, Outcome, RelationInput, Turn

from .conftest import ask

T = TypeVar("T")


def _at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """Does them all at the same moment, a thread each."""
    ready = threading.Barrier(len(works))

    def started(work: Callable[[], T]) -> T:
        ready.wait(30)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(started, works))


def _faults(memory: Memory, graph: Graph) -> object:
    return check_bank(graph, memory.identity.bank, encoder=lambda: memory.resources.encoder).faults


def test_hub_that_eight_writers_contend_for_has_every_mention_and_every_backing_once(
    memory: Memory, graph: Graph
) -> None:
    names = [EntityInput("Kestrel"), EntityInput("红隼项目")]
    relation = RelationInput(subject="Kestrel", predicate="is run by", object="红隼项目")

    def five(writer: int) -> list[Outcome]:
        return [
            memory.write(
                f"Kestrel 项目 note {writer}-{n}: Kestrel stays.", force=True, entities=names, relations=[relation]
            ).outcome
            for n in range(5)
        ]

    done = _at_once([lambda w=writer: five(w) for writer in range(8)])
    assert Counter(outcome for outcomes in done for outcome in outcomes) == {Outcome.STORED: 40}
    bank = memory.identity.bank
    mentions = ask(
        graph,
        "MATCH (m:Memory {bank: $bank})-[r:MENTIONS]->(e:Entity {bank: $bank}) WHERE e.name IN ['Kestrel', '红隼项目'] "
        "RETURN e.name AS name, count(r) AS edges, count(DISTINCT m) AS memories ORDER BY name",
        bank=bank,
    )
    assert [(row["edges"], row["memories"]) for row in mentions] == [(40, 40), (40, 40)]
    (edge,) = ask(
        graph,
        "MATCH (:Entity {bank: $bank, name: 'Kestrel'})-[r:RELATES]->(:Entity {name: '红隼项目'}) "
        "WHERE r.predicate = 'is run by' RETURN r.memory_ids AS ids",
        bank=bank,
    )
    assert len(edge["ids"]) == len(set(edge["ids"])) == 40
    assert _faults(memory, graph) == ()


def test_memory_that_sixteen_mark_and_tell_again_at_once_counts_each(memory: Memory, graph: Graph) -> None:
    said = "Petra keeps bees on the roof."
    kept = memory.write(said, force=True).id or ""

    def tell(number: int) -> object:
        here = memory.for_identity(replace(memory.identity, session=f"s{number}"))
        return here.write(said, force=True).outcome

    works = [lambda n=n: tell(n) for n in range(8)]
    works += [lambda: memory.feedback([kept], useful=True).useful for _ in range(8)]
    assert Counter(map(str, _at_once(works))) == {"merged": 8, "True": 8}
    (row,) = ask(
        graph,
        "MATCH (m:Memory {bank: $bank}) RETURN m.id AS id, m.source_count AS told, size(m.source_keys) AS keys, "
        "m.access_count AS used, m.feedback AS feedback",
        bank=memory.identity.bank,
    )
    assert row == {"id": kept, "told": 9, "keys": 9, "used": 16, "feedback": 8}
    assert _faults(memory, graph) == ()


def test_fields_that_sixteen_edit_at_once_are_all_as_somebody_said(memory: Memory, graph: Graph) -> None:
    kept = memory.write("The deploy of billing-api takes 7 minutes.", force=True).id or ""
    changes: list[dict[str, Any]] = []
    for n in range(4):
        changes += [{"tags": [f"tag-{n}", "部署"]}, {"summary": f"summary {n}"}, {"domain": f"domain-{n}"}]
        changes += [{"metadata": {"n": n}}]
    done = _at_once([lambda c=change: memory.update(kept, **c).outcome for change in changes])
    assert set(done) == {Outcome.STORED}
    found = memory.get(kept).memory
    assert found.tags in {(f"tag-{n}", "部署") for n in range(4)}
    assert found.summary in {f"summary {n}" for n in range(4)}
    assert found.domain in {f"domain-{n}" for n in range(4)}
    assert found.metadata in [{"n": n} for n in range(4)]
    # What a recall filters by is of the same edits as what is shown.
    assert memory.search("billing-api", tags=found.tags, domain=found.domain).hits[0].memory.id == kept
    others = {f"domain-{n}" for n in range(4)} - {found.domain}
    assert [memory.search("billing-api", domain=other).hits for other in others] == [()] * 3
    assert _faults(memory, graph) == ()


def test_versions_that_sixteen_write_of_one_memory_at_once_make_one_chain(memory: Memory, graph: Graph) -> None:
    kept = memory.write("The deploy of billing-api takes 70 minutes.", force=True).id or ""

    def correct(number: int) -> str | None:
        try:
            return memory.update(kept, content=f"The deploy of billing-api takes {number} minutes.").id
        except Conflict:
            return None

    done = [told for told in _at_once([lambda n=n: correct(n) for n in range(16)]) if told]
    assert len(done) == 1
    # Every version that was acknowledged is there, and one of them is what holds now.
    rows = ask(graph, "MATCH (m:Memory {bank: $bank}) RETURN m.id AS id, m.status AS status", bank=memory.identity.bank)
    assert {row["id"] for row in rows} == {kept, *done}
    assert Counter(row["status"] for row in rows) == {"superseded": len(done), "active": 1}
    assert _faults(memory, graph) == ()


@pytest.mark.parametrize(
    "told",
    [
        [f"Bruno lives in {city}." for city in ("Turin", "Porto", "Ghent", "Riga", "Cork", "Split")],
        [f"小赵住在{city}。" for city in ("苏州", "青岛", "昆明", "大连", "厦门", "珠海")],
        [f"服务 billing-api 的负责人是{name}。" for name in ("王芳", "李强", "张伟", "赵敏", "刘洋", "陈静")],
    ],
)
def test_claims_that_exclude_one_another_told_at_one_moment_leave_one(
    memory: Memory, graph: Graph, told: list[str]
) -> None:
    start = datetime(2026, 5, 4, 9, tzinfo=UTC)
    results = _at_once(
        [
            lambda n=n, text=text: memory.write(text, force=True, occurred_at=start + timedelta(minutes=n))
            for n, text in enumerate(told)
        ]
    )
    assert [result.outcome for result in results] == [Outcome.STORED] * len(told)
    rows = ask(
        graph,
        "MATCH (m:Memory {bank: $bank, status: 'active'}) RETURN m.content AS content",
        bank=memory.identity.bank,
    )
    assert [row["content"] for row in rows] == [told[-1]]
    assert _faults(memory, graph) == ()


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The billing-{n} service runs on rig7.", "The billing-{n} service runs on rig9."),
        ("服务 gateway-{n} 的负责人是王芳。", "服务 gateway-{n} 的负责人是李强。"),
    ],
)
def test_ingests_at_one_moment_leave_one_value_of_each_thing(
    memory: Memory, graph: Graph, monkeypatch: pytest.MonkeyPatch, earlier: str, later: str
) -> None:
    start = datetime(2026, 5, 4, 9, tzinfo=UTC)
    both_have_read = threading.Barrier(2)
    plain = writing.write_batch

    def together(*args: Any, **more: Any) -> Any:
        both_have_read.wait(60)
        return plain(*args, **more)

    monkeypatch.setattr(writing, "write_batch", together)

    def ingest(said: str, day: int) -> int:
        at = start + timedelta(days=day)
        turns = [Turn(said.format(n=n), id=f"{day}-{n}", occurred_at=at) for n in range(40)]
        return memory.ingest(turns, batch_size=64).stored

    assert _at_once([lambda: ingest(earlier, 0), lambda: ingest(later, 1)]) == [40, 40]
    rows = ask(
        graph,
        "MATCH (m:Memory {bank: $bank}) RETURN m.content AS content, m.status AS status",
        bank=memory.identity.bank,
    )
    held = {row["content"] for row in rows if row["status"] == "active"}
    assert held == {later.format(n=n) for n in range(40)}
    assert len(rows) == 80
    assert _faults(memory, graph) == ()


def test_transactions_that_lock_in_any_order_are_tried_again_until_all_are_done(graph: Graph) -> None:
    bank = f"locks-{uuid7()}"
    # A label and properties of its own: no index, no bank.
    ask(graph, "UNWIND range(0, 5) AS n CREATE (:LockedByTest {bank: $bank, n: n, v: 0})", write=True, bank=bank)
    before = graph.traffic.retries

    def add(seed: int) -> int:
        draw = random.Random(seed)
        for _ in range(6):
            order = list(range(6))
            draw.shuffle(order)
            ask(
                graph,
                "UNWIND $order AS n MATCH (x:LockedByTest {bank: $bank, n: n}) SET x.v = x.v + 1 RETURN count(*) AS c",
                write=True,
                bank=bank,
                order=order,
            )
        return 6

    assert sum(_at_once([lambda s=seed: add(s) for seed in range(12)])) == 72
    rows = ask(graph, "MATCH (x:LockedByTest {bank: $bank}) RETURN x.v AS v", bank=bank)
    assert [row["v"] for row in rows] == [72] * 6
    assert graph.traffic.retries > before
    ask(graph, "MATCH (x:LockedByTest {bank: $bank}) DELETE x", write=True, bank=bank)


def test_what_another_deletes_while_it_is_written_to_is_looked_for_again(database: Connection, graph: Graph) -> None:
    bank = f"vanishing-{uuid7()}"
    ask(graph, "CREATE (:LockedByTest {bank: $bank})", write=True, bank=bank)
    before = graph.traffic.retries
    find = "MATCH (x:LockedByTest {bank: $bank}) MERGE (x)-[r:LOCKED]->(x) RETURN count(r) AS n"
    blocked = "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN count(*) AS n"
    auth = (database.username, database.password)
    with (
        neo4j.GraphDatabase.driver(database.uri, auth=auth) as driver,
        driver.session() as session,
        driver.session() as watching,
        ThreadPoolExecutor(1) as pool,
    ):
        deleting = session.begin_transaction()
        deleting.run("MATCH (x:LockedByTest {bank: $bank}) DELETE x", bank=bank).consume()
        # It finds what is not gone yet, and waits for its lock.
        writing = pool.submit(lambda: ask(graph, find, write=True, bank=bank))
        while not writing.done() and not watching.run(blocked).single(strict=True)["n"]:
            time.sleep(0.05)
        deleting.commit()
        assert writing.result(timeout=60) == [{"n": 0}]
    assert graph.traffic.retries > before


def test_deadlock_that_the_driver_meets_again_in_its_rollback_is_tried_again(
    database: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, tries = ManagedTransaction.run, []

    def deadlocked_twice(tx: ManagedTransaction, *args: Any, **more: Any) -> Any:
        tries.append(1)
        if len(tries) <= 2:
            failed = ResultFailedError(cast(Any, None), "The result has failed.")
            raise failed from TransientError("deadlock detected")
        return run(tx, *args, **more)

    with Graph(lambda: database) as graph:
        graph.verify()
        monkeypatch.setattr(ManagedTransaction, "run", deadlocked_twice)
        assert ask(graph, "RETURN 1 AS n") == [{"n": 1}]
    assert len(tries) == 3


def test_writers_of_one_process_write_a_bank_one_after_another_and_pass_who_is_stuck(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.write("The depot opened.", force=True)
    write, inside, most, stuck = writing.write_batch, 0, 0, threading.Event()

    def watched(*args: Any, **more: Any) -> Any:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        answer = write(*args, **more)
        inside -= 1
        return answer

    monkeypatch.setattr(writing, "write_batch", watched)
    texts = [f"Depot {n} opened. 仓库{n}开门了。" for n in range(16)]
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda text: memory.write(text, force=True).outcome, texts))
    assert (outcomes, most) == ([Outcome.STORED] * 16, 1)

    def waiting(*args: Any, **more: Any) -> Any:
        monkeypatch.setattr(writing, "write_batch", write)
        stuck.wait(60)
        return write(*args, **more)

    monkeypatch.setattr(writing, "write_batch", waiting)
    monkeypatch.setattr(writing, "_TURN_S", 0.1)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(memory.write, "The first waits.", force=True)
        while writing.write_batch is not write:
            time.sleep(0.01)
        assert memory.write("The second does not.", force=True).outcome is Outcome.STORED
        assert not first.done()
        stuck.set()
        assert first.result().outcome is Outcome.STORED


def test_deadlock_that_does_not_end_is_told_when_the_time_to_try_again_is_over(
    database: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    def deadlocked(*_: object, **__: object) -> object:
        tries.append(1)
        raise TransientError("deadlock detected")

    with Graph(lambda: database, retry_s=1.5) as graph:
        graph.verify()
        monkeypatch.setattr(ManagedTransaction, "run", deadlocked)
        with pytest.raises(EngineUnavailable, match="could not finish in time") as caught:
            graph.run("create_bank", bank=f"never-{uuid7()}", encoder="e", slot="a", dimensions=3)
    assert caught.value.retryable
    assert 2 <= len(tries) <= 6
    assert graph.traffic.retries == len(tries) - 1
