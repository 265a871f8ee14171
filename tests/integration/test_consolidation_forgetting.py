"""A memory that is deleted takes its words along from all that consolidation made of it."""

from datetime import timedelta

import pytest

from retrograph.consolidation import ConsolidationReport, Consolidator
from retrograph.graph import Graph
from retrograph.memory import Memory
from retrograph.models import EntityInput, Experience, MemoryType, RelationInput, Turn
from retrograph.settings import ConsolidationSettings

from .conftest import EPOCH, Garden, ask, dump, toward
from .test_consolidation import changes, consolidate
from .test_consolidation_jobs import LATE, _harbour, _lesson
from .test_forgetting import _texts

_INDEXES = ("memory_text_english", "memory_text_cjk", "entity_near")


def _indexed(graph: Graph, bank: str, word: str) -> list[str]:
    """What each full-text index finds by a word in a bank."""
    return [
        f"{index}: {row['id']}"
        for index in _INDEXES
        for row in ask(
            graph,
            "CALL db.index.fulltext.queryNodes($index, $word) YIELD node WHERE node.bank = $bank RETURN node.id AS id",
            index=index,
            word=word,
            bank=bank,
        )
    ]


def _orphan_vectors(graph: Graph, bank: str) -> list[str]:
    """Vectors of memories that are not there."""
    rows = ask(
        graph,
        "MATCH (e:EmbeddingA|EmbeddingB|EmbeddingC|EmbeddingD) WHERE e.bank = $bank "
        "AND NOT EXISTS { MATCH (m:Memory|ArchivedMemory) WHERE m.id = e.id } RETURN e.id AS id",
        bank=bank,
    )
    return [row["id"] for row in rows]


_TOLD = {
    "en": ("Zebulon greased the fluxatron at the harbour", ["zebulon", "fluxatron", "greased"]),
    "zh": ("欧阳明珠在青浦仓库维修焊接机器人", ["欧阳明珠", "青浦", "焊接机器人"]),
    "mixed": ("欧阳明珠用 Fluxatron 在青浦仓库做 welding", ["欧阳明珠", "fluxatron", "welding"]),
}


@pytest.mark.parametrize("language", _TOLD)
def test_words_of_a_deleted_memory_leave_summary_duplicate_and_every_index(
    memory: Memory, graph: Graph, language: str
) -> None:
    content, words = _TOLD[language]
    turns = [
        Turn(
            f"The crane at the Harbour Yard moved load {n}.",
            occurred_at=EPOCH + timedelta(days=n),
            type=MemoryType.EVENT,
            entities=(EntityInput("Harbour Yard"),),
        )
        for n in range(6)
    ]
    turns.append(
        Turn(
            f"{content}.",
            occurred_at=EPOCH + timedelta(days=7),
            type=MemoryType.EVENT,
            entities=(EntityInput("Harbour Yard"), EntityInput(words[0].title())),
            relations=(RelationInput("Harbour Yard", "known for", words[0].title()),),
            metadata={"note": words[1]},
        )
    )
    told = memory.ingest(turns).ids[-1]
    assert told
    # A duplicate that the write pipeline would have merged, as an import may bring it.
    ask(
        graph,
        "MATCH (m:Memory {id: $id}) MATCH (e:EmbeddingA|EmbeddingB|EmbeddingC|EmbeddingD {id: $id}) "
        "CREATE (c:Memory:Episodic) SET c = m { .*, id: $copy, identity_key: $copy, content: m.content + '!' } "
        "CREATE (x:$(labels(e))) SET x = e { .*, id: $copy } "
        "WITH m, c MATCH (m)-[r:MENTIONS]->(n) CREATE (c)-[:MENTIONS {weight: r.weight}]->(n)",
        write=True,
        id=told,
        copy=f"{told}-copy",
    )
    settings = ConsolidationSettings(archive_summarised=True, settle_s=0)
    worker = Consolidator(
        graph, lambda: memory.resources.encoder, memory.settings.model_copy(update={"consolidation": settings})
    )
    report: ConsolidationReport = worker.run(memory.identity.bank, now=LATE)
    kinds = {job.job: job.changed for job in report.jobs}
    assert (kinds["deduplicate"], kinds["summarise"]) == (1, 8)
    bank = memory.identity.bank
    assert all(word in _texts(graph, bank).lower() for word in words)
    forgotten = memory.forget([told], hard=True)
    assert forgotten.along == 2
    left = _texts(graph, bank).lower()
    assert [word for word in words if word in left] == []
    assert [found for word in words for found in _indexed(graph, bank, word)] == []
    assert _orphan_vectors(graph, bank) == []
    # What had left recall for the summary is back.
    assert len(memory.search("crane load", limit=10).hits) == 6


