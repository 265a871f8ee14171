"""Summaries on request: what a session, or a span of time, was about, in its own words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from retrograph.errors import InvalidInput
from retrograph.extraction.wording import language_of, summary_text
from retrograph.graph import Graph
from retrograph.graph.records import EARLIEST, LATEST, session_key
from retrograph.models import Identity

_MOST = 500
_NAMES = 5
_ASKING = 0.5
"""What a memory that only asks loses."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What was remembered of a session or a span of time.

    Attributes:
        text: What it is about, when, and the memories that say most, in the order of time; empty where there is none.
        total: Memories it is made of: the newest 500 at most.
        names: What they speak of, the most first.
        sources: Ids of the memories that are quoted.
        first_at: When the first happened.
        last_at: When the last happened.
    """

    text: str
    total: int
    names: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    first_at: datetime | None = None
    last_at: datetime | None = None


def summarise(
    graph: Graph,
    *,
    identity: Identity,
    session: str | None,
    since: datetime | None,
    until: datetime | None,
    quotes: int,
    timezone: ZoneInfo,
) -> Summary:
    """Summarises; `Memory.summarise` says what the arguments mean. Deterministic, without a model."""
    if session is None and since is None and until is None:
        raise InvalidInput("there is nothing to summarise", cure="Name a session, since, or until.", field="session")
    if not 1 <= quotes <= 50:
        raise InvalidInput(f"quotes is {quotes!r}, not between 1 and 50", field="quotes")
    rows = graph.run(
        "list_for_summary",
        bank=identity.bank,
        audiences=identity.audiences,
        since=since or EARLIEST,
        until=until or LATEST,
        session_key=session_key(identity, session) if session else None,
        limit=_MOST,
    )
    if not rows:
        return Summary("", 0)
    rows.sort(key=lambda row: (row["memory"]["occurred_at"], row["memory"]["id"]))
    counted = Counter(name for row in rows for name in row["names"])
    names = [name for name, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))][:_NAMES]
    best = sorted(rows, key=lambda row: (-_weight(row, counted), row["memory"]["id"]))[:quotes]
    chosen = {row["memory"]["id"] for row in best}
    told: Sequence[Mapping[str, Any]] = [row["memory"] for row in rows if row["memory"]["id"] in chosen]
    memories = [row["memory"] for row in rows]
    first, last = memories[0]["occurred_at"], memories[-1]["occurred_at"]
    text = summary_text(
        told,
        names=names or [session or "…"],
        count=len(rows),
        first_at=first,
        last_at=last,
        language=language_of(memories),
        timezone=timezone,
    )
    return Summary(text, len(rows), tuple(names), tuple(m["id"] for m in told), first, last)


def _weight(row: Mapping[str, Any], counted: Counter[str]) -> float:
    """How much a memory says of what the others speak of, and how important it is."""
    shared = sum(counted[name] for name in row["names"]) / max(counted.total(), 1)
    return row["memory"]["importance"] + shared - _ASKING * (row["memory"]["asks"] or 0.0)
