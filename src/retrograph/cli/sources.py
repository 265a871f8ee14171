"""Reading files to ingest: which form a file has, and its turns one after another.

JSONL is read line by line, whatever its size; the other forms are read whole. Every turn gets an id: its own,
or a digest of what it says and how often that was said before, so that the same file twice is the same turns
twice.
"""

import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, cast

from retrograph.cli import chats, jsonl, other_memories
from retrograph.cli.transcripts import looks_like_transcript, read_notes, read_transcript
from retrograph.errors import InvalidInput
from retrograph.models import Turn

_HEAD_BYTES = 1 << 16
_LOOKED_AT = 3
_LINES = (".jsonl", ".ndjson")
_LOOKS_LIKE_JSON = re.compile(r"""\s*(?:\{\s*"|\[\s*\{\s*")""")


class Format(StrEnum):
    """The forms of file that can be ingested."""

    JSONL = "jsonl"
    MESSAGES = "messages"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    TRANSCRIPT = "transcript"
    NOTES = "notes"
    MCP_MEMORY = "mcp-memory"
    MEM0 = "mem0"
    GRAPHITI = "graphiti"


_OTHER_MEMORIES = (Format.MCP_MEMORY, Format.MEM0, Format.GRAPHITI)


@dataclass(frozen=True, slots=True)
class BadTurn:
    """A part of a file that cannot be a turn.

    Args:
        place: `line 7`, `message 3 of conversation 2`.
        reason: Why not.
    """

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A file whose form is known.

    Args:
        format: Its form.
        read: Gives its turns from the beginning, each time it is called.
    """

    format: Format
    read: Callable[[], Iterator[Turn | BadTurn]]


def open_source(path: Path, *, format: Format | None, timezone: str) -> Opened:
    """Finds out what form a file has.

    Args:
        path: The file.
        format: Its form, where the caller knows better than its content tells.
        timezone: IANA name; where a time without an offset is.

    Raises:
        InvalidInput: It cannot be read, is no text, is empty, or is JSON of an unknown form.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
    except OSError as error:
        raise InvalidInput(
            f"{str(path)!r} cannot be read: {error.strerror}",
            cure="Name a file that you may read.",
            field="file",
        ) from error
    return _opened(lambda: path.open("rb"), head, name=str(path), format=format, timezone=timezone)


def open_bytes(content: bytes, *, format: Format | None, timezone: str) -> Opened:
    """The same for what came through a pipe."""
    return _opened(lambda: io.BytesIO(content), content[:_HEAD_BYTES], name="-", format=format, timezone=timezone)


def _opened(again: Callable[[], BinaryIO], head: bytes, *, name: str, format: Format | None, timezone: str) -> Opened:
    if not head.strip():
        raise InvalidInput(f"{name!r} is empty", cure="Name a file with something in it.", field="file")
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput(f"{name!r} is no text file", cure="Unpack or convert it first.", field="file")

    def lines() -> Iterator[Turn | BadTurn]:
        with again() as stream:
            yield from _bad_named(jsonl.read(stream, timezone=timezone), "line")

    as_lines = Opened(Format.JSONL, lambda: _with_ids(lines()))
    if (format or _by_head(head)) is Format.JSONL:
        return as_lines
    with again() as stream:
        text = _decoded(stream.read(), name=name)
    data = _parsed(text) if format not in (Format.TRANSCRIPT, Format.NOTES) else None
    data = other_memories.parse_lines(text) if data is None and format in (None, Format.MCP_MEMORY) else data
    if data is None and format is None:
        if name.lower().endswith(_LINES) or any(_is_turn(line) for line in text.split("\n", _LOOKED_AT)[:_LOOKED_AT]):
            return as_lines
        _refuse_broken(text, name=name)
    found = format or _by_content(text, data, name=name)
    if data is None and found not in (Format.TRANSCRIPT, Format.NOTES):
        raise InvalidInput(
            f"{name!r} is no JSON, so not of the form {found}", cure="Leave --format out.", field="format"
        )
    if found in _OTHER_MEMORIES and other_memories.form_of(data) != found.value:
        raise InvalidInput(f"{name!r} is not of the form {found}", cure="Leave --format out.", field="format")
    return Opened(found, lambda: _with_ids(_read_whole(found, text, data, timezone=timezone)))


