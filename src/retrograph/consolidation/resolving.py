"""Joins entities that are one beyond reasonable doubt; names that merely look alike never are.

A pair has to be the same letters in another spacing or with other accents, or the same company in another legal form,
of one type, never spoken of together, and what is told of them has to agree in two facts or more that are true of few
others.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from retrograph.consolidation.report import Change
from retrograph.consolidation.work import Work, chunks

_LEAST = 0.8
_FACTS = 2
_HUB = 20
"""What so many are related to in one way says nothing of two of them."""


@dataclass(slots=True)
class _Evidence:
    """What is known, for one audience, of names that may be one."""

    graph: "nx.Graph[str]" = field(default_factory=lambda: nx.Graph())
    reasons: dict[frozenset[str], str] = field(default_factory=dict[frozenset[str], str])


def resolve(work: Work) -> None:
    """Makes one name the canonical one in each component of pairs that are sure, for each audience that knows them."""
    evidence: dict[str, _Evidence] = defaultdict(_Evidence)
    ages: dict[str, tuple[Any, str]] = {}
    apart: set[frozenset[str]] = set()
    for rows in work.pages("page_same_as", least=_LEAST, hub=_HUB):
        alive = _alive(rows, work)
        for row in rows:
            pair = frozenset((row["first"]["key"], row["second"]["key"]))
            ages |= {row[side]["key"]: (row[side]["created_at"], row[side]["key"]) for side in ("first", "second")}
            if row["together"]:
                apart.add(pair)
                continue
            for audience, facts in _facts(row, alive).items():
                if len(facts) >= _FACTS:
                    known = evidence[audience]
                    known.graph.add_edge(*sorted(pair), joined=audience in row["joined"])
                    known.reasons[pair] = f"{row['evidence']}; {len(facts)} facts in common"
    joins = [join for audience in sorted(evidence) for join in _joins(audience, evidence[audience], ages, apart)]
    for part in chunks(joins, work.batch):
        work.write([("join_entities", {"bank": work.bank, "run": work.run, "rows": part, "at": work.now})])
        work.note(Change("joined", row["alias"], (row["canonical"],), row["reason"]) for row in part)


def _alive(rows: Sequence[Mapping[str, Any]], work: Work) -> set[str]:
    """The memories behind the facts that are current and stay."""
    ids = sorted({i for row in rows for fact in row["facts"] for i in (*fact["first"], *fact["second"])})
    if not ids:
        return set()
    read = work.graph.run("read_fates", bank=work.bank, ids=ids)
    return {row["id"] for row in read if not work.fates.of(row["memory"])}


def _facts(row: Mapping[str, Any], alive: set[str]) -> dict[str, set[str]]:
    """What is told of both, for each audience."""
    found: dict[str, set[str]] = defaultdict(set)
    for fact in row["facts"]:
        if alive & set(fact["first"]) and alive & set(fact["second"]):
            found[fact["audience"]].add(fact["fact"])
    return found


def _joins(
    audience: str, known: _Evidence, ages: Mapping[str, tuple[Any, str]], apart: set[frozenset[str]]
) -> list[dict[str, Any]]:
    """An edge from each name of a component to its oldest; a component with two that are spoken of together is left."""
    found: list[dict[str, Any]] = []
    for component in sorted(sorted(c) for c in nx.connected_components(known.graph)):
        members = set(component)
        inner = known.graph.subgraph(component)
        is_joined = all(data["joined"] for _, _, data in inner.edges(data=True))
        if is_joined or any(pair <= members for pair in apart):
            continue
        canonical = min(component, key=lambda key: ages[key])
        for alias in component:
            if alias != canonical:
                reason = known.reasons.get(frozenset((alias, canonical))) or "joined through a third name"
                found.append({"alias": alias, "canonical": canonical, "audience": audience, "reason": reason})
    return found
