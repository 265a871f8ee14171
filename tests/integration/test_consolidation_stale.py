"""A summary or rule goes when one of its sources was replaced or forgotten; what is left of them makes another."""

from collections.abc import Callable
from typing import Any

import pytest

from retrograph.consolidation import undo_run
from retrograph.graph.store import Supersession
from retrograph.memory.administering import restoring

from .conftest import EPOCH, Garden
from .test_consolidation import changes, consolidate, state
from .test_consolidation_jobs import LATE, _episode, _lesson

_WORD = {"en": "quuxly", "zh": "青浦", "mixed": "Fluxatron"}


def _told(garden: Garden, language: str, count: int = 7) -> list[str]:
    """Episodes about one name; the first has a word that no other has."""
    told: dict[str, Callable[[int], str]] = {
        "en": lambda n: f"The crane at the harbour moved load {n}{' quuxly' if n == 0 else ''}.",
        "zh": lambda n: f"李雷检查了渲染队列第{n}号节点{'，在青浦' if n == 0 else ''}。",
        "mixed": lambda n: f"李雷 检查了 render queue 的 node {n}{' 和 Fluxatron' if n == 0 else ''}。",
    }
    name = {"en": "Harbour", "zh": "渲染队列", "mixed": "render queue"}[language]
    return garden.plant_all(
        [_episode(garden, told[language](n), n, name, f"Part {n}", language=language) for n in range(count)]
    )


def _replace(garden: Garden, older: str, content: str, **more: Any) -> str:
    """A newer memory that replaces another."""
    newer = garden.plant(content, at=LATE, **more)
    garden.plant_all([], supersessions=[Supersession(newer, older, "told otherwise")])
    assert garden.get(older).memory.status == "superseded"
    return newer


def _summaries(garden: Garden) -> list[str]:
    """Contents of the summaries that recall finds."""
    found = [hit.memory for hit in garden.search("harbour crane 渲染队列 render queue", limit=50, min_score=0.0).hits]
    return [memory.content for memory in found if memory.type == "reflection"]


@pytest.mark.parametrize("language", _WORD)
@pytest.mark.parametrize("how", ["replaced", "forgotten"])
@pytest.mark.parametrize("archive", [False, True])
def test_summary_without_what_was_replaced_or_forgotten_takes_its_place(
    garden: Garden, language: str, how: str, archive: bool
) -> None:
    settings = {"archive_summarised": archive}
    ids = _told(garden, language)
    ((_, summary, _, _),) = changes(consolidate(garden, "summarise", now=LATE))
    _replace(garden, ids[0], "It was another day.") if how == "replaced" else garden.forget(ids[0])
    dry = consolidate(garden, "summarise", now=LATE, settings=settings, dry_run=True)
    report = consolidate(garden, "summarise", now=LATE, settings=settings)
    assert changes(dry) == changes(report)
    done = {(kind, reason): (i, sources) for kind, i, sources, reason in changes(report) if reason != "summarised"}
    assert set(done) == {("summarised", "summary"), ("archived", "stale summary")}
    assert done["archived", "stale summary"][0] == summary
    newer, sources = done["summarised", "summary"]
    assert sources == tuple(sorted(ids[1:]))
    assert _WORD[language] not in garden.get(newer).memory.content
    assert not any(_WORD[language] in text for text in _summaries(garden))
    assert len(_summaries(garden)) == 1
    assert consolidate(garden, "summarise", now=LATE, settings=settings).changed == 0


def test_summary_of_too_few_goes_and_brings_back_what_had_left_recall_for_it(garden: Garden) -> None:
    settings = {"archive_summarised": True}
    ids = _told(garden, "en", 5)
    first = consolidate(garden, "summarise", now=LATE, settings=settings)
    summary = next(i for kind, i, *_ in changes(first) if kind == "summarised")
    assert all(garden.get(i).memory.archived for i in ids)
    bank, audiences = garden.identity.bank, garden.identity.audiences
    garden.graph.run_all(restoring(bank, ids[:1], audiences=audiences, slot=garden.slot))
    garden.forget(ids[0])
    report = consolidate(garden, "summarise", now=LATE, settings=settings)
    assert changes(report) == [("archived", summary, (), "stale summary")]
    assert [garden.get(i).memory.archived for i in ids] == [True, False, False, False, False]
    assert consolidate(garden, "summarise", now=LATE, settings=settings).changed == 0


def test_pinned_summary_stays(garden: Garden) -> None:
    ids = _told(garden, "zh")
    ((_, summary, _, _),) = changes(consolidate(garden, "summarise", now=LATE))
    garden.graph.run(
        "edit_memories",
        bank=garden.identity.bank,
        audiences=garden.identity.audiences,
        rows=[{"id": summary, "properties": {"pinned": True}, "dropped": [], "added": [], "at": EPOCH}],
    )
    garden.forget(ids[0])
    consolidate(garden, "summarise", now=LATE)
    assert not garden.get(summary).memory.archived


def test_undo_brings_the_former_summary_back(garden: Garden) -> None:
    ids = _told(garden, "mixed")
    consolidate(garden, "summarise", now=LATE)
    garden.forget(ids[0])
    before = state(garden)
    report = consolidate(garden, "summarise", now=LATE)
    assert report.run
    undo_run(garden.graph, garden.identity.bank, report.run)
    nodes, edges = state(garden)
    assert ([line.replace("'kept_from': 'summary', ", "") for line in nodes], edges) == before


_LESSONS = (
    ["Open CSV files with newline set.", "Always open CSV files with newline set.",
     "Open all CSV files with newline set.", "Open CSV files with newline set first."],
    ["读取文件要设置编码。", "读取文件一定要设置编码。", "读取所有文件要设置编码。", "读取文件时要设置编码。"],
)  # fmt: skip


@pytest.mark.parametrize("texts", _LESSONS)
def test_rule_goes_with_a_lesson_and_comes_again_while_three_tasks_are_left(garden: Garden, texts: list[str]) -> None:
    ids = [_lesson(garden, text, f"task {n}") for n, text in enumerate(texts)]
    rules = [c for c in changes(consolidate(garden)) if c[0] == "distilled"]
    assert len(rules) == 1
    sources = [i for i in ids if not garden.get(i).memory.archived]
    assert set(sources) == set(ids), "none of them says the same as another"
    garden.forget(ids[0])
    done = {kind: (i, others) for kind, i, others, _ in changes(consolidate(garden, "distil"))}
    assert done["archived"][0] == rules[0][1]
    assert set(done["distilled"][1]) == set(ids[1:])
    _replace(garden, ids[1], "Use the reader of another library.")
    assert changes(consolidate(garden, "distil")) == [("archived", done["distilled"][0], (), "stale rule")]
    assert consolidate(garden).changed == 0
