"""Plain text to ingest: transcripts (`Name: text`) and notes, paragraph by paragraph."""

import re
from collections import Counter
from collections.abc import Iterator

from retrograph.cli.jsonl import instant, source_of
from retrograph.errors import InvalidInput
from retrograph.models import Turn

_STAMP = r"\[?(?P<time>\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?)\]?"
# A name is short, has letters, and no punctuation that only sentences and addresses have.
_NAME = r"(?P<name>[^\W\d_][^\n:：,，.。;；!！?？/\\<>{}\[\]#*`\"]{0,39}?)"
_SPOKEN = re.compile(rf"^\s*(?:{_STAMP}\s*(?:[-–]\s*)?)?\**{_NAME}\**\s*(?::\**(?=\s|$)|：\**)\s*(?P<text>.*)$")
_HEADING = re.compile(r"^(?P<marks>#{1,6})\s+(?P<title>.+?)\s*#*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_LEAST_SHARE = 0.6


def looks_like_transcript(text: str) -> bool:
    """Most lines begin with a name and a colon, and at least one name speaks twice."""
    lines = [line for line in text.splitlines() if line.strip()][:400]
    names = Counter(found["name"].strip() for line in lines if (found := _SPOKEN.match(line)))
    spoken = names.total()
    return spoken >= 2 and spoken >= _LEAST_SHARE * len(lines) and max(names.values()) >= 2


def read_transcript(text: str, *, timezone: str) -> Iterator[Turn]:
    """One turn for each `Name: text`, with the lines below it that have no name; a time may stand before it.

    Args:
        text: The transcript. `2026-05-03 10:00 Ann: Hello` and `[2026-05-03] 张伟：你好` are understood.
        timezone: IANA name; where a time without an offset is.
    """
    name: str | None = None
    time: str | None = None
    said: list[str] = []
    for line in [*text.splitlines(), None]:
        found = _SPOKEN.match(line) if line is not None else None
        if line is not None and not found:
            said.append(line)
            continue
        content = "\n".join(said).strip()
        if content:
            yield _spoken(content, name, time, timezone)
        if found:
            name, time, said = found["name"].strip(), found["time"] or time, [found["text"]]


def read_notes(text: str) -> Iterator[Turn]:
    """One turn for each paragraph; the headings above a paragraph are kept in its metadata."""
    headings: dict[int, str] = {}
    for block in _blocks(_without_front_matter(text)):
        found = _HEADING.match(block)
        if found and "\n" not in block:
            level = len(found["marks"])
            headings = {depth: title for depth, title in headings.items() if depth < level}
            headings[level] = found["title"]
        elif re.search(r"\w", block):  # A ruled line or a row of stars says nothing.
            yield Turn(block, metadata={"headings": list(headings.values())} if headings else None)


def _spoken(content: str, name: str | None, time: str | None, timezone: str) -> Turn:
    try:
        occurred_at = instant(time, timezone=timezone)
    except InvalidInput:  # 2026-13-45 looks like a time and is none: the words count all the same.
        occurred_at = None
    return Turn(content, speaker=name, occurred_at=occurred_at, source=source_of(name))


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs: parted by blank lines and headings; what stands between fences stays whole."""
    block: list[str] = []
    in_fence = False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_fence = not in_fence
        ends = not in_fence and (not line.strip() or _HEADING.match(line))
        if ends and block:
            yield "\n".join(block).strip()
            block = []
        if not in_fence and _HEADING.match(line):
            yield line.strip()
        elif line.strip() or in_fence:
            block.append(line)
    if block:
        yield "\n".join(block).strip()


def _without_front_matter(text: str) -> str:
    found = re.match(r"\ufeff?---\n.*?\n---\n", text, re.DOTALL)
    return text[found.end() :] if found else text
