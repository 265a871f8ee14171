"""What summaries, rules, joined names, pruned links, capacity and weights are made of, and that each can be undone."""

import itertools
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from retrograph.consolidation import JOBS, undo_run
from retrograph.graph.store import Batch, NearNames, write_batch
from retrograph.models import Experience, MemoryType

from .conftest import EPOCH, Garden, ask, dump, toward
from .test_consolidation import NOW, changes, consolidate, state
from .test_consolidation_reflecting import CHINESE, DECIDED, FAILED, LOOKED, WORKED, ran

LATE = datetime(2026, 6, 10, tzinfo=UTC)


def _episode(garden: Garden, text: str, n: int, *names: str, **more: Any) -> dict[str, Any]:
    return garden.row(text, at=EPOCH + timedelta(days=n), mentions=names, type=MemoryType.EVENT, **more)


def _harbour(garden: Garden, count: int = 6, **more: Any) -> list[str]:
    rows = [
        _episode(garden, f"The crane at the harbour moved load {n}.", n, "Harbour", f"Load {n}", **more)
        for n in range(count)
    ]
    return garden.plant_all(rows)


def test_cluster_of_old_episodes_becomes_one_summary_in_their_words(garden: Garden) -> None:
    ids = _harbour(garden)
    garden.plant("Ann bought a kite.", at=EPOCH, type=MemoryType.EVENT, mentions=["Kite"])
    report = consolidate(garden, "summarise", now=LATE)
    ((kind, summary, sources, _),) = changes(report)
    assert (kind, sources) == ("summarised", tuple(sorted(ids)))
    memory = garden.get(summary).memory
    assert (memory.layer, memory.source, memory.type) == ("semantic", "inference", "reflection")
    assert memory.content.startswith("From 1 March 2026 to 6 March 2026, about Harbour (6 memories): The crane")
    assert memory.content.count("moved load") == 3
    assert [e.name for e in garden.get(summary).entities] == ["Harbour"]
    assert [garden.get(i).memory.archived for i in ids] == [False] * 6


def test_chinese_cluster_is_summarised_in_chinese(garden: Garden) -> None:
    rows = [
        _episode(garden, f"李雷检查了渲染队列第{n}号节点。", n, "渲染队列", f"节点{n}", language="zh", speaker="李雷")
        for n in range(5)
    ]
    garden.plant_all(rows)
    ((_, summary, _, _),) = changes(consolidate(garden, "summarise", now=LATE))
    text = garden.get(summary).memory.content
    assert text.startswith("2026年3月1日至2026年3月5日，关于渲染队列（5条记忆）：李雷说：“李雷检查了渲染队列")


def test_few_young_semantic_or_topicless_memories_are_not_summarised(garden: Garden) -> None:
    _harbour(garden, 4)
    garden.plant_all([garden.row(f"fact {n}", mentions=["Mill"]) for n in range(6)])
    garden.plant_all([_episode(garden, f"young {n}", 80 + n, "Quay") for n in range(6)])
    garden.plant_all([_episode(garden, f"loose {n}", n, f"Pair {n // 2}") for n in range(6)])
    garden.plant_all([_episode(garden, f"faded {n}", n, "Dock", importance=0.1) for n in range(6)])
    assert consolidate(garden, "summarise", now=LATE).changed == 0


def test_private_episodes_of_two_users_are_never_summarised_together(garden: Garden) -> None:
    for user in ("ann", "bob"):
        seen = garden.seen_by(user=user)
        seen.plant_all([_episode(seen, f"{user} at the harbour {n}", n, "Harbour", scope="private") for n in range(5)])
    report = consolidate(garden, "summarise", now=LATE)
    assert report.changed == 2
    for _, summary, _, _ in changes(report):
        owner = ask(garden.graph, "MATCH (m:Memory {id: $id}) RETURN m.user_id AS user, m.scope AS scope", id=summary)[
            0
        ]
        text = garden.seen_by(user=owner["user"]).get(summary).memory.content
        assert owner["scope"] == "private"
        assert {"ann": "bob", "bob": "ann"}[owner["user"]] not in text


