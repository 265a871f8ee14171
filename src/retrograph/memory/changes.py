"""The feed: what others wrote where an identity may read, since a cursor.

It is read off the audit, so that it is in the order in which the database did things, and reaches back as far as
the audit is kept. What it tells is what a recall could tell: current memories of the identity's audiences.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

from retrograph.errors import InvalidInput
from retrograph.graph import Graph
from retrograph.graph.records import record_of
from retrograph.models import ChangeFeed, ChangeView, Identity

_KINDS = {
    "stored": "new",
    "approved": "new",
    "restored": "restored",
    "unsuperseded": "restored",
    "changed": "changed",
}
"""Deeds that make or change what can be recalled, and what the feed calls them."""
_MOST = 200
_LOOK_BACK_US = 3_000_000
"""Two transactions may be dated in one order and committed in the other: the last moments are read once more."""
_MOST_SEEN = 50
_ID_CHARS = 12
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Cursor:
    """Where a reader is.

    Args:
        start: What lies after this moment is read, microseconds since the epoch.
        seen: What of it was seen before: the end of each entry's id, and its moment.
    """

    start: int
    seen: tuple[tuple[str, int], ...] = ()

    def written(self) -> str:
        """It as text that means nothing to anybody else."""
        told = json.dumps([self.start, *((name, at - self.start) for name, at in self.seen)], separators=(",", ":"))
        return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")

    @classmethod
    def read(cls, text: str) -> "_Cursor":
        """A cursor of an earlier answer.

        Raises:
            InvalidInput: It is none.
        """
        try:
            told: Any = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
            start, *seen = told
            read = cls(int(start), tuple((str(name), int(start) + int(at)) for name, at in seen))
            read.moment()
            return read
        except (ValueError, TypeError, OverflowError, RecursionError):
            raise InvalidInput(
                "this is no cursor of an earlier answer",
                cure="Give `cursor` as it was answered, or leave it out to begin.",
                field="cursor",
            ) from None

    def moment(self) -> datetime:
        """The moment as the database takes it."""
        return _EPOCH + timedelta(microseconds=self.start)

    def after(self, shown: Sequence[Mapping[str, Any]]) -> "_Cursor":
        """The cursor of an answer that shows these entries."""
        seen = sorted({*self.seen, *((_end(row), _micros(row["at"])) for row in shown)}, key=itemgetter(1))
        if not seen:
            return self
        start = max(self.start, seen[-1][1] - _LOOK_BACK_US)
        if len(seen) > _MOST_SEEN:
            # Too much at once to be remembered: what is forgotten is not read again.
            start = max(start, seen[-_MOST_SEEN - 1][1])
        return _Cursor(start, tuple(entry for entry in seen[-_MOST_SEEN:] if entry[1] > start))


def read_changes(
    graph: Graph,
    *,
    identity: Identity,
    cursor: str | None,
    since: datetime | None,
    limit: int,
    now: datetime | None = None,
) -> ChangeFeed:
    """Reads the feed; `Memory.changes`.

    Raises:
        InvalidInput: The cursor is none, or `limit` cannot work, or a cursor and a moment were both given.
    """
    if not 1 <= limit <= _MOST:
        raise InvalidInput(f"limit is {limit!r}, not between 1 and {_MOST}", field="limit")
    if cursor is not None and since is not None:
        raise InvalidInput("cursor and since were both given", cure="A cursor says where to go on.", field="since")
    mine: dict[str, Any] = {
        "bank": identity.bank,
        "audiences": identity.audiences,
        "agent": identity.agent or "",
        "user": identity.user or "",
        "kinds": sorted(_KINDS),
    }
    at = _Cursor.read(cursor) if cursor is not None else _Cursor(_begin(graph, mine, since, limit))
    # More than are shown are asked for: those seen before come again, and one more tells that there is more.
    most = limit + len(at.seen) + 1
    rows = graph.run("read_changes", **mine, since=at.moment(), now=now or datetime.now(UTC), limit=most)
    known = {name for name, _ in at.seen}
    fresh = [row for row in rows if _end(row) not in known]
    shown = fresh[:limit]
    return ChangeFeed(
        changes=tuple(ChangeView(_KINDS[row["action"]], row["at"], record_of(row["memory"])) for row in _once(shown)),
        cursor=at.after(shown).written(),
        more=len(fresh) > limit,
    )


def _begin(graph: Graph, mine: dict[str, Any], since: datetime | None, limit: int) -> int:
    """Just before the moment that was asked for, or before the newest entries, for a reader that begins."""
    if since is not None:
        return _micros(since if since.tzinfo else since.replace(tzinfo=UTC)) - 1
    rows = graph.run("newest_changes", **mine, limit=limit)
    return _micros(rows[-1]["at"]) - 1 if rows else 0


def _micros(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def _end(row: Mapping[str, Any]) -> str:
    return row["id"][-_ID_CHARS:]


def _once(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each memory once, at its latest; a new one that was changed since is still new."""
    last: dict[str, dict[str, Any]] = {}
    for row in rows:
        before = last.pop(row["memory"]["id"], None)
        was_new = before is not None and before["action"] == "stored"
        last[row["memory"]["id"]] = row | ({"action": "stored"} if was_new else {})
    return list(last.values())
