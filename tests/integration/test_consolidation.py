"""Consolidation on a real graph: what goes, what stays, that it can be undone, and that doing it again does nothing."""

from datetime import timedelta
from typing import Any

import pytest

from retrograph.consolidation import ConsolidationReport, Consolidator, undo_run
from retrograph.errors import InvalidInput, NotFound
from retrograph.models import SearchFilter
from retrograph.settings import ConsolidationSettings

from .conftest import EPOCH, Garden, ask, dump, toward

NOW = EPOCH + timedelta(days=60)
_MARKS = ("kept_at", "archived_at", "archived_by", "archive_reason", "reflected_at", "thinned_at")


def consolidate(garden: Garden, *jobs: str, **more: Any) -> ConsolidationReport:
    settings = garden.settings.model_copy(
        update={"consolidation": ConsolidationSettings(**({"settle_s": 0} | more.pop("settings", {})))}
    )
    worker = Consolidator(garden.graph, lambda: garden.encoder, settings)
    return worker.run(garden.identity.bank, jobs=jobs, **({"now": NOW} | more))


def changes(report: ConsolidationReport) -> list[tuple[str, str, tuple[str, ...], str]]:
    return [(c.kind, c.id, c.others, c.reason) for job in report.jobs for c in job.changes]


def state(garden: Garden) -> tuple[list[str], list[str]]:
    """The bank without the records of what was done, and without what undoing leaves on purpose."""
    nodes, edges = dump(garden.graph, garden.identity.bank, without=_MARKS)
    kept = [n for n in nodes if not n.startswith(("ConsolidationRun(", "Audit("))]
    return kept, [e for e in edges if "KEPT_APART" not in e]


def test_expired_memory_goes_to_the_archive_and_pinned_or_later_ones_stay(garden: Garden) -> None:
    gone = garden.plant("gone 过期", expires_at=NOW - timedelta(minutes=1))
    at_once = garden.plant("gone this instant", expires_at=NOW)
    kept = [
        garden.plant("later", expires_at=NOW + timedelta(minutes=1)),
        garden.plant("pinned", expires_at=EPOCH, pinned=True),
        garden.plant("never"),
        garden.plant("waits", expires_at=EPOCH, status="pending_review"),
    ]
    report = consolidate(garden, "expire")
    assert changes(report) == [("archived", i, (), "expired") for i in sorted([gone, at_once])]
    assert report.changed == 2
    assert [garden.get(i).memory.archived for i in (gone, at_once, *kept)] == [True, True] + [False] * 4


def test_faded_memory_goes_and_what_is_important_used_slow_or_pinned_stays(garden: Garden) -> None:
    old = EPOCH + timedelta(days=29)
    faded = garden.plant("faded 淡忘", importance=0.2, at=old)
    kept = [
        garden.plant("young", importance=0.2, at=old + timedelta(days=2)),
        garden.plant("important", importance=0.3, at=old),
        garden.plant("used", importance=0.1, at=old, last_accessed_at=NOW - timedelta(days=3)),
        garden.plant("core", importance=0.1, at=old, access_count=10),
        garden.plant("slow", importance=0.1, at=old, half_life_days=90.0),
        garden.plant("pinned", importance=0.1, at=old, pinned=True),
        garden.plant("history", importance=0.1, at=old, status="superseded"),
    ]
    report = consolidate(garden, "decay")
    assert changes(report) == [("archived", faded, (), "faded")]
    assert [garden.get(i).memory.archived for i in kept] == [False] * 7
    assert consolidate(garden, "decay", settings={"archive_below": 0.0}).changed == 0


def test_archived_memory_is_found_deep_and_undo_brings_it_back_to_stay(garden: Garden) -> None:
    garden.encoder.plan["teapot"] = toward(0.99, "q")
    gone = garden.plant(
        "the azure teapot 茶壶", vector=toward(0.99, "m"), expires_at=EPOCH, importance=0.1, mentions=["teapot"]
    )
    before = state(garden)
    report = consolidate(garden, "expire", "decay")
    assert gone not in garden.found("teapot", now=EPOCH - timedelta(days=1))
    assert gone in garden.found("teapot", deep=True, now=EPOCH - timedelta(days=1))
    assert report.run
    undone = undo_run(garden.graph, garden.identity.bank, report.run)
    assert undone.restored == (gone,)
    assert state(garden) == before
    assert consolidate(garden).changed == 0


