"""Entities: one under all its names, names that may be one, merge and its undo."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from retrograph.errors import Conflict, InvalidInput, NotFound
from retrograph.memory import Memory
from retrograph.models import EntityInput, EntityType, RelationInput, Scope, Turn

from .conftest import ask, dump

_START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def other(memory: Memory) -> Callable[..., Memory]:
    """The same bank, or another, seen by somebody else."""
    return lambda **who: memory.for_identity(replace(memory.identity, **who))


def _write(
    memory: Memory, text: str, *names: str, kind: EntityType = EntityType.PERSON, scope: Scope | None = None
) -> str:
    result = memory.write(text, entities=[EntityInput(name, kind) for name in names], force=True, scope=scope)
    assert result.id, result.reason
    return result.id


def _pairs(memory: Memory) -> dict[tuple[str, str], float]:
    found = memory.entity_candidates(limit=1000)
    assert found.total == len(found.pairs)
    return {(p.first.key, p.second.key): p.confidence for p in found.pairs}


def _dump(memory: Memory) -> tuple[list[str], list[str]]:
    return dump(memory._resources.graph, memory.identity.bank)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("said", "about", "query", "canonical", "alias"),
    [
        ("Bob is Robert Chen's nickname.", "Bob's laptop runs Fedora.", "Robert Chen's laptop", "Robert Chen", "Bob"),
        ("小李是李建国的昵称。", "小李的电脑装了麒麟系统。", "李建国的电脑", "李建国", "小李"),
    ],
)
def test_memory_under_another_name_is_found_and_apart_again_after_the_undo(
    memory: Memory, said: str, about: str, query: str, canonical: str, alias: str
) -> None:
    _write(memory, said)
    found = _write(memory, about, alias)
    hits = {hit.memory.id: hit for hit in memory.search(query).hits}
    assert found in hits
    seen = memory.entity(canonical)
    assert seen.entity.name == canonical
    assert {name.name for name in seen.names} == {canonical, alias}
    assert about in [m.content for m in seen.memories]
    assert memory.entity(alias).names == seen.names
    undone = memory.unmerge_entities(alias, canonical)
    assert (undone.merged, undone.changed) == (False, True)
    assert not memory.unmerge_entities(alias, canonical).changed
    assert [name.name for name in memory.entity(canonical).names] == [canonical]
    assert about not in [m.content for m in memory.entity(canonical).memories]


@pytest.mark.parametrize(
    ("first", "second", "alias", "canonical", "query"),
    [
        (
            "Kat fixed the boiler.",
            "Katherine Holm lives in Bergen.",
            "Kat",
            "Katherine Holm",
            "What did Katherine Holm repair?",
        ),
        ("老王修好了锅炉。", "王建军住在青岛。", "老王", "王建军", "王建军修了什么"),
    ],
)
def test_merge_moves_nothing_and_its_undo_restores_every_edge(
    memory: Memory, first: str, second: str, alias: str, canonical: str, query: str
) -> None:
    about = _write(memory, first, alias)
    _write(memory, second, canonical)
    before = _dump(memory)
    merged = memory.merge_entities(alias, canonical, reason="同一个人 / the same person")
    assert (merged.merged, merged.changed) == (True, True)
    assert not memory.merge_entities(alias, canonical).changed
    hit = next(hit for hit in memory.search(query, limit=10).hits if hit.memory.id == about)
    assert "entity" in hit.seeds or any(step.kind == "entity" for step in hit.path)
    seen = memory.entity(canonical)
    assert seen.memories_total == 2
    assert {n.name for n in seen.names} == {alias, canonical}
    with pytest.raises(Conflict, match="unmerge"):
        memory.merge_entities(canonical, alias)
    assert memory.unmerge_entities(alias, canonical).changed
    assert _dump(memory) == before
    assert memory.entity(canonical).memories_total == 1


def test_other_names_of_one_thing_are_one_and_a_shared_nickname_joins_no_others(memory: Memory) -> None:
    for name in ("Bob", "Bobby", "Robert Chen", "Robert Lindqvist"):
        _write(memory, f"{name} likes tea.", name)
    memory.merge_entities("Bob", "Robert Chen")
    memory.merge_entities("Bobby", "Robert Chen")
    memory.merge_entities("Bob", "Robert Lindqvist")
    assert {n.name for n in memory.entity("Robert Chen").names} == {"Robert Chen", "Bob", "Bobby"}
    assert {n.name for n in memory.entity("Robert Lindqvist").names} == {"Robert Lindqvist", "Bob"}


def test_private_merge_and_private_alias_reach_nobody_else(memory: Memory, other: Callable[..., Memory]) -> None:
    for name in ("Kat", "Katherine Holm"):
        _write(memory, f"{name} likes tea.", name)
    ann, bob = other(user="ann"), other(user="bob")
    ann.merge_entities("Kat", "Katherine Holm")
    assert len(ann.entity("Kat").names) == 2
    assert [len(who.entity("Kat").names) for who in (bob, memory)] == [1, 1]
    assert not bob.unmerge_entities("Kat", "Katherine Holm").changed
    assert len(ann.entity("Kat").names) == 2
    _write(bob, "Zed is Katherine Holm's nickname.")
    assert {n.name for n in bob.entity("Katherine Holm").names} == {"Katherine Holm", "Zed"}
    assert {n.name for n in ann.entity("Katherine Holm").names} == {"Katherine Holm", "Kat"}
    ann.merge_entities("Kat", "Katherine Holm", scope=Scope.GLOBAL)
    assert len(bob.entity("Kat").names) == 1, "merged for her already: nothing was changed"


def test_entity_of_somebody_else_is_not_there(memory: Memory, other: Callable[..., Memory]) -> None:
    ann = other(user="ann")
    _write(ann, "Torvald Quist rents the attic.", "Torvald Quist")
    _write(memory, "Torvald Qvist sells boats.", "Torvald Qvist")
    for stranger in (other(user="bob"), other(bank=f"{memory.identity.bank}-b", user="ann")):
        with pytest.raises(NotFound):
            stranger.entity("Torvald Quist")
        with pytest.raises(NotFound):
            stranger.merge_entities("Torvald Quist", "Torvald Qvist")
        with pytest.raises(NotFound):
            stranger.unmerge_entities("Torvald Quist", "Torvald Qvist")
        assert _pairs(stranger) == {}
    assert memory.entity("Torvald Qvist").candidates == ()
    assert len(_pairs(ann)) == 1
    assert ann.entity("torvald  quist").memories_total == 1


@pytest.mark.parametrize(
    ("one", "other_name", "least"),
    [
        ("스코프랩스", "스코프 랩스", 0.9),
        ("Scope Labs", "ScopeLabs", 0.9),
        ("Café Miller", "Cafe Miller", 0.85),
        ("Initech", "Initech GmbH", 0.8),
        ("腾云科技", "腾云科技有限公司", 0.8),
        ("Anna Lee", "Anna Lee Fischer", 0.5),
    ],
)
@pytest.mark.parametrize("in_one_batch", [True, False])
def test_near_names_become_candidates_with_evidence_and_stay_apart(
    memory: Memory, one: str, other_name: str, least: float, in_one_batch: bool
) -> None:
    turns = [
        Turn(f"{name} signed a contract.", entities=(EntityInput(name, EntityType.ORGANISATION),))
        for name in (one, other_name)
    ]
    for part in [turns] if in_one_batch else [turns[:1], turns[1:]]:
        memory.ingest(part)
    found = memory.entity_candidates()
    assert [(p.confidence >= least, bool(p.evidence)) for p in found.pairs] == [(True, True)]
    assert {found.pairs[0].first.name, found.pairs[0].second.name} == {one, other_name}
    seen = memory.entity(one)
    assert [c.second.name for c in seen.candidates] == [other_name]
    assert (seen.memories_total, len(seen.names)) == (1, 1)
    memory.merge_entities(other_name, one)
    assert memory.entity_candidates().total == 0
    assert memory.entity(one).candidates == ()


@pytest.mark.parametrize(
    ("one", "other_name"),
    [
        ("Room 101", "Room 102"),
        ("staging", "staging-2"),
        ("张伟", "张伟明"),
        ("Paris", "Madrid"),
        ("queue", "render queue"),
    ],
)
def test_names_that_tell_things_apart_are_no_candidates(memory: Memory, one: str, other_name: str) -> None:
    for name in (one, other_name):
        _write(memory, f"{name} is mentioned here.", name, kind=EntityType.CONCEPT)
    assert _pairs(memory) == {}
    assert memory.entity(one).memories_total == 1


def test_names_that_only_look_alike_stay_below_even_odds(memory: Memory) -> None:
    for name in ("Maria", "Mario"):
        _write(memory, f"{name} plays the cello.", name)
    assert all(confidence < 0.5 for confidence in _pairs(memory).values())
    assert memory.entity("Maria").memories_total == 1


def test_candidates_do_not_depend_on_order_or_batches(memory: Memory, other: Callable[..., Memory]) -> None:
    names = ["Scope Labs", "ScopeLabs", "Initech", "Initech GmbH", "Anna Lee", "Anna Lee Fischer"]
    turns = [Turn(f"{n} called.", id=n, entities=(EntityInput(n, EntityType.ORGANISATION),)) for n in names]
    reverse = other(bank=f"{memory.identity.bank}-r")
    memory.ingest(turns)
    reverse.ingest(turns[::-1], batch_size=1)
    assert _pairs(memory) == _pairs(reverse)
    assert len(_pairs(memory)) == 3
    before = _dump(memory)
    memory.ingest(turns)
    assert _dump(memory) == before


def test_answer_is_bounded_and_says_how_many_there_are(memory: Memory) -> None:
    turns = [
        Turn(
            f"Node {n:03d} reports to Atlas.",
            occurred_at=_START + timedelta(minutes=n),
            entities=(EntityInput("Atlas", EntityType.PRODUCT), EntityInput(f"Node {n:03d}", EntityType.TOOL)),
            relations=(RelationInput(f"Node {n:03d}", "reports_to", "Atlas"),),
        )
        for n in range(120)
    ]
    memory.ingest(turns)
    seen = memory.entity("atlas", limit=7)
    assert (len(seen.memories), seen.memories_total) == (7, 120)
    assert (len(seen.relations), seen.relations_total) == (7, 120)
    assert [m.content for m in seen.memories] == [f"Node {n:03d} reports to Atlas." for n in range(119, 112, -1)]
    assert {(r.predicate, r.object, r.negated, r.memories) for r in seen.relations} == {
        ("reports_to", "Atlas", False, 1)
    }


def test_lookup_of_near_names_never_reads_the_bank(memory: Memory) -> None:
    graph = memory._resources.graph  # pyright: ignore[reportPrivateUsage]
    _write(memory, "Atlas is down.", "Atlas")
    bank = memory.identity.bank
    ask(
        graph,
        "UNWIND range(1, 20000) AS n "
        "CREATE (:Entity {bank: $bank, key: 'k' + n, name: 'K' + n, type: 'person', near_tokens: 'n' + n})",
        write=True,
        bank=bank,
    )
    text = "PROFILE MATCH (e:Entity) RETURN count(e) AS n"
    assert graph.run_statement(f"CYPHER 25 {text}", doing="test")[0]["n"] >= 20000
    from neo4j import GraphDatabase

    from retrograph import cypher

    at = graph.connection
    query = cypher.load("find_near_entities")
    rows = [{"key": "atlass", "tokens": "n17 n18 nothing"}]
    with GraphDatabase.driver(at.uri, auth=(at.username, at.password)) as driver:
        done = driver.execute_query("PROFILE " + query.text, bank=bank, rows=rows, limit=20)
    assert {near["key"] for near in done.records[0]["near"]} == {"k17", "k18"}
    assert _hits(done.summary.profile) < 200


def _hits(plan: dict[str, object] | None) -> int:
    assert plan is not None
    children = plan.get("children") or []
    assert isinstance(children, list)
    return int(str(plan.get("dbHits") or 0)) + sum(_hits(child) for child in children)


@pytest.mark.parametrize(("alias", "canonical"), [("", "Kat"), ("Kat", " "), ("Kat", "KAT"), ("\ud800", "Kat")])
def test_merge_that_cannot_work_is_refused(memory: Memory, alias: str, canonical: str) -> None:
    _write(memory, "Kat fixed the boiler.", "Kat")
    with pytest.raises(InvalidInput):
        memory.merge_entities(alias, canonical)


def test_merged_name_that_no_memory_has_any_more_is_gone(memory: Memory) -> None:
    only = _write(memory, "Kat fixed the boiler.", "Kat")
    _write(memory, "Katherine Holm lives in Bergen.", "Katherine Holm")
    memory.merge_entities("Kat", "Katherine Holm")
    memory.forget([only], hard=True)
    assert [n.name for n in memory.entity("Katherine Holm").names] == ["Katherine Holm"]
    with pytest.raises(NotFound):
        memory.entity("Kat")
