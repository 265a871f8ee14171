"""The audit read back: who did what to which memory when. For the owner of the database, not for agents."""

from datetime import UTC, datetime
from typing import Any

from retrograph.errors import InvalidInput
from retrograph.graph import Graph
from retrograph.models import AuditEntry, AuditPage

_MOST = 10_000
_BATCH = 1_000


def list_audit(
    graph: Graph,
    *,
    bank: str,
    memory_id: str | None,
    agent: str | None,
    user: str | None,
    action: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
) -> AuditPage:
    """Entries of a bank, newest first; `Memory.audit`.

    Raises:
        InvalidInput: `limit` cannot work.
    """
    if not 1 <= limit <= _MOST:
        raise InvalidInput(f"limit is {limit!r}, not between 1 and {_MOST:,}", field="limit")
    row = graph.run(
        "list_audit",
        bank=bank,
        memory_id=memory_id,
        agent=agent,
        user=user,
        action=action,
        since=_instant(since),
        until=_instant(until),
        limit=limit,
    )[0]
    return AuditPage(tuple(_entry(entry) for entry in row["entries"]), row["total"])


def purge_audit(graph: Graph, *, bank: str, before: datetime) -> int:
    """Deletes entries of a bank that are older; `Memory.purge_audit`."""
    purged = 0
    while done := graph.run("purge_audit", bank=bank, before=_instant(before), limit=_BATCH)[0]["purged"]:
        purged += done
    return purged


def _instant(at: datetime | None) -> datetime | None:
    """A moment in the zone that entries are dated in: Cypher tells times of one instant apart by their zones."""
    if at is None:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)


def _entry(row: dict[str, Any]) -> AuditEntry:
    return AuditEntry(
        id=row["id"],
        at=row["at"],
        action=row["action"],
        memory_id=row["memory_id"],
        agent=row.get("agent_id"),
        user=row.get("user_id"),
        session=row.get("session_id"),
        before=row.get("before"),
        after=row.get("after"),
        detail=row.get("detail") or "",
    )
