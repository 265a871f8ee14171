"""How a bank is used: counted, kept in the graph, and private to whoever used it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from retrograph.errors import GraphError
from retrograph.graph import Graph
from retrograph.memory import Memory
from retrograph.memory.usage import UsageLog, bank_usage
from retrograph.models import Hit, Identity, Outcome, SearchResult, WriteResult

from .conftest import Garden, ask

Plant = Callable[..., Garden]


def result(garden: Garden, *ids: str) -> SearchResult:
    hits = tuple(Hit(garden.get(memory_id).memory, 0.9, 0.9, ("meaning",), (), ()) for memory_id in ids)
    return SearchResult("?", hits, took_ms=20.0)


def test_counts_are_added_to_what_is_kept_and_survive_the_process(garden: Garden) -> None:
    first, second = garden.plant("钥匙 under the mat"), garden.plant("never asked for")
    for _ in range(2):
        log = UsageLog()
        log.searched(result(garden, first), identity=garden.identity)
        log.searched(result(garden), identity=garden.identity)
        log.wrote(
            [WriteResult(Outcome.STORED, first, ""), WriteResult(Outcome.REFUSED, None, "")], identity=garden.identity
        )
        log.marked(useful=1, not_useful=0, identity=garden.identity)
        log.write(garden.graph)
        log.write(garden.graph)
    usage = bank_usage(garden.graph, identity=garden.identity)
    assert (usage.searches, usage.searches_with_hits, usage.hits, usage.hit_rate) == (4, 2, 2, 0.5)
    assert (usage.stored, usage.refused, usage.merged) == (2, 2, 0)
    assert (usage.useful, usage.use_rate, usage.mean_search_ms) == (2, 1.0, 20.0)
    assert usage.memories_recalled == 1
    kept = ask(
        garden.graph, "MATCH (m:Memory) WHERE m.id IN $ids RETURN m.id AS id, m.recalls AS n", ids=[first, second]
    )
    assert {row["id"]: row["n"] for row in kept} == {first: 2, second: None}


def test_nobody_s_counts_tell_of_another_s_searches(plant: Plant) -> None:
    ann = plant(user="ann")
    bob = ann.seen_by(user="bob")
    log = UsageLog()
    log.searched(result(ann), identity=ann.identity)
    log.searched(result(ann), identity=replace(ann.identity, bank=f"{ann.identity.bank}-other"))
    log.write(ann.graph)
    assert bank_usage(ann.graph, identity=ann.identity).searches == 1
    assert bank_usage(ann.graph, identity=bob.identity).searches == 0


def test_what_could_not_be_written_is_counted_on(garden: Garden, monkeypatch: pytest.MonkeyPatch) -> None:
    log = UsageLog()
    log.searched(result(garden), identity=garden.identity)

    def down(*_: object, **__: object) -> None:
        raise GraphError("down")

    with monkeypatch.context() as broken:
        broken.setattr(Graph, "run", down)
        with pytest.raises(GraphError):
            log.write(garden.graph)
    log.searched(result(garden), identity=garden.identity)
    log.write(garden.graph)
    assert bank_usage(garden.graph, identity=garden.identity).searches == 2


def test_a_bank_that_is_not_there_is_not_made_by_being_searched(garden: Garden) -> None:
    nowhere = Identity("no-such-bank")
    log = UsageLog()
    log.searched(SearchResult("?", ()), identity=nowhere)
    log.write(garden.graph)
    assert ask(garden.graph, "MATCH (b:Bank {name: 'no-such-bank'}) RETURN b.name AS name") == []


def test_stats_of_a_memory_tell_its_use_and_the_load_of_the_database(memory: Memory) -> None:
    written = memory.write("Remember that the brass key opens the 地下室.", force=True)
    assert written.id
    memory.search("What opens the 地下室?")
    memory.feedback([written.id], useful=True)
    stats = memory.stats()
    assert (stats.usage.searches, stats.usage.stored, stats.usage.useful) == (1, 1, 1)
    assert stats.utilisation == 1
    memory.check()
    load = memory.load()
    assert load.transactions > 3
    assert load.memories >= load.recalled >= 1
    assert load.in_flight == 0
