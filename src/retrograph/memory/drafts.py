"""A write before it is judged: the caller's words checked and put in order."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from retrograph.errors import InvalidInput
from retrograph.models import (
    EntityInput,
    Experience,
    Identity,
    MemoryType,
    RelationInput,
    Scope,
    Source,
)

_MAX_NAME = 500
_MAX_TAGS = 64
_MAX_HANDED_OVER = 200
_MAX_METADATA_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class Draft:
    """One statement to write, as the caller gave it; `Memory.write` explains the fields.

    `source_id` is the caller's own id of it: the same one again changes nothing. `replaces` is the id of a memory that
    this one is a new version of.
    """

    content: str
    type: MemoryType | None = None
    summary: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    importance: float | None = None
    confidence: float | None = None
    source: Source = Source.USER
    scope: Scope | None = None
    speaker: str | None = None
    session: str | None = None
    occurred_at: datetime | None = None
    occurred_until: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    half_life_days: float | None = None
    pinned: bool = False
    entities: tuple[EntityInput, ...] = ()
    relations: tuple[RelationInput, ...] = ()
    experience: Experience | None = None
    metadata: Mapping[str, Any] | None = None
    source_id: str | None = None
    replaces: str | None = None


def checked(draft: Draft, *, identity: Identity, timezone: ZoneInfo, max_chars: int) -> Draft:
    """The same draft with every value checked, names trimmed and times aware and in UTC.

    Times as ISO 8601 text and kinds by their names, as JSON has them, become what they stand for.

    Raises:
        InvalidInput: A value cannot work; the message names the argument.
    """
    for name in ("content", "summary", "domain", "speaker", "session", "source_id"):
        check_text(getattr(draft, name), field=name)
    draft = replace(
        draft,
        type=_kind(MemoryType, draft.type, field="type") if draft.type is not None else None,
        source=_kind(Source, draft.source, field="source"),
        scope=_kind(Scope, draft.scope, field="scope") if draft.scope is not None else None,
    )
    if not draft.content.strip():
        raise InvalidInput("content is empty", cure="Give at least one word.", field="content")
    if len(draft.content) > max_chars:
        raise InvalidInput(
            f"content has {len(draft.content):,} characters, at most {max_chars:,} are stored as one memory",
            cure="Split it (`retrograph ingest FILE` does), or raise RETROGRAPH_SAFETY_MAX_CHARS.",
            field="content",
        )
    for name in ("importance", "confidence"):
        _check_unit(getattr(draft, name), field=name)
    if draft.half_life_days is not None and not (math.isfinite(draft.half_life_days) and draft.half_life_days > 0):
        raise InvalidInput(f"half_life_days is {draft.half_life_days!r}, not above 0", field="half_life_days")
    if len(draft.tags) > _MAX_TAGS:
        raise InvalidInput(f"{len(draft.tags)} tags, at most {_MAX_TAGS}", field="tags")
    if len(draft.entities) + len(draft.relations) > _MAX_HANDED_OVER:
        raise InvalidInput(
            f"{len(draft.entities)} entities and {len(draft.relations)} relations, at most {_MAX_HANDED_OVER} in all",
            field="entities",
        )
    _check_names(draft)
    metadata_json(draft.metadata)
    times = {
        name: aware(_instant(getattr(draft, name), field=name), timezone=timezone)
        for name in ("occurred_at", "occurred_until", "valid_from", "valid_until", "expires_at")
    }
    for start, end in (("occurred_at", "occurred_until"), ("valid_from", "valid_until")):
        first, last = times[start], times[end]
        if first and last and last < first:
            raise InvalidInput(f"{end} ({last}) is before {start} ({first})", field=end)
    return replace(
        draft,
        **times,
        tags=tuple(dict.fromkeys(tag.strip() for tag in draft.tags if tag.strip())),
        domain=(draft.domain or "").strip() or None,
        speaker=re.sub(r"\s+", " ", draft.speaker or "").strip() or None,
        session=draft.session or identity.session,
        scope=draft.scope or identity.default_scope,
    )


_K = TypeVar("_K", bound=StrEnum)


def _kind(kinds: type[_K], value: str, *, field: str) -> _K:
    try:
        return kinds(value)
    except ValueError as error:
        known = ", ".join(kind.value for kind in kinds)
        raise InvalidInput(f"{field} is {value!r}", cure=f"One of: {known}.", field=field) from error


def _instant(value: object, *, field: str) -> datetime | None:
    """A time, or the one that a text in ISO 8601 tells."""
    if value is None or isinstance(value, datetime):
        return value
    try:
        return datetime.fromisoformat(value if isinstance(value, str) else "")
    except ValueError as error:
        cure = "Give a datetime, or text like 2026-03-01T10:00:00+08:00."
        raise InvalidInput(f"{field} is {value!r}, no time", cure=cure, field=field) from error


def check_text(text: object, *, field: str) -> None:
    """Refuses text that no database could give back unchanged.

    Raises:
        InvalidInput: It is no text, or holds half a character (a lone surrogate).
    """
    if text is None:
        return
    if not isinstance(text, str):
        raise InvalidInput(f"{field} is {text!r}, no text", field=field)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{field} holds half a character at position {error.start} (a lone surrogate, "
            f"{text[error.start]!a}) and cannot be stored as text",
            cure="Decode the input with the right encoding, or with errors='replace'.",
            field=field,
        ) from error


def aware(time: datetime | None, *, timezone: ZoneInfo) -> datetime | None:
    """The same instant in UTC; a naive time is taken to be in `timezone`.

    Raises:
        InvalidInput: It lies outside the years that can be stored.
    """
    if time is None:
        return None
    try:
        return (time if time.tzinfo else time.replace(tzinfo=timezone)).astimezone(UTC)
    except (OverflowError, ValueError) as error:
        raise InvalidInput(f"the time {time!r} cannot be stored in UTC", cure="Use the years 1 to 9999.") from error


def metadata_json(metadata: Mapping[str, Any] | None) -> str | None:
    """Metadata as JSON text.

    Raises:
        InvalidInput: JSON cannot say it, or it is too long.
    """
    if metadata is None:
        return None
    try:
        text = json.dumps(dict(metadata), ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"metadata cannot be written as JSON: {error}", field="metadata") from error
    if len(text) > _MAX_METADATA_CHARS:
        raise InvalidInput(f"metadata has {len(text):,} characters, at most {_MAX_METADATA_CHARS:,}", field="metadata")
    return text


def _check_unit(value: float | None, *, field: str) -> None:
    if value is not None and not 0 <= value <= 1:
        raise InvalidInput(f"{field} is {value!r}, not between 0 and 1", field=field)


def _check_names(draft: Draft) -> None:
    named = [("tags", tag) for tag in draft.tags]
    named += [("entities", name) for e in draft.entities for name in (e.name, *e.aliases)]
    named += [("relations", part) for r in draft.relations for part in (r.subject, r.predicate, r.object)]
    named += [(field, value) for field in ("domain", "speaker", "session") if (value := getattr(draft, field))]
    for field, name in named:
        check_text(name, field=field)
        if not name.strip():
            raise InvalidInput(f"{field} holds an empty name", field=field)
        if len(name) > _MAX_NAME:
            raise InvalidInput(f"{field} holds a name of {len(name):,} characters, at most {_MAX_NAME}", field=field)
