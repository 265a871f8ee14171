"""Reports what was never recalled: perhaps it is not worth keeping, perhaps it is not found."""

from datetime import timedelta

from retrograph.consolidation.report import Change
from retrograph.consolidation.work import Work

_MOST = 1_000


def notice(work: Work) -> None:
    """Counts the current memories older than `unrecalled_days` that nothing used, and names the first thousand."""
    before = work.now - timedelta(days=work.settings.unrecalled_days)
    count = 0
    for memories in work.memories():
        unused = [m["id"] for m in memories if not m.get("access_count") and m["created_at"] <= before]
        work.noticed += [Change("noticed", i, reason="never recalled") for i in unused[: _MOST - len(work.noticed)]]
        count += len(unused)
    work.counts["unrecalled"] = count
