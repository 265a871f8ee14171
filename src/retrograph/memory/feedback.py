"""Feedback: what a reader says of recalled memories moves later rankings, off the path of the recall itself."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from retrograph.errors import InvalidInput
from retrograph.graph import Graph
from retrograph.graph.driver import Call
from retrograph.graph.records import reader
from retrograph.memory.administering import not_found
from retrograph.models import FeedbackReport, FeedbackView, Identity

_MAX_IDS = 1_000
_GROWTH = 2.0
"""What a use adds to a half-life, as a share of it, had all been forgotten since the last: docs/consolidation.md."""
_LONGEST_DAYS = 365


def record_feedback(
    graph: Graph,
    memory_ids: Sequence[str],
    *,
    useful: bool,
    identity: Identity,
    half_life_days: float,
    half_lives: Mapping[str, float] | None = None,
    now: datetime | None = None,
) -> FeedbackReport:
    """Records feedback; `Memory.feedback`.

    Args:
        graph: The database.
        memory_ids: Which; each counts once.
        useful: They helped; else they were in the way.
        identity: Who says so.
        half_life_days: Half-life of a memory for which nothing else says one, days.
        half_lives: By domain or type, of memories that have none of their own, days.
        now: When; None is the present.

    Raises:
        NotFound: An id is not there, or is archived, or not for this identity; nothing is recorded.
        InvalidInput: No id, or more than 1,000.
    """
    marks = {"useful": memory_ids} if useful else {"not_useful": memory_ids}
    marked = record_marks(
        graph, identity=identity, half_life_days=half_life_days, half_lives=half_lives, now=now, **marks
    )
    return FeedbackReport(useful, marked)


def record_marks(
    graph: Graph,
    *,
    useful: Sequence[str] = (),
    not_useful: Sequence[str] = (),
    identity: Identity,
    half_life_days: float,
    half_lives: Mapping[str, float] | None = None,
    now: datetime | None = None,
) -> tuple[FeedbackView, ...]:
    """Records what helped and what did not, all of it or nothing; `Memory.mark`.

    Returns:
        The memories as they stand afterwards, the useful ones first, in the order in which they were named.

    Raises:
        NotFound: An id is not there, or is archived, or not for this identity; nothing is recorded.
        InvalidInput: No id, more than 1,000, or one id on both sides.
    """
    good, bad = list(dict.fromkeys(useful)), list(dict.fromkeys(not_useful))
    ids = good + bad
    if not 1 <= len(ids) <= _MAX_IDS:
        raise InvalidInput(
            f"{len(ids):,} ids were given, not 1 to {_MAX_IDS:,}",
            cure="Name the memories that helped, or were in the way; ids come from a search.",
            field="useful",
        )
    if both := set(good) & set(bad):
        raise InvalidInput(
            f"memory {min(both)!r} is said to be useful and not useful", cure="Say one of the two.", field="not_useful"
        )
    found = graph.run("find_by_ids", **reader(identity), ids=ids)
    missing = set(ids) - {row["id"] for row in found if not row["archived"]}
    if missing:
        raise not_found(min(missing))
    at = now or datetime.now(UTC)
    half_life = {
        "days": half_life_days,
        "by_name": dict(half_lives or {}),
        "growth": _GROWTH,
        "longest": _LONGEST_DAYS,
    }
    calls: list[Call] = [
        (
            "record_feedback",
            # In order, so that two who mark the same memories at once do not wait for each other in a circle.
            {
                "bank": identity.bank,
                "audiences": identity.audiences,
                "ids": sorted(chosen),
                "step": step,
                "at": at,
                "half_life": half_life,
            },
        )
        for chosen, step in ((good, 1), (bad, -1))
        if chosen
    ]
    marked = {row["id"]: FeedbackView(**row) for rows in graph.run_all(calls) for row in rows}
    return tuple(marked[memory_id] for memory_id in ids if memory_id in marked)
