"""A memory as it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from retrograph.models.given import Experience
from retrograph.models.words import Language, Layer, MemoryType, Scope, Source, Status


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """A memory as it stands in the graph, without its vector."""

    id: str
    bank: str
    content: str
    type: MemoryType
    layer: Layer
    scope: Scope
    status: Status
    importance: float
    confidence: float
    source: Source
    language: Language
    occurred_at: datetime
    created_at: datetime
    updated_at: datetime
    summary: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    agent: str | None = None
    user: str | None = None
    session: str | None = None
    speaker: str | None = None
    occurred_until: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    last_accessed_at: datetime | None = None
    access_count: int = 0
    feedback: int = 0
    half_life_days: float | None = None
    expires_at: datetime | None = None
    pinned: bool = False
    archived: bool = False
    version: int = 1
    experience: Experience | None = None
    metadata: Mapping[str, Any] | None = None
