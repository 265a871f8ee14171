"""Archives what time has overtaken: what has expired, and what faded unused. Pinned memories stay."""

from retrograph.consolidation.fates import EXPIRED, FADED
from retrograph.consolidation.work import Work


def expire(work: Work) -> None:
    """Archives memories past their `expires_at`."""
    _archive(work, EXPIRED)


def decay(work: Work) -> None:
    """Archives memories that are unimportant and that nobody touched for long."""
    _archive(work, FADED)


def _archive(work: Work, fate: str) -> None:
    for rows in work.pages("page_memories", after=work.cursor):
        doomed = [m for m in (row["memory"] for row in rows) if m["status"] == "active" and work.fates.of(m) == fate]
        if doomed:
            work.archive(doomed, fate)
