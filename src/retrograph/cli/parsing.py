"""Options that carry more than a word: moments, entities, relations, JSON objects."""

import json
import re
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from typing import Any, NoReturn, cast
from zoneinfo import ZoneInfo

from retrograph.errors import InvalidInput
from retrograph.models import EntityInput, EntityType, Experience, RelationInput

_SPAN = re.compile(r"(?P<sign>[+-]?)(?P<count>\d{1,6})(?P<unit>min|[hdw])")
_UNITS = {"min": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def moment(
    text: str | None, *, option: str, timezone: str, now: datetime | None = None, ahead: bool = False
) -> datetime | None:
    """An instant as an option gives it.

    Args:
        text: ISO 8601 (`2026-05-03`, `2026-05-03T10:00`, `…+08:00`, `…Z`), `now`, or a span from now
            (`90min`, `12h`, `7d`, `2w`). None stays None.
        option: Name of the option, for the message.
        timezone: IANA name; where a time without an offset is.
        now: From when a span counts; default: the present.
        ahead: A span without a sign lies in the future, not in the past.

    Returns:
        The instant in UTC.

    Raises:
        InvalidInput: It is none of these.
    """
    if text is None:
        return None
    now = now or datetime.now(UTC)
    if text.strip() == "now":
        return now
    span = _SPAN.fullmatch(text.strip())
    try:
        if span:
            length = timedelta(**{_UNITS[span["unit"]]: int(span["count"])})
            return now + length if span["sign"] == "+" or (ahead and not span["sign"]) else now - length
        read = datetime.fromisoformat(text.strip())
        return (read if read.tzinfo else read.replace(tzinfo=ZoneInfo(timezone))).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"--{option} is no time: {text!r}",
            cure="Write 2026-05-03, 2026-05-03T10:00+08:00, or a span such as 7d, 12h, 90min, 2w.",
            field=option,
        ) from None


def entity(text: str) -> EntityInput:
    """`name:type`, or a name alone; a name may have colons in it.

    Raises:
        InvalidInput: There is no name, or what follows the last colon looks like a misspelt type.
    """
    name, colon, kind = text.rpartition(":")
    known = [member.value for member in EntityType]
    if colon and kind.strip().lower() in known:
        if not name.strip():
            _refuse("entity", text, "There is a type but no name: write 'Ada Byron:person'.")
        return EntityInput(name.strip(), EntityType(kind.strip().lower()))
    near = get_close_matches(kind.strip().lower(), known, n=1, cutoff=0.7) if colon else []
    if near:
        _refuse("entity", text, f"Did you mean {name.strip()}:{near[0]}? Types are {', '.join(known)}.")
    if not text.strip():
        _refuse("entity", text, "Write 'Ada Byron:person'.")
    return EntityInput(text.strip())


def relation(text: str) -> RelationInput:
    """`subject|predicate|object`.

    Raises:
        InvalidInput: It has not three parts.
    """
    parts = [part.strip() for part in text.split("|")]
    if len(parts) != 3 or not all(parts):
        _refuse("relation", text, "Write 'Ada|works at|Initech': three parts with | between.")
    return RelationInput(*parts)


def json_object(text: str | None, *, option: str) -> dict[str, Any] | None:
    """A JSON object; None stays None.

    Raises:
        InvalidInput: It is no JSON, or no object.
    """
    if text is None:
        return None
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"--{option} is no JSON: {error}", cure='Write an object: \'{"key": "value"}\'.', field=option
        ) from None
    if not isinstance(value, dict):
        _refuse(option, text, 'Write an object: \'{"key": "value"}\'.')
    return cast(dict[str, Any], value)


def experience(text: str | None) -> Experience | None:
    """A lesson's structured value as a JSON object; None stays None.

    Raises:
        InvalidInput: It is no such object.
    """
    value = json_object(text, option="experience")
    if value is None:
        return None
    allowed = {"problem", "root_cause", "solution", "verified", "outcome"}
    wrong = [
        key
        for key, part in value.items()
        if key not in allowed or not isinstance(part, bool if key == "verified" else str)
    ]
    if wrong or not value.get("problem"):
        _refuse(
            "experience",
            text or "",
            "Its keys: problem (needed), root_cause, solution, outcome (texts), verified (true or false).",
        )
    return Experience(**value)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _refuse(option: str, text: str, cure: str) -> NoReturn:
    raise InvalidInput(f"--{option} cannot be {text!r}", cure=cure, field=option)
