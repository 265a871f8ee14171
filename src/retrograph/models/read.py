"""What is shown of memories, entities, sessions and changes."""

from dataclasses import dataclass
from datetime import datetime

from retrograph.models.recalled import SearchResult
from retrograph.models.stored import MemoryRecord
from retrograph.models.words import EntityType, Status


@dataclass(frozen=True, slots=True)
class EntityView:
    """An entity and how it is linked to a memory."""

    key: str
    name: str
    type: EntityType


@dataclass(frozen=True, slots=True)
class RelationView:
    """A relation that a memory states."""

    subject: str
    predicate: str
    object: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link of a memory: `direction` is `out` (from it) or `in` (to it)."""

    id: str
    type: str
    direction: str
    strength: float


@dataclass(frozen=True, slots=True)
class MemoryDetail:
    """A memory with everything it is linked to."""

    memory: MemoryRecord
    entities: tuple[EntityView, ...] = ()
    relations: tuple[RelationView, ...] = ()
    links: tuple[LinkView, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """One version of a statement, as `history` lists them.

    Args:
        memory: The version; `memory.status` says whether it is current.
        superseded_at: When it ceased to hold: when what replaced it happened.
        superseded_by: Id of the version that replaced it; None for a current one.
        reason: Why it was replaced.
    """

    memory: MemoryRecord
    superseded_at: datetime | None = None
    superseded_by: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class VersionChange:
    """What undoing a supersession did; `changed` is False where there was nothing to undo."""

    newer_id: str
    older_id: str
    changed: bool
    newer_status: Status
    older_status: Status


@dataclass(frozen=True, slots=True)
class EntityRelation:
    """A current relation of an entity; `memories` is how many memories state it."""

    subject: str
    predicate: str
    object: str
    negated: bool
    memories: int


@dataclass(frozen=True, slots=True)
class SameAsView:
    """Two names that may be one entity; nothing is decided by it.

    Args:
        first: One of them.
        second: The other.
        confidence: How likely; below 0.5 they only look alike.
        evidence: What speaks for it, in words.
    """

    first: EntityView
    second: EntityView
    confidence: float
    evidence: str


@dataclass(frozen=True, slots=True)
class SameAsList:
    """Pairs of names that may be one, surest first, and how many there are in all."""

    pairs: tuple[SameAsView, ...]
    total: int


@dataclass(frozen=True, slots=True)
class EntityDetail:
    """An entity under all its names, of what the asking identity may see; each list is bounded, each total is not.

    Args:
        entity: Under its canonical name.
        names: All entities that are one with it, itself first: its aliases.
        memories: Current memories that mention it, newest first.
        memories_total: How many mention it.
        relations: Current relations, best backed first.
        relations_total: How many there are.
        candidates: Names that may be the same, surest first.
        candidates_total: How many there are.
    """

    entity: EntityView
    names: tuple[EntityView, ...]
    memories: tuple[MemoryRecord, ...]
    memories_total: int
    relations: tuple[EntityRelation, ...]
    relations_total: int
    candidates: tuple[SameAsView, ...]
    candidates_total: int


@dataclass(frozen=True, slots=True)
class PendingMemory:
    """A memory that waits for review, why, and the memories it contradicts."""

    memory: MemoryRecord
    flags: tuple[str, ...] = ()
    contradicts: tuple[MemoryRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingList:
    """Memories that wait for review, newest first, and how many there are in all."""

    items: tuple[PendingMemory, ...]
    total: int


@dataclass(frozen=True, slots=True)
class SessionContext:
    """The working memory of a session, and what a query recalls beside it.

    Args:
        session: Its name.
        turns: Its last turns, in the order in which they happened.
        turns_total: How many turns the session has.
        tasks: Task states that are open, those of the session first, the newest first.
        tasks_total: How many are open, among the turns or not.
        recalled: What the query recalls beyond the turns and tasks; None without a query.
        tokens: Estimated tokens of all of it.
    """

    session: str
    turns: tuple[MemoryRecord, ...]
    turns_total: int
    tasks: tuple[MemoryRecord, ...] = ()
    tasks_total: int = 0
    recalled: SearchResult | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class ChangeView:
    """What somebody else wrote or changed, as it stands now."""

    kind: str
    at: datetime
    memory: MemoryRecord


@dataclass(frozen=True, slots=True)
class ChangeFeed:
    """What others wrote since a cursor, oldest first.

    Args:
        changes: What can be recalled now, once each.
        cursor: To ask from the next time.
        more: There is more: ask again at once.
    """

    changes: tuple[ChangeView, ...]
    cursor: str
    more: bool = False