def test_deleted_source_of_a_rule_takes_the_rule_along_and_the_other_lessons_stay(garden: Garden) -> None:
    lesson = Experience(problem="quuxly rows are lost")
    ids = [
        _lesson(garden, text, f"task {n}", experience=lesson if n == 0 else None)
        for n, text in enumerate(
            ["Open CSV files quuxly.", "Always open CSV files quuxly.", "Open all CSV files quuxly."]
        )
    ]
    report = consolidate(garden, "distil")
    assert report.changed == 1
    for number, memory_id in enumerate(ids):
        dry = garden.forget(memory_id, hard=True, dry_run=True)
        done = garden.forget(memory_id, hard=True)
        assert dry.along == done.along == (1 if number == 0 else 0)
    assert "quuxly" not in _texts(garden.graph, garden.identity.bank).lower()


def test_deleted_duplicate_leaves_the_one_it_was_merged_into_as_it_was(garden: Garden) -> None:
    stays = garden.plant("Ann likes tea.", vector=toward(1.0), mentions=["Ann"], access_count=2)
    before = dump(garden.graph, garden.identity.bank)
    goes = garden.plant(
        "Ann likes tea!", vector=toward(1.0), mentions=["Ann", "Quuxly"], access_count=3, importance=0.4
    )
    other = garden.plant("It rained.")
    garden.link(goes, other)
    assert changes(consolidate(garden, "deduplicate")) == [("merged", goes, (stays,), "duplicate")]
    garden.forget(goes, hard=True)
    assert "quuxly" not in _texts(garden.graph, garden.identity.bank).lower()
    garden.forget(other, hard=True)
    nodes, edges = dump(garden.graph, garden.identity.bank)
    assert ([n for n in nodes if not n.startswith(("ConsolidationRun(", "Audit("))], edges) == before


def test_archive_alone_leaves_what_was_made_of_a_memory_to_the_next_run(garden: Garden) -> None:
    ids = _harbour(garden)
    ((_, summary, _, _),) = changes(consolidate(garden, "summarise", now=LATE))
    report = garden.forget(ids[0])
    assert (report.count, report.along) == (1, 0)
    assert not garden.get(summary).memory.archived
    assert consolidate(garden, "summarise", now=LATE).changed == 2
    assert garden.get(summary).memory.archived


def test_summary_that_is_deleted_brings_its_sources_back_to_recall(garden: Garden) -> None:
    ids = _harbour(garden)
    report = consolidate(garden, "summarise", now=LATE, settings={"archive_summarised": True})
    summary = next(i for kind, i, *_ in changes(report) if kind == "summarised")
    garden.forget(summary, hard=True)
    assert not any(garden.get(i).memory.archived for i in ids)


def test_forgotten_summary_is_not_made_again(garden: Garden) -> None:
    _harbour(garden)
    report = consolidate(garden, "summarise", now=LATE)
    ((_, summary, _, _),) = changes(report)
    garden.forget(summary)
    assert consolidate(garden, "summarise", now=LATE).changed == 0


def test_source_told_again_does_not_bring_back_what_was_archived(memory: Memory) -> None:
    turns = [Turn(f"第{n}次 crane inspection passed.", id=f"t{n}", speaker="Ann", occurred_at=EPOCH) for n in range(3)]
    ids = memory.ingest(turns).ids
    memory.forget([i for i in ids[:2] if i])
    report = memory.ingest(turns)
    assert (report.unchanged, report.stored, report.ids) == (3, 0, ids)
    assert memory.stats().archived == 2