def test_sources_leave_recall_only_where_asked_and_come_back_with_undo(garden: Garden) -> None:
    ids = _harbour(garden)
    (pinned,) = garden.plant_all([_episode(garden, "The harbour is closed.", 7, "Harbour", pinned=True)])
    before = state(garden)
    settings = {"archive_summarised": True}
    dry = consolidate(garden, "summarise", now=LATE, settings=settings, dry_run=True)
    report = consolidate(garden, "summarise", now=LATE, settings=settings)
    assert changes(dry) == changes(report)
    assert sorted(i for kind, i, _, why in changes(report) if (kind, why) == ("archived", "summarised")) == sorted(ids)
    assert not garden.get(pinned).memory.archived
    again = consolidate(garden, now=LATE, settings=settings)
    assert again.changed == 0
    assert report.run
    undone = undo_run(garden.graph, garden.identity.bank, report.run)
    assert (undone.restored, len(undone.deleted)) == (tuple(sorted(ids)), 1)
    after = state(garden)
    assert [_unweighed(_without_kept(line)) for line in after[0]] == before[0]
    assert after[1] == before[1]
    assert consolidate(garden, "summarise", now=LATE, settings=settings).changed == 0


def _without_kept(line: str) -> str:
    return line.replace("'kept_from': 'summary', ", "").replace("'kept_from': 'rule', ", "")


def _lesson(garden: Garden, text: str, session: str, **more: Any) -> str:
    return garden.plant(text, type=MemoryType.LESSON, session=session, vector=toward(1.0), mentions=["CSV"], **more)


def test_lesson_of_three_tasks_becomes_one_rule_with_three_sources(garden: Garden) -> None:
    value = Experience(problem="rows are lost", solution="read with newline=''", verified=True)
    texts = [
        "Open CSV files with newline set.",
        "Always open CSV files with newline set.",
        "Open all CSV files with newline set.",
    ]
    ids = [_lesson(garden, text, f"task {n}", experience=value if n == 0 else None) for n, text in enumerate(texts)]
    report = consolidate(garden, "distil")
    ((kind, rule, sources, _),) = changes(report)
    assert (kind, set(sources)) == ("distilled", set(ids))
    memory = garden.get(rule).memory
    assert (memory.layer, memory.type) == ("procedural", "skill")
    assert memory.content.startswith("Learned in 3 tasks: ")
    assert memory.importance == pytest.approx(0.6)
    assert not any(garden.get(i).memory.archived for i in ids)
    assert consolidate(garden).changed == 0


def test_lesson_told_in_the_same_words_counts_each_task(garden: Garden) -> None:
    for n in range(3):
        _lesson(garden, "读取 CSV 时要设置 newline" + "。" * n, f"task {n}", language="mixed")
    report = consolidate(garden, "distil")
    assert sorted(kind for kind, *_ in changes(report)) == ["distilled", "merged", "merged"]
    rule = next(i for kind, i, *_ in changes(report) if kind == "distilled")
    assert garden.get(rule).memory.content.startswith("3次任务都学到：读取 CSV")


def test_lesson_of_one_task_or_with_other_numbers_is_no_rule(garden: Garden) -> None:
    for n in range(3):
        _lesson(garden, f"Wait {n} s before a retry.", f"task {n}")
    for text in ("Lock the table first.", "Always lock the table first.", "Lock the whole table first."):
        garden.plant(text, type=MemoryType.LESSON, session="one task", vector=toward(0.5, "lock"))
    assert consolidate(garden, "distil").changed == 0


def _same_as(garden: Garden, first: str, second: str, confidence: float) -> None:
    pair = {"first": first, "second": second, "confidence": confidence, "evidence": "same letters, other spacing"}
    write_batch(garden.graph, garden.identity.bank, Batch(near=NearNames([], [pair])), slot=garden.slot, at=EPOCH)