def _by_head(head: bytes) -> Format | None:
    """JSONL shows in its first line: an object, complete, with a text in it."""
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").split(b"\n", 1)[0]
    if not first.startswith(b"{"):
        return None
    if _is_turn(first):
        return Format.JSONL
    # One line longer than what was looked at is a line all the same, if no other form begins like it.
    return Format.JSONL if len(first) >= _HEAD_BYTES - 4 and b'"mapping"' not in first else None


def _is_turn(line: bytes | str) -> bool:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and any(key in value for key in jsonl.CONTENT_KEYS)


def _refuse_broken(text: str, *, name: str) -> None:
    """JSON cut off half-way is no note: it would be stored as one long memory of brackets."""
    if not (name.lower().endswith(".json") or _LOOKS_LIKE_JSON.match(text)):
        return
    try:
        json.loads(text)
        where = "it is neither an object nor a list"
    except RecursionError:
        where = "it is nested too deeply"
    except ValueError as error:
        where = str(error)
    raise InvalidInput(
        f"{name!r} is no JSON that can be read: {where}; nothing was stored",
        cure="Mend it, or say --format notes if it is meant as text.",
        field="file",
    )


def _by_content(text: str, data: Any, *, name: str) -> Format:
    if data is not None:
        form = other_memories.form_of(data) or chats.form_of(data)
        if form is None:
            raise InvalidInput(
                f"{name!r} is JSON of a form that is not known",
                cure="Known are JSON lines with a `content`, lists of {role, content}, and the exports of "
                "ChatGPT, Claude, the MCP memory server, mem0 and graphiti: docs/cli.md shows each.",
                field="file",
            )
        return Format(form)
    return Format.TRANSCRIPT if looks_like_transcript(text) else Format.NOTES


def _read_whole(format: Format, text: str, data: Any, *, timezone: str) -> Iterator[Turn | BadTurn]:
    if format is Format.TRANSCRIPT:
        yield from read_transcript(text, timezone=timezone)
    elif format is Format.NOTES:
        yield from read_notes(text)
    elif format in _OTHER_MEMORIES:
        yield from _bad_named(other_memories.read(format.value, data, timezone=timezone), "")
    else:
        yield from _bad_named(chats.read(format.value, data, timezone=timezone), "")


def _bad_named(items: Iterable[Turn | tuple[object, str]], unit: str) -> Iterator[Turn | BadTurn]:
    for item in items:
        yield item if isinstance(item, Turn) else BadTurn(f"{unit} {item[0]}".strip(), item[1])


def _with_ids(items: Iterable[Turn | BadTurn]) -> Iterator[Turn | BadTurn]:
    seen: Counter[bytes] = Counter()
    for item in items:
        if isinstance(item, BadTurn) or item.id:
            yield item
            continue
        said = "\x1f".join(
            (
                item.session or "",
                item.speaker or "",
                str(item.occurred_at or ""),
                " ".join(item.content.split()),
            )
        )
        digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()[:16]
        seen[digest] += 1
        yield replace(item, id=f"{digest.hex()}-{seen[digest]}")


def _decoded(content: bytes, *, name: str) -> str:
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{name!r} is not UTF-8 text (byte {error.start})",
            cure=f"Convert it: iconv -f GB18030 -t UTF-8 {name}",
            field="file",
        ) from None


def _parsed(text: str) -> Any:
    if not re.match(r"\s*[\[{]", text):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast(Mapping[str, Any] | list[Any], data) if isinstance(data, (dict, list)) else None
