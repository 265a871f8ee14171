"""Forgetting: archived is out of sight, deleted is out of the graph, and nothing else is touched."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from retrograph.errors import InvalidInput, NotFound
from retrograph.graph import Graph
from retrograph.memory import Memory
from retrograph.models import EntityInput, MemoryType, RelationInput, Scope, SearchFilter, Turn

from .conftest import EPOCH, Garden, ask, dump


def _texts(graph: Graph, bank: str) -> str:
    """Every string property of every node and edge of a bank, and of nodes that name no bank at all."""
    nodes = ask(
        graph,
        "MATCH (n) WHERE n.bank = $bank OR n.bank IS NULL OR EXISTS { (n)--({bank: $bank}) } RETURN properties(n) AS p",
        bank=bank,
    )
    edges = ask(graph, "MATCH (a)-[r]-() WHERE a.bank = $bank RETURN DISTINCT r, properties(r) AS p", bank=bank)
    return "\n".join(text for row in [*nodes, *edges] for text in _strings(row["p"]))


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return []


def test_unknown_id_is_not_found_and_nothing_is_done(garden: Garden) -> None:
    kept = garden.plant("kept")
    before = dump(garden.graph, garden.identity.bank)
    for hard in (False, True):
        with pytest.raises(NotFound, match="nowhere"):
            garden.forget(kept, "nowhere", hard=hard)
    assert dump(garden.graph, garden.identity.bank) == before


def test_memory_of_somebody_else_is_not_found(garden: Garden) -> None:
    eve = garden.seen_by(user="eve")
    hers = eve.plant("hers", scope="private")
    stranger = garden.seen_by(bank=f"{garden.identity.bank}-other")
    for other in (garden, garden.seen_by(user="ann"), stranger):
        with pytest.raises(NotFound):
            other.forget(hers, hard=True)
    assert eve.get(hers).memory.content == "hers"


@pytest.mark.parametrize("both", [False, True])
def test_ids_or_a_filter_is_asked_for(garden: Garden, both: bool) -> None:
    one = garden.plant("one")
    with pytest.raises(InvalidInput):
        garden.forget(*([one] if both else []), where=SearchFilter() if both else None)


@pytest.mark.parametrize("hard", [False, True])
def test_dry_run_says_what_would_go_and_changes_nothing(garden: Garden, hard: bool) -> None:
    one = garden.plant("one", mentions=["Only Here", "Shared"], session="s")
    garden.plant("two", mentions=["Shared"], session="s", at=EPOCH + timedelta(hours=1))
    before = dump(garden.graph, garden.identity.bank)
    report = garden.forget(one, hard=hard, dry_run=True)
    assert (report.dry_run, report.hard, report.ids, report.count) == (True, hard, (one,), 1)
    assert report.entities == (1 if hard else 0)
    assert dump(garden.graph, garden.identity.bank) == before
    real = garden.forget(one, hard=hard)
    assert (real.count, real.entities) == (report.count, report.entities)


def test_archived_memory_is_found_by_a_deep_recall_only(garden: Garden) -> None:
    gone = garden.plant("the azure kettle", mentions=["kettle"])
    garden.plant("the kettle is new", mentions=["kettle"])
    garden.forget(gone)
    assert gone not in garden.found("azure kettle")
    assert gone in garden.found("azure kettle", deep=True)
    assert garden.get(gone).memory.archived


def test_archived_memory_can_be_deleted_for_good(garden: Garden) -> None:
    gone = garden.plant("the azure kettle", mentions=["Azure Kettle"])
    garden.forget(gone)
    assert garden.forget(gone, hard=True).entities == 1
    assert "azure" not in _texts(garden.graph, garden.identity.bank).lower()


def test_chain_closes_over_a_run_of_deleted_turns(garden: Garden) -> None:
    ids = [garden.plant(f"turn {n}", at=EPOCH + timedelta(hours=n), session="s") for n in range(6)]
    garden.forget(ids[1], ids[2], ids[4], hard=True)
    rows = ask(
        garden.graph,
        "MATCH (a:Memory {bank: $bank})-[:NEXT]->(b) RETURN a.content AS a, b.content AS b ORDER BY a",
        bank=garden.identity.bank,
    )
    assert [(r["a"], r["b"]) for r in rows] == [("turn 0", "turn 3"), ("turn 3", "turn 5")]


def test_contexts_of_the_turns_around_are_written_anew(garden: Garden) -> None:
    words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"]
    ids = [garden.plant(word, at=EPOCH + timedelta(hours=n), session="s") for n, word in enumerate(words)]
    garden.forget(ids[2], hard=True)
    assert "charlie" not in _texts(garden.graph, garden.identity.bank)
    context = ask(garden.graph, "MATCH (m:Memory {id: $id}) RETURN m.context AS c", id=ids[3])[0]["c"]
    assert context.split() == ["alpha", "bravo", "delta", "echo"]


def test_archived_turn_keeps_no_words_of_a_deleted_neighbour(garden: Garden) -> None:
    ids = [
        garden.plant(w, at=EPOCH + timedelta(hours=n), session="s") for n, w in enumerate(["alpha", "bravo", "charlie"])
    ]
    garden.forget(ids[1])
    garden.forget(ids[0], hard=True)
    assert "alpha" not in _texts(garden.graph, garden.identity.bank)


def test_entities_that_others_mention_stay(garden: Garden) -> None:
    one = garden.plant("one", mentions=["Shared", "Lonely"])
    two = garden.plant("two", mentions=["Shared"])
    assert garden.forget(one, hard=True).entities == 1
    assert [e.name for e in garden.get(two).entities] == ["Shared"]
    names = ask(garden.graph, "MATCH (e:Entity {bank: $bank}) RETURN e.name AS name", bank=garden.identity.bank)
    assert [row["name"] for row in names] == ["Shared"]


def test_relation_that_another_memory_backs_stays(garden: Garden) -> None:
    one = garden.plant("one", mentions=["Ann", "Oslo"])
    two = garden.plant("two", mentions=["Ann", "Oslo"])
    for memory in (one, two):
        garden.relate("Ann", "lives_in", "Oslo", memory_id=memory)
    garden.forget(one, hard=True)
    backing = ask(
        garden.graph, "MATCH (:Entity {bank: $b})-[r:RELATES]->() RETURN r.memory_ids AS ids", b=garden.identity.bank
    )
    assert backing == [{"ids": [two]}]
    garden.forget(two, hard=True)
    assert ask(garden.graph, "MATCH (n:Entity {bank: $b}) RETURN n", b=garden.identity.bank) == []


def test_relation_whose_last_current_memory_goes_is_current_no_more(garden: Garden) -> None:
    old = garden.plant("old", mentions=["Ann", "Oslo"], status="superseded")
    new = garden.plant("new", mentions=["Ann", "Oslo"])
    for memory in (old, new):
        garden.relate("Ann", "lives_in", "Oslo", memory_id=memory)
    garden.forget(new, hard=True)
    edges = ask(
        garden.graph, "MATCH (:Entity {bank: $b})-[r:RELATES]->() RETURN r.is_current AS c", b=garden.identity.bank
    )
    assert edges == [{"c": False}]


def test_filter_forgets_what_matches_and_nothing_else(garden: Garden) -> None:
    gone = garden.plant("gone", tags=("old", "x"), domain="d")
    kept = [
        garden.plant("kept 1", tags=("old",), domain="e"),
        garden.plant("kept 2", domain="d"),
        garden.plant("kept 3"),
    ]
    report = garden.forget(where=SearchFilter(tags=("old",), domain="d"), hard=True)
    assert report.ids == (gone,)
    assert [garden.get(k).memory.content for k in kept] == ["kept 1", "kept 2", "kept 3"]
    assert garden.forget(where=SearchFilter(types=[MemoryType.SKILL]), hard=True).count == 0


def test_filter_on_metadata_forgets_only_what_carries_it(garden: Garden) -> None:
    gone = garden.plant("gone", metadata={"project": "José", "n": 1})
    kept = garden.plant("kept", metadata={"project": "other"})
    bare = garden.plant("bare")
    assert garden.forget(where=SearchFilter(metadata={"project": "José"}), hard=True).ids == (gone,)
    assert garden.get(kept).memory.content == "kept"
    assert garden.get(bare).memory.content == "bare"


@pytest.mark.parametrize("where", [SearchFilter(as_of=EPOCH), SearchFilter(deep=True)])
def test_filter_that_forgetting_cannot_apply_is_refused(garden: Garden, where: SearchFilter) -> None:
    kept = garden.plant("kept")
    with pytest.raises(InvalidInput):
        garden.forget(where=where, hard=True)
    assert garden.get(kept).memory.content == "kept"


def test_filter_never_reaches_the_private_memories_of_others(garden: Garden) -> None:
    eve = garden.seen_by(user="eve")
    hers = eve.plant("hers", scope="private", domain="d")
    everyones = garden.plant("everyone's", domain="d")
    assert garden.forget(where=SearchFilter(domain="d"), hard=True).ids == (everyones,)
    assert eve.get(hers).memory.content == "hers"


def test_many_are_forgotten_at_once(garden: Garden) -> None:
    garden.plant_all([garden.row(f"memory {n}", session="s", at=EPOCH + timedelta(minutes=n)) for n in range(450)])
    report = garden.forget(where=SearchFilter(session="s"), hard=True)
    assert report.count == 450
    nodes, edges = dump(garden.graph, garden.identity.bank)
    assert (nodes, edges) == ([], [])


_LAST = {
    "en": ("Zebulon Quark repairs the Fluxatron in Tremblay.", ["zebulon", "fluxatron", "tremblay", "repairs"]),
    "zh": ("欧阳明珠在青浦仓库维修焊接机器人。", ["欧阳明珠", "青浦", "焊接机器人"]),
    "mixed": ("欧阳明珠用 Fluxatron 在青浦仓库做 welding。", ["欧阳明珠", "fluxatron", "青浦", "welding"]),
}


@pytest.mark.parametrize("language", _LAST)
def test_deleted_memory_leaves_no_word_anywhere(memory: Memory, graph: Graph, language: str) -> None:
    content, words = _LAST[language]
    told = [
        Turn("The weather was fine.", speaker="Ann", session="s", occurred_at=EPOCH),
        Turn(
            content,
            speaker="Bob",
            session="s",
            occurred_at=EPOCH + timedelta(minutes=1),
            entities=(EntityInput("Fluxatron 9", aliases=("the humming fluxatron box",)),),
            relations=(RelationInput("Fluxatron 9", "belongs to", "Tremblay Works"),),
            metadata={"note": "fluxatron"},
            tags=("welding",),
        ),
        Turn("We had soup for lunch.", speaker="Ann", session="s", occurred_at=EPOCH + timedelta(minutes=2)),
    ]
    ids = memory.ingest(told).ids
    assert words[0] in _texts(graph, memory.identity.bank).lower()
    report = memory.forget([ids[1]], hard=True)
    assert report.count == 1
    left = _texts(graph, memory.identity.bank).lower()
    assert [word for word in [*words, "fluxatron", "tremblay", "humming"] if word in left] == []
    assert memory.search(content).hits == () or all(h.memory.id != ids[1] for h in memory.search(content).hits)
    assert memory.get(ids[0]).memory.content == "The weather was fine."


def test_text_told_five_times_and_then_deleted_leaves_nothing(memory: Memory, graph: Graph) -> None:
    """Only one of the five became a memory; nothing may be left that waits for the other four."""
    for session in range(5):
        memory.ingest([Turn("Zebulon lives in Tremblay.", session=f"s{session}", occurred_at=EPOCH)])
    found = memory.search("Zebulon").hits
    assert len(found) == 1
    memory.forget([found[0].memory.id], hard=True)
    assert dump(graph, memory.identity.bank) == ([], [])


def test_private_memory_of_another_user_survives_the_deletion_of_its_twin(memory: Memory) -> None:
    ann = memory.for_identity(replace(memory.identity, user="ann"))
    bob = memory.for_identity(replace(memory.identity, user="bob"))
    first = ann.write("Zebulon lives in Tremblay.", force=True, scope=Scope.PRIVATE)
    second = bob.write("Zebulon lives in Tremblay.", force=True, scope=Scope.PRIVATE)
    assert first.id != second.id
    assert first.id
    assert second.id
    ann.forget([first.id], hard=True)
    detail = bob.get(second.id)
    assert {entity.name for entity in detail.entities} >= {"Zebulon", "Tremblay"}
    assert [hit.memory.id for hit in bob.search("Zebulon").hits] == [second.id]