def _known(garden: Garden, name: str, *facts: tuple[str, str]) -> None:
    for n, (predicate, other) in enumerate(facts):
        memory = garden.plant(f"{name} {predicate} {other} ({n})", mentions=[name, other])
        garden.relate(name, predicate, other, memory_id=memory)


def test_names_are_joined_on_strong_evidence_and_apart_again_after_undo(garden: Garden) -> None:
    _known(garden, "Data Forge", ("made_by", "Acme"), ("runs_on", "Gpu1"))
    _known(garden, "DataForge", ("made_by", "Acme"), ("runs_on", "Gpu1"))
    _same_as(garden, "data forge", "dataforge", 0.9)
    report = consolidate(garden, "resolve")
    assert [c[:3] for c in changes(report)] == [("joined", "dataforge", ("data forge",))]
    assert consolidate(garden).changed == 0
    assert report.run
    assert undo_run(garden.graph, garden.identity.bank, report.run).separated == 1
    assert consolidate(garden).changed == 0


@pytest.mark.parametrize(
    ("first", "second"), [("Maria", "Mario"), ("Austria", "Australia"), ("张伟", "张伟明"), ("staging", "staging 2")]
)
def test_near_names_are_never_joined_whatever_they_have_in_common(garden: Garden, first: str, second: str) -> None:
    for name in (first, second):
        _known(garden, name, ("works_at", "Acme"), ("lives_in", "Oslo"), ("likes", "Tea"))
    _same_as(garden, first.lower(), second.lower(), 0.5)
    assert consolidate(garden, "resolve").changed == 0


def test_names_spoken_of_together_or_with_one_fact_in_common_stay_apart(garden: Garden) -> None:
    for name in ("Jose", "José", "Git Hub", "GitHub"):
        _known(garden, name, ("works_at", "Acme"), *([("lives_in", "Oslo")] if name.startswith("Jos") else []))
    garden.plant("Jose met José.", mentions=["Jose", "José"])
    _same_as(garden, "jose", "josé", 0.85)
    _same_as(garden, "git hub", "github", 0.9)
    assert consolidate(garden, "resolve").changed == 0


def test_facts_that_only_faded_memories_state_are_no_evidence(garden: Garden) -> None:
    _known(garden, "Data Forge", ("made_by", "Acme"), ("runs_on", "Gpu1"))
    for predicate, other in (("made_by", "Acme"), ("runs_on", "Gpu1")):
        memory = garden.plant(f"DataForge {predicate} {other}", mentions=["DataForge", other], importance=0.1)
        garden.relate("DataForge", predicate, other, memory_id=memory)
    _same_as(garden, "data forge", "dataforge", 0.9)
    assert consolidate(garden, "resolve").changed == 0


def test_weak_link_is_pruned_and_undo_puts_it_back_for_good(garden: Garden) -> None:
    a, b = garden.plant("a"), garden.plant("b")
    garden.link(a, b, "supports", 0.2)
    garden.link(b, a, "supports", 0.3)
    before = state(garden)
    report = consolidate(garden, "prune")
    assert changes(report) == [("pruned", a, (b,), "supports")]
    assert [(v.id, v.direction) for v in garden.get(a).links] == [(b, "in")]
    assert report.run
    assert undo_run(garden.graph, garden.identity.bank, report.run).links == 1
    after = state(garden)
    assert [line.replace("'kept': True, ", "") for line in after[1]] == before[1]
    assert consolidate(garden, "prune").changed == 0