def _twins(garden: Garden) -> tuple[str, str, str]:
    near = toward(0.99, "x")
    stays = garden.plant(
        "Ann likes green tea.", vector=near, mentions=["Ann"], access_count=2, last_accessed_at=EPOCH, importance=0.6
    )
    other = garden.plant("It rained.")
    goes = garden.plant(
        "Ann likes the green tea!", vector=near, mentions=["Ann", "Tea"], access_count=3,
        last_accessed_at=EPOCH + timedelta(hours=1),
    )  # fmt: skip
    garden.relate("Ann", "likes", "Tea", memory_id=goes)
    garden.link(goes, other, "supports", 0.8)
    garden.link(other, goes, "causes", 0.9)
    return stays, goes, other


def test_duplicate_is_merged_with_counts_mentions_links_and_relations(garden: Garden) -> None:
    stays, goes, other = _twins(garden)
    report = consolidate(garden, "deduplicate")
    assert changes(report) == [("merged", goes, (stays,), "duplicate")]
    detail = garden.get(stays)
    assert (detail.memory.access_count, detail.memory.last_accessed_at) == (5, EPOCH + timedelta(hours=1))
    assert {e.name for e in detail.entities} == {"Ann", "Tea"}
    assert {(v.id, v.type, v.direction) for v in detail.links} == {(other, "supports", "out"), (other, "causes", "in")}
    assert garden.get(goes).memory.archived
    edge = ask(
        garden.graph, "MATCH (:Entity {bank: $b})-[r:RELATES]->() RETURN r { .memory_ids, .is_current } AS r",
        b=garden.identity.bank,
    )  # fmt: skip
    assert edge == [{"r": {"memory_ids": [goes, stays], "is_current": True}}]


def test_merged_duplicate_lends_when_it_was_said(garden: Garden) -> None:
    near = toward(0.99, "x")
    stays = garden.plant("Ann lives in Lyon.", vector=near, mentions=["Ann"], importance=0.6, access_count=3)
    goes = garden.plant("Ann lives in Lyon!", vector=near, mentions=["Ann"], at=EPOCH + timedelta(days=3))
    told = "MATCH (m:Memory {id: $id}) RETURN m.said_at AS at"
    report = consolidate(garden, "deduplicate")
    assert changes(report) == [("merged", goes, (stays,), "duplicate")]
    assert ask(garden.graph, told, id=stays) == [{"at": EPOCH + timedelta(days=3)}]
    assert report.run
    undo_run(garden.graph, garden.identity.bank, report.run)
    assert ask(garden.graph, told, id=stays) == [{"at": None}]


def test_undo_of_a_merge_restores_counts_edges_and_relations_and_is_not_redone(garden: Garden) -> None:
    _twins(garden)
    before = state(garden)
    report = consolidate(garden, "deduplicate")
    assert state(garden) != before
    assert report.run
    undone = undo_run(garden.graph, garden.identity.bank, report.run)
    assert undone.unmerged == 1
    assert state(garden) == before
    assert consolidate(garden, "deduplicate").changed == 0
    assert undo_run(garden.graph, garden.identity.bank, report.run).restored == ()
    assert state(garden) == before


def test_restored_duplicate_takes_its_counts_back(garden: Garden) -> None:
    from retrograph.memory.versions import restore_memories

    _, goes, _ = _twins(garden)
    before = state(garden)
    consolidate(garden, "deduplicate")
    assert restore_memories(garden.graph, [goes], identity=garden.identity).restored == (goes,)
    assert state(garden) == before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann likes tea.", "Ann does not like tea."),
        ("The port is 8080.", "The port is 8081."),
        ("Maria leads the team.", "Mario leads the team."),
        ("张伟喜欢喝茶。", "张伟明喜欢喝茶。"),
        ("部署在 staging 上。", "部署在 staging-2 上。"),
        ("Ann manages Bob.", "Bob manages Ann."),
    ],
)
def test_statements_that_differ_in_meaning_are_never_merged(garden: Garden, one: str, other: str) -> None:
    for text in (one, other):
        garden.plant(text, vector=toward(1.0))
    assert consolidate(garden, "deduplicate").changed == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann likes green tea.", "Ann likes the green tea!"),
        ("李雷喜欢喝绿茶。", "李雷喜欢喝绿茶！"),
        ("李雷用 PyCharm 写代码。", "李雷用pycharm写代码"),
    ],
)
def test_statements_of_one_meaning_are_merged_in_every_language(garden: Garden, one: str, other: str) -> None:
    first = garden.plant(one, vector=toward(1.0))
    second = garden.plant(other, vector=toward(1.0))
    assert changes(consolidate(garden, "deduplicate")) == [("merged", second, (first,), "duplicate")]


