"""Distils rules: a lesson that several tasks taught becomes one procedural memory with all of them as its sources."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import networkx as nx

from retrograph.consolidation.deduplicating import cosine_of, statement
from retrograph.consolidation.deriving import RULE, Derived, retire_stale, write_derived
from retrograph.consolidation.reflecting import LESSON
from retrograph.consolidation.work import Work
from retrograph.extraction.duplicates import SIMILAR_RELEVANCE, is_similar
from retrograph.extraction.wording import language_of, rule_text
from retrograph.models import Experience, MemoryType

_NEAREST = 20
_BONUS = 0.1


def distil(work: Work) -> None:
    """Writes a rule for each lesson that was learned in `rule_tasks` tasks or more; its sources stay."""
    found: list[Derived] = []
    for lessons in _alike(work):
        found += [derived] if (derived := _rule(lessons, work)) else []
        if len(found) == work.batch:
            write_derived(work, found)
            found = []
    write_derived(work, found)
    retire_stale(work, RULE)


def _alike(work: Work) -> Iterator[list[dict[str, Any]]]:
    """Lessons that say alike things, component by component."""
    graph: nx.Graph[str] = nx.Graph()
    for memories in work.memories():
        ids = [m["id"] for m in memories if m["type"] == MemoryType.LESSON and m.get("derived") in (None, LESSON)]
        if not ids:
            continue
        graph.add_nodes_from(ids)
        least = work.encoder().calibration.cosine(SIMILAR_RELEVANCE)
        query = work.query("find_similar_lessons")
        for row in work.graph.run(query, ids=ids, k=_NEAREST, least=least):
            graph.add_edges_from((row["id"], near["id"]) for near in row["near"])
    for component in sorted(sorted(c) for c in nx.connected_components(graph)):
        read = work.read_members(component)
        lessons = [read[i] for i in component if i in read and work.is_kept(read[i]["memory"])]
        if lessons and not any(m["distilled"] or m["memory"].get("kept_from") == RULE for m in lessons):
            yield lessons


def _rule(lessons: Sequence[dict[str, Any]], work: Work) -> Derived | None:
    """The rule of a component, if enough tasks taught what its middle says."""
    middle = max(lessons, key=lambda m: (sum(cosine_of(m, o) for o in lessons), m["id"]))
    least = work.encoder().calibration.cosine(SIMILAR_RELEVANCE)
    mine = statement(middle, work)
    members = [
        m
        for m in lessons
        if m is middle or is_similar(mine, statement(m, work), cosine=cosine_of(middle, m), threshold=least)[0]
    ]
    tasks = {task for m in members for task in _tasks(m)}
    if len(tasks) < work.settings.rule_tasks:
        return None
    memories = [m["memory"] for m in members]
    language = language_of([middle["memory"]])
    lesson = _experience(middle["memory"])
    verified = any(known.verified for memory in memories if (known := _experience(memory)))
    return Derived(
        kind=RULE,
        content=rule_text(middle["memory"]["content"], tasks=len(tasks), language=language),
        type=MemoryType.SKILL,
        members=members,
        sources=tuple(sorted({m["id"] for m in members} | {d["id"] for m in members for d in m["merged"]})),
        about=middle["entities"],
        importance=round(min(1.0, max(memory["importance"] for memory in memories) + _BONUS), 3),
        occurred_at=max(memory["occurred_at"] for memory in memories),
        language=language,
        experience=replace(lesson, verified=verified) if lesson else None,
    )


def _tasks(member: Mapping[str, Any]) -> Iterator[str]:
    """The tasks that taught a lesson, and what was merged into it: the task runs, else the session, else the day."""
    memory = member["memory"]
    told = [(member["runs"], memory.get("session_id"), memory["occurred_at"])]
    told += [(d.get("runs"), d["session"], d["occurred_at"]) for d in member["merged"]]
    for runs, session, at in told:
        yield from runs or [session or f"{at:%Y-%m-%d}"]


def _experience(memory: Mapping[str, Any]) -> Experience | None:
    return Experience(**json.loads(memory["experience"])) if memory.get("experience") else None
