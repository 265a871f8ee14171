"""What became of what was written, and why."""

from dataclasses import dataclass

from retrograph.models.words import MemoryType, Outcome


@dataclass(frozen=True, slots=True)
class GateScores:
    """The write gate's five signals, their weighted sum (`salience`) and what decided."""

    information: float
    novelty: float
    future_relevance: float
    emotion: float
    explicit: float
    salience: float
    decided_by: str


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What a write did, and why.

    Args:
        outcome: What became of it.
        id: The memory's id; None where nothing was stored.
        reason: One sentence.
        scores: The gate's signals.
        type: The type stored or proposed.
        entities: Names of the entities it was linked to.
        relations: `subject predicate object` of each relation stored.
        superseded: Ids of memories that this one replaced.
        superseded_by: Id of a newer memory that replaces this one already (an old fact told late).
        similar: Ids of memories linked as similar.
        flags: What the safety screen saw.
    """

    outcome: Outcome
    id: str | None
    reason: str
    scores: GateScores | None = None
    type: MemoryType | None = None
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    superseded_by: str | None = None
    similar: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did: how many of its turns ended how, and the write of each, in order."""

    total: int
    stored: int
    merged: int
    borderline: int
    refused: int
    quarantined: int
    unchanged: int
    seconds: float
    ids: tuple[str | None, ...] = ()