def test_duplicates_of_two_audiences_or_speakers_stay_apart(garden: Garden) -> None:
    same = toward(1.0)
    garden.plant("Ann likes tea.", vector=same)
    garden.plant("Ann likes tea.", vector=same, speaker="Bob")
    garden.seen_by(user="eve").plant("Ann likes tea.", vector=same, scope="private")
    garden.seen_by(user="bob").plant("Ann likes tea.", vector=same, scope="private")
    assert consolidate(garden, "deduplicate").changed == 0


def test_memory_touched_since_it_was_read_stays(garden: Garden) -> None:
    """The owner pins it between the reading of a page and its archiving."""
    gone = garden.plant("gone", expires_at=EPOCH)
    saved = garden.plant("saved", expires_at=EPOCH)
    graph = _Meddling(garden.graph, "MATCH (m:Memory {id: $id}) SET m.pinned = true", id=saved)
    garden.graph = graph  # type: ignore[assignment]
    report = consolidate(garden, "expire")
    garden.graph = graph.graph
    assert changes(report) == [("archived", gone, (), "expired")]
    assert not garden.get(saved).memory.archived


class _Meddling:
    """A graph in which somebody writes between the reading of a page and what follows."""

    def __init__(self, graph: Any, text: str, **params: Any) -> None:
        self.graph, self.text, self.params = graph, text, params

    def run(self, query: Any, **params: Any) -> Any:
        rows = self.graph.run(query, **params)
        if getattr(query, "name", query) == "page_memories" and self.text:
            ask(self.graph, self.text, write=True, **self.params)
            self.text = ""
        return rows

    def run_all(self, calls: Any) -> Any:
        return self.graph.run_all(calls)


def _varied(garden: Garden) -> None:
    _twins(garden)
    garden.plant("gone", expires_at=EPOCH)
    garden.plant("faded", importance=0.1)
    for n in range(3):
        garden.plant("李雷喜欢喝绿茶" + "。" * n, vector=toward(1.0), importance=0.5 + n / 10)


def test_dry_run_reports_the_same_and_writes_nothing(garden: Garden) -> None:
    _varied(garden)
    before = dump(garden.graph, garden.identity.bank)
    dry = consolidate(garden, dry_run=True)
    assert dump(garden.graph, garden.identity.bank) == before
    real = consolidate(garden)
    assert dry.run is None
    assert changes(dry) == changes(real)
    assert [(j.job, j.changed) for j in dry.jobs] == [(j.job, j.changed) for j in real.jobs]
    assert real.changed >= 5


def test_second_run_changes_nothing_and_leaves_no_record(garden: Garden) -> None:
    _varied(garden)
    consolidate(garden)
    before = dump(garden.graph, garden.identity.bank)
    again = consolidate(garden)
    assert (again.changed, again.run) == (0, None)
    assert dump(garden.graph, garden.identity.bank) == before


def test_unknown_job_and_unknown_run_are_told(garden: Garden) -> None:
    with pytest.raises(InvalidInput, match="no job 'tidy'"):
        consolidate(garden, "tidy")
    with pytest.raises(NotFound, match="no-such"):
        undo_run(garden.graph, garden.identity.bank, "no-such")


def test_bank_that_is_not_there_is_skipped(garden: Garden) -> None:
    report = Consolidator(garden.graph, lambda: garden.encoder, garden.settings).run("nobody's bank")
    assert report.skipped
    assert report.changed == 0


def test_other_banks_are_left_alone(garden: Garden) -> None:
    other = garden.seen_by(bank=f"{garden.identity.bank}-other")
    other.plant("gone", expires_at=EPOCH)
    before = dump(garden.graph, other.identity.bank)
    consolidate(garden)
    assert dump(garden.graph, other.identity.bank) == before


def test_filter_where_still_finds_after_consolidation(garden: Garden) -> None:
    gone = garden.plant("gone", expires_at=EPOCH, domain="d")
    consolidate(garden)
    assert garden.forget(where=SearchFilter(domain="d")).count == 0
    assert garden.forget(gone, hard=True).count == 1
