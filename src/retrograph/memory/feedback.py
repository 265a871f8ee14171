"""Feedback: what a reader says of recalled memories moves later rankings, off the path of the recall itself."""

from collections.abc import Sequence
from datetime import UTC, datetime

from retrograph.errors import InvalidInput
from retrograph.graph import Graph
from retrograph.memory.administering import not_found
from retrograph.models import FeedbackReport, FeedbackView, Identity

_MAX_IDS = 1_000
_GROWTH = 1.5
_LONGEST_DAYS = 365
_PAUSE_MS = 86_400_000


def record_feedback(
    graph: Graph,
    memory_ids: Sequence[str],
    *,
    useful: bool,
    identity: Identity,
    half_life_days: float,
    now: datetime | None = None,
) -> FeedbackReport:
    """Records feedback; `Memory.feedback`.

    Args:
        graph: The database.
        memory_ids: Which; each counts once.
        useful: They helped; else they were in the way.
        identity: Who says so.
        half_life_days: Half-life of a memory that has none of its own, days.
        now: When; None is the present.

    Raises:
        NotFound: An id is not there, or is archived, or not for this identity; nothing is recorded.
        InvalidInput: No id, or more than 1,000.
    """
    ids = list(dict.fromkeys(memory_ids))
    if not 1 <= len(ids) <= _MAX_IDS:
        raise InvalidInput(f"{len(ids):,} ids were given, not 1 to {_MAX_IDS:,}", field="memory_ids")
    found = graph.run("find_by_ids", bank=identity.bank, audiences=identity.audiences, ids=ids)
    missing = set(ids) - {row["id"] for row in found if not row["archived"]}
    if missing:
        raise not_found(min(missing))
    rows = graph.run(
        "record_feedback",
        bank=identity.bank,
        audiences=identity.audiences,
        # In order, so that two who mark the same memories at once do not wait for each other in a circle.
        ids=sorted(ids),
        step=1 if useful else -1,
        at=now or datetime.now(UTC),
        half_life={"days": half_life_days, "growth": _GROWTH, "longest": _LONGEST_DAYS, "pause_ms": _PAUSE_MS},
    )
    marked = {row["id"]: FeedbackView(**row) for row in rows}
    return FeedbackReport(useful, tuple(marked[memory_id] for memory_id in ids if memory_id in marked))
