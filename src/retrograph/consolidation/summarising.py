"""Summarises what happened long ago: clusters of episodes about the same names become one semantic memory each.

A month is looked at once it is over and old enough, an audience of it in groups of bounded size. In a group, memories
are joined by the names they share, rare ones more than common ones, and fall into communities (Louvain). A community
that is about something, a name that most of it speaks of, is summarised in the words of its most central members.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import networkx as nx

from retrograph.consolidation.deriving import SUMMARY, Derived, retire_stale, write_derived
from retrograph.consolidation.fates import is_core
from retrograph.consolidation.rewording import Rewording
from retrograph.consolidation.work import Work
from retrograph.extraction.wording import language_of, summary_text
from retrograph.models import MemoryType

SUMMARISED = "summarised"
_GROUP = 400
_QUOTED = 3
_NAMES = 3
_ABOUT = 0.6
"""Share of a cluster's memories that speak of what it is about."""
_COMMON = 0.5
_LARGE = 50
"""A name that more than this share of a large group speaks of joins nobody and is nobody's topic."""
_LEAST_IMPORTANCE = 0.4


def summarise(work: Work) -> None:
    """Writes a summary of each cluster of old episodes; its sources are archived only where settings ask for it."""
    planned: set[str] = set()
    writer = Rewording(work.settings, safety=work.safety, timezone=work.timezone, counts=work.counts)
    for since, until in _months(work):
        found: list[Derived] = []
        for group in _groups(work, since, until):
            found += [derived for cluster in _clusters(group, work) if (derived := _summary(cluster, work, writer))]
            if len(found) >= work.batch:
                _write(work, found, planned)
                found = []
        _write(work, found, planned)
    if work.settings.archive_summarised:
        _archive_sources(work, planned)
    retire_stale(work, SUMMARY)


def _write(work: Work, found: Sequence[Derived], planned: set[str]) -> None:
    write_derived(work, found)
    if work.dry_run:
        planned.update(source for derived in found for source in derived.sources)


def _months(work: Work) -> Iterator[tuple[datetime, datetime]]:
    """The months that are over and old enough, from that of the first memory on."""
    first = work.graph.run("find_first_episode", bank=work.bank)[0]["first_at"]
    if first is None:
        return
    before = work.now - timedelta(days=work.settings.cluster_days)
    since = datetime(first.year, first.month, 1, tzinfo=UTC)
    while (until := _next_month(since)) <= before:
        yield since, until
        since = until