def test_capacity_keeps_the_most_important_of_each_user(garden: Garden) -> None:
    ann, bob = garden.seen_by(user="ann"), garden.seen_by(user="bob")
    hers = [ann.plant(f"ann {n}", scope="private", importance=0.4 + n / 100) for n in range(6)]
    core = ann.plant("ann's core", scope="private", importance=0.1, pinned=True)
    his = [bob.plant(f"bob {n}", scope="private", importance=0.4) for n in range(3)]
    report = consolidate(garden, "capacity", settings={"capacity": 4})
    assert changes(report) == [("archived", i, (), "capacity") for i in hers[:3]]
    assert not ann.get(core).memory.archived
    assert not any(bob.get(i).memory.archived for i in his)
    assert consolidate(garden, "capacity", settings={"capacity": 4}).changed == 0


def test_memories_never_recalled_are_named_and_left_alone(garden: Garden) -> None:
    old = garden.plant("old")
    garden.plant("used", access_count=1)
    garden.plant("young", at=NOW - timedelta(days=5))
    before = dump(garden.graph, garden.identity.bank)
    report = consolidate(garden, "unrecalled", settings={"unrecalled_days": 30})
    assert changes(report) == [("noticed", old, (), "never recalled")]
    assert (report.changed, report.jobs[0].counts) == (0, {"unrecalled": 1})
    assert dump(garden.graph, garden.identity.bank) == before


def test_audit_is_kept_for_its_retention_and_only_that_of_the_bank(garden: Garden) -> None:
    for bank, days in ((garden.identity.bank, 10), (garden.identity.bank, 2), (f"{garden.identity.bank}-other", 10)):
        at = NOW - timedelta(days=days)
        ask(garden.graph, "CREATE (:Audit {id: randomUUID(), bank: $bank, at: $at})", write=True, bank=bank, at=at)
    for dry_run in (True, False):
        report = consolidate(garden, "audit", settings={"audit_days": 5}, dry_run=dry_run)
        assert (report.changed, report.jobs[0].counts) == (1, {"purged": 1})
    left = ask(garden.graph, "MATCH (a:Audit) WHERE a.bank STARTS WITH $b RETURN a.at AS at", b=garden.identity.bank)
    assert sorted(row["at"] for row in left) == [NOW - timedelta(days=10), NOW - timedelta(days=2)]


def test_entity_that_much_leads_to_weighs_more(garden: Garden) -> None:
    garden.plant_all([garden.row(f"{n}", mentions=["Hub", f"Leaf {n}"]) for n in range(5)])
    garden.plant("alone", mentions=["Alone"])
    report = consolidate(garden, "weigh")
    assert report.jobs[0].counts == {"weighed": 7}
    rows = ask(garden.graph, "MATCH (e:Entity {bank: $b}) RETURN e.key AS k, e.weight AS w", b=garden.identity.bank)
    weights = {row["k"]: row["w"] for row in rows}
    assert weights["hub"] == max(weights.values())
    assert sum(weights.values()) == pytest.approx(7, rel=1e-2)
    assert consolidate(garden, "weigh").jobs[0].counts == {"weighed": 0}


def _everything(garden: Garden) -> None:
    """Something for every job, with every pair of jobs meeting in some memory."""
    _harbour(garden, 7)
    garden.plant_all([_episode(garden, "The crane at the harbour moved load 3!", 8, "Harbour", expires_at=EPOCH)])
    garden.plant_all(
        [
            _episode(garden, f"The crane at the harbour moved load {n}!!", 9 + n, "Harbour", importance=0.45)
            for n in (1, 2)
        ]
    )
    garden.plant("The harbour crane creaks.", at=EPOCH, type=MemoryType.EVENT, mentions=["Harbour"], importance=0.1)
    texts = [
        "Open CSV files with newline set.",
        "Always open CSV files with newline set.",
        "Open all CSV files with newline set.",
    ]
    lessons = [_lesson(garden, text, f"task {n}", importance=0.6) for n, text in enumerate([*texts, texts[0] + "!"])]
    faded = _lesson(garden, "Open the CSV files with newline set.", "task 9", importance=0.1)
    garden.link(lessons[0], lessons[1], "supports", 0.1)
    garden.link(lessons[3], faded, "supports", 0.2)
    garden.link(lessons[3], lessons[2], "refines", 0.9)
    for name in ("Data Forge", "DataForge"):
        _known(garden, name, ("made_by", "Acme"), ("runs_on", "Gpu1"))
    _same_as(garden, "data forge", "dataforge", 0.9)
    ran(garden, LOOKED, LOOKED, FAILED, DECIDED, WORKED, ended=EPOCH)
    ran(garden, *CHINESE[:1], LOOKED, *CHINESE, task="渲染三号队列", task_type="rendering", ended=EPOCH)


