"""JSON lines: one turn a line, in the fields of `Turn` or the names that others use for them."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, BinaryIO, NoReturn, TypeVar, cast
from zoneinfo import ZoneInfo

from retrograph.errors import InvalidInput
from retrograph.models import EntityInput, EntityType, MemoryType, RelationInput, Source, Turn

E = TypeVar("E", MemoryType, Source, EntityType)

CONTENT_KEYS = ("content", "text", "message")
_SPEAKER_KEYS = ("speaker", "name", "author")
_SESSION_KEYS = ("session", "session_id", "conversation_id")
_TIME_KEYS = ("occurred_at", "timestamp", "created_at", "time", "date")
_SOURCE_OF_ROLE = {
    "user": Source.USER,
    "human": Source.USER,
    "system": Source.SYSTEM,
    "developer": Source.SYSTEM,
    "tool": Source.TOOL,
    "function": Source.TOOL,
    "assistant": Source.INFERENCE,
    "model": Source.INFERENCE,
    "ai": Source.INFERENCE,
}
_LEAST_MILLISECONDS = 1e11  # As seconds this is the year 5138; exports that count milliseconds are above it.


def read(stream: BinaryIO, *, timezone: str) -> Iterator[Turn | tuple[int, str]]:
    """The turns of a stream of JSON lines; a line that is none comes as its number and the reason."""
    for number, line in enumerate(stream, 1):
        raw = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not raw.strip():
            continue
        try:
            yield turn(json.loads(raw.decode("utf-8"), parse_constant=_no_constant), timezone=timezone)
        except UnicodeDecodeError as error:
            yield number, f"not UTF-8 text (byte {error.start})"
        except (ValueError, RecursionError) as error:
            yield number, f"no JSON: {error}"
        except InvalidInput as error:
            yield number, error.message


def turn(value: Any, *, timezone: str) -> Turn:
    """A turn from a JSON object. What has no place of its own goes to the metadata.

    Args:
        value: The parsed JSON.
        timezone: IANA name; where a time without an offset is.

    Raises:
        InvalidInput: It is no object, has no text, or a field has a value that cannot work.
    """
    if not isinstance(value, dict):
        raise InvalidInput(f"not an object but {type(value).__name__}")
    rest = dict(cast(dict[str, Any], value))
    content = _text(_take(rest, *CONTENT_KEYS), "content")
    if not content or not content.strip():
        raise InvalidInput("there is no `content`")
    role = _text(rest.pop("role", None), "role")
    source = _member(Source, rest.pop("source", None), "source")
    given = rest.pop("metadata", None)
    if given is not None and not isinstance(given, dict):
        raise InvalidInput("`metadata` is no object")
    speaker = _text(_take(rest, *_SPEAKER_KEYS), "speaker") or role
    session = _text(_take(rest, *_SESSION_KEYS), "session")
    occurred_at = instant(_take(rest, *_TIME_KEYS), timezone=timezone)
    parts: dict[str, Any] = {
        "type": _member(MemoryType, rest.pop("type", None), "type"),
        "id": _text(rest.pop("id", None), "id"),
        "domain": _text(rest.pop("domain", None), "domain"),
        "tags": tuple(_text(tag, "tags") or "" for tag in _sequence(rest.pop("tags", None), "tags")),
        "entities": tuple(_entity(item) for item in _sequence(rest.pop("entities", None), "entities")),
        "valid_from": instant(rest.pop("valid_from", None), timezone=timezone),
        "valid_until": instant(rest.pop("valid_until", None), timezone=timezone),
        "relations": tuple(_relation(item) for item in _sequence(rest.pop("relations", None), "relations")),
    }
    return Turn(
        content=content,
        speaker=speaker,
        session=session,
        occurred_at=occurred_at,
        source=source or source_of(role),
        metadata={**rest, **cast(dict[str, Any], given or {})} or None,
        **parts,
    )


def source_of(role: str | None) -> Source:
    """Who a turn of this role comes from; a person where the role says nothing."""
    return _SOURCE_OF_ROLE.get((role or "user").lower(), Source.USER)


def instant(value: Any, *, timezone: str) -> datetime | None:
    """A time as exports write it: ISO 8601, or seconds or milliseconds since 1970; None stays None.

    Raises:
        InvalidInput: It is none of these.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
            read = datetime.fromisoformat(value.strip())
            return (read if read.tzinfo else read.replace(tzinfo=ZoneInfo(timezone))).astimezone(UTC)
        if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            seconds = float(value)
            return datetime.fromtimestamp(seconds / 1000 if seconds >= _LEAST_MILLISECONDS else seconds, tz=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidInput(f"{value!r} is no time")


def _take(rest: dict[str, Any], *names: str) -> Any:
    """The first of these that has a value; it alone is taken out, others with a value stay."""
    for name in names:
        if rest.get(name) in (None, ""):
            rest.pop(name, None)
    name = next((name for name in names if name in rest), None)
    return rest.pop(name) if name else None


def _text(value: Any, name: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if name in ("id", "session") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise InvalidInput(f"`{name}` is no text but {type(value).__name__}")


def _sequence(value: Any, name: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise InvalidInput(f"`{name}` is no list")
    return cast(list[Any], value)


def _member(kind: type[E], value: Any, name: str) -> E | None:
    if value is None:
        return None
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(f"`{name}` {value!r} is none of {', '.join(kind)}") from None


def _entity(value: Any) -> EntityInput:
    if isinstance(value, str) and value.strip():
        return EntityInput(value.strip())
    if isinstance(value, Mapping):
        parts = cast(Mapping[str, Any], value)
        name = _text(parts.get("name"), "entities")
        if name and name.strip():
            aliases = tuple(_text(a, "entities") or "" for a in _sequence(parts.get("aliases"), "aliases"))
            kind = _member(EntityType, parts.get("type"), "entity type") or EntityType.CONCEPT
            return EntityInput(name.strip(), kind, aliases)
    raise InvalidInput("an entity is a name, or an object with `name`, `type` and `aliases`")


def _relation(value: Any) -> RelationInput:
    keys = ("subject", "predicate", "object")
    if isinstance(value, Mapping):
        parts = [cast(Mapping[str, Any], value).get(key) for key in keys]
    else:
        parts = cast(list[Any], value) if isinstance(value, list) else []
    if len(parts) != 3 or not all(isinstance(part, str) and part.strip() for part in parts):
        raise InvalidInput("a relation is an object with `subject`, `predicate` and `object`, or a list of the three")
    return RelationInput(*cast(list[str], parts))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