def _next_month(month: datetime) -> datetime:
    return datetime(month.year + month.month // 12, month.month % 12 + 1, 1, tzinfo=UTC)


def _episodes(work: Work, since: datetime, until: datetime) -> Iterator[dict[str, Any]]:
    """Episodes of a span in the order of time.

    Archived ones that were summarised are among them, so that the clusters stay the same.
    """
    after_ms, after = -(2**62), ""
    while True:
        rows = work.graph.run(
            "page_episodes",
            bank=work.bank,
            from_at=since,
            until_at=until,
            after_ms=after_ms,
            after=after,
            limit=work.page,
        )
        yield from (row for row in rows if row["memory"]["archived_at"] or work.is_kept(row["memory"]))
        work.looked_at(len(rows))
        if len(rows) < work.page:
            return
        after_ms, after = rows[-1]["at_ms"], rows[-1]["id"]


def _groups(work: Work, since: datetime, until: datetime) -> Iterator[list[dict[str, Any]]]:
    by_audience: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _episodes(work, since, until):
        group = by_audience[row["memory"]["audience"]]
        group.append(row)
        if len(group) == _GROUP:
            yield by_audience.pop(row["memory"]["audience"])
    yield from (by_audience[audience] for audience in sorted(by_audience))


def _clusters(group: Sequence[dict[str, Any]], work: Work) -> Iterator[tuple[list[str], dict[str, float], list[str]]]:
    """Communities of a group: ids of those not summarised yet, how central each is, and what they are about."""
    graph = joined_by_names({row["id"]: row["entities"] for row in group})
    rows = {row["id"]: row for row in group}
    spoken = Counter(name for row in group for name in set(row["entities"]))
    common = {name for name, count in spoken.items() if _is_common(count, of=len(group))}
    communities = cast(list[set[str]], nx.community.louvain_communities(graph, weight="weight", seed=0))
    for community in sorted(sorted(c) for c in communities):
        new = [i for i in community if not rows[i]["summarised"] and rows[i]["memory"].get("kept_from") != SUMMARY]
        if len(new) < work.settings.cluster_size:
            continue
        about = _topics([rows[i]["entities"] for i in new], common)
        if about:
            inner = graph.subgraph(new)
            yield new, {i: float(inner.degree(i, weight="weight")) for i in new}, about


def joined_by_names(names: Mapping[str, Sequence[str]]) -> "nx.Graph[str]":
    """Memories as nodes, joined by the names they share; a name counts the less the more memories speak of it."""
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(sorted(names))
    speaking: dict[str, list[str]] = defaultdict(list)
    for memory_id in sorted(names):
        for name in sorted(set(names[memory_id])):
            speaking[name].append(memory_id)
    for name in sorted(speaking):
        ids = speaking[name]
        if _is_common(len(ids), of=len(names)):
            continue
        for position, one in enumerate(ids):
            for other in ids[position + 1 :]:
                before = graph.get_edge_data(one, other, {"weight": 0.0})["weight"]
                graph.add_edge(one, other, weight=before + 1.0 / len(ids))
    return graph


def _is_common(count: int, *, of: int) -> bool:
    return of >= _LARGE and count > _COMMON * of


def _topics(names: Sequence[Sequence[str]], common: set[str]) -> list[str]:
    """Names that most of the memories speak of, the commonest first; not those that all the group speaks of."""
    counts: dict[str, int] = defaultdict(int)
    for found in names:
        for name in set(found) - common:
            counts[name] += 1
    most = sorted(counts, key=lambda name: (-counts[name], name))
    return [name for name in most if counts[name] >= _ABOUT * len(names)][:_NAMES]


def _summary(cluster: tuple[list[str], dict[str, float], list[str]], work: Work, writer: Rewording) -> Derived | None:
    ids, central, about = cluster
    read = work.read_members(ids)
    members = sorted(read.values(), key=lambda m: (m["memory"]["occurred_at"], m["id"]))
    if len(members) < work.settings.cluster_size:
        return None
    memories = [member["memory"] for member in members]
    named = {e["key"]: e for member in members for e in member["entities"] if e["key"] in about}
    top = set(sorted((m["id"] for m in members), key=lambda i: (-central[i], i))[:_QUOTED])
    language = language_of(memories)
    # What a dry run reports is which clusters there are, not their words.
    said = "" if work.dry_run else writer.word(memories, language=language)
    mean = sum(memory["importance"] for memory in memories) / len(memories)
    return Derived(
        kind=SUMMARY,
        content=summary_text(
            [memory for memory in memories if memory["id"] in top],
            names=[named[key]["name"] for key in about],
            count=len(members),
            first_at=memories[0]["occurred_at"],
            last_at=memories[-1]["occurred_at"],
            language=language,
            timezone=work.timezone,
            said=said,
        ),
        type=MemoryType.REFLECTION,
        members=members,
        sources=tuple(sorted(read)),
        about=[named[key] for key in about],
        importance=round(max(mean, _LEAST_IMPORTANCE), 3),
        occurred_at=memories[-1]["occurred_at"],
        language=language,
        worded_by=writer.name if said else None,
    )


def _archive_sources(work: Work, planned: set[str]) -> None:
    """Archives what a summary that recall finds was made of, after a pause: a recall under way has read before it."""
    pause = True
    for since, until in _months(work):
        sources = [row["memory"] for row in _episodes(work, since, until) if _is_covered(row, planned)]
        if sources and pause and not work.dry_run:
            work.settle()
            pause = False
        work.archive(sorted(sources, key=lambda m: m["id"]), SUMMARISED)


def _is_covered(row: Mapping[str, Any], planned: set[str]) -> bool:
    memory = row["memory"]
    return (
        (row["covered"] or row["id"] in planned)
        and not memory["archived_at"]
        and not is_core(memory)
        and memory.get("kept_from") != SUMMARY
    )