def test_jobs_end_in_the_same_graph_in_whatever_order_they_are_run(plant: Any) -> None:
    """Each run alone, a run a job; capacity and weights, which describe what they find, come last in both."""
    jobs = [job for job in JOBS if job not in ("capacity", "weigh", "unrecalled")]
    orders = [jobs, jobs[::-1], random.Random(7).sample(jobs, len(jobs))]
    seen: list[tuple[list[str], list[str]]] = []
    for order in orders:
        garden = plant()
        _everything(garden)
        reports = [consolidate(garden, job, now=LATE, settings={"archive_summarised": True}) for job in order]
        assert sum(report.changed for report in reports) > 10
        consolidate(garden, now=LATE, settings={"archive_summarised": True})
        nodes, edges = state(garden)
        seen.append(([_anonymous(line) for line in nodes], [_anonymous(line) for line in edges]))
    for other in seen[1:]:
        assert other[0] == seen[0][0]
        assert other[1] == seen[0][1]


def _anonymous(line: str) -> str:
    for name in ("run", "derived_by", "lent_by", "lent", "own_key", "identity_key", "number"):
        start = line.find(f"'{name}': ")
        while start >= 0:
            end = min((e for e in (line.find(", '", start), line.find("}", start)) if e > 0), default=len(line))
            line = line[:start] + line[end:].removeprefix(", ")
            start = line.find(f"'{name}': ")
    return line


def test_order_in_which_jobs_are_named_does_not_matter(garden: Garden) -> None:
    for jobs in itertools.permutations(("expire", "decay", "prune")):
        assert [j.job for j in consolidate(garden, *jobs, dry_run=True).jobs] == ["expire", "decay", "prune"]


def test_dry_run_of_everything_reports_what_a_run_does(garden: Garden) -> None:
    _everything(garden)
    settings = {"archive_summarised": True, "capacity": 8}
    before = dump(garden.graph, garden.identity.bank)
    dry = consolidate(garden, now=LATE, settings=settings, dry_run=True)
    assert dump(garden.graph, garden.identity.bank) == before
    real = consolidate(garden, now=LATE, settings={"archive_summarised": True, "capacity": 8})
    kinds = {kind for kind, *_ in changes(real)}
    assert kinds == {
        "archived", "merged", "reflected", "summarised", "distilled", "joined", "pruned", "thinned", "noticed",
    }  # fmt: skip
    assert "capacity" in {reason for *_, reason in changes(real)}
    assert changes(dry) == changes(real)
    assert consolidate(garden, now=LATE, settings={"archive_summarised": True, "capacity": 8}).changed == 0


def test_undo_of_everything_brings_the_bank_back(garden: Garden) -> None:
    _everything(garden)
    before = state(garden)
    report = consolidate(garden, now=LATE, settings={"archive_summarised": True})
    assert report.run
    undo_run(garden.graph, garden.identity.bank, report.run)
    nodes, edges = state(garden)
    kept = ("'kept_from': 'summary', ", "'kept_from': 'rule', ", "'kept': True, ", ", 'kept_apart': True")
    for word in kept:
        nodes = [line.replace(word, "") for line in nodes]
        edges = [line.replace(word, "") for line in edges]
    assert [_unweighed(n) for n in nodes] == before[0]
    assert edges == before[1]


def _unweighed(line: str) -> str:
    start = line.find(", 'weight': ")
    return line if start < 0 or not line.startswith("Entity") else line[:start] + line[line.index("}", start) :]
