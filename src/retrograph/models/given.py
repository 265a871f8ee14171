"""What a caller hands over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from retrograph.models.words import EntityType, MemoryType, Source, Status


@dataclass(frozen=True, slots=True)
class EntityInput:
    """An entity that the caller hands over."""

    name: str
    type: EntityType = EntityType.CONCEPT
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationInput:
    """A relation that the caller hands over; the predicate is data and round-trips unchanged."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Experience:
    """The structured value of a lesson."""

    problem: str
    root_cause: str = ""
    solution: str = ""
    verified: bool = False
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing to ingest: a turn of a conversation, or a note (no speaker).

    Args:
        content: The words.
        speaker: Who said it.
        session: The conversation it belongs to.
        occurred_at: When; None is the time of the ingest.
        type: Memory type, or None to have it proposed.
        source: Who it comes from.
        id: The caller's own id, kept in metadata as `source_id`.
        metadata: Anything JSON can say; round-trips unchanged.
        valid_from: Since when it is true; None reads it from the words.
        valid_until: Until when.
    """

    content: str
    speaker: str | None = None
    session: str | None = None
    occurred_at: datetime | None = None
    type: MemoryType | None = None
    source: Source = Source.USER
    id: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[EntityInput, ...] = ()
    relations: tuple[RelationInput, ...] = ()
    metadata: Mapping[str, Any] | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """What narrows a recall, applied inside the indexes; None does not narrow.

    Args:
        types: Only these types.
        domain: Only this domain.
        tags: Memories that carry all of these.
        session: Only this session.
        source: Only this source.
        since: Happened at or after.
        until: Happened before.
        as_of: What was true and known at this instant.
        deep: The archive too.
        statuses: Only these statuses.
        metadata: Equal on each of these top-level keys.
    """

    types: Sequence[MemoryType] | None = None
    domain: str | None = None
    tags: Sequence[str] = ()
    session: str | None = None
    source: Source | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    deep: bool = False
    statuses: Sequence[Status] = (Status.ACTIVE,)
    metadata: Mapping[str, Any] | None = None
