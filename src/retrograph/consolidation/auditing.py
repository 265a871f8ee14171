"""Deletes audit entries that are older than their retention; it is the one job that deletes, and cannot be undone."""

from datetime import timedelta

from retrograph.consolidation.work import Work

_BATCH = 1_000


def purge_audit(work: Work) -> None:
    """Deletes audit entries older than `audit_days`."""
    before = work.now - timedelta(days=work.settings.audit_days)
    if work.dry_run:
        work.counts["purged"] = work.graph.run("count_audit", bank=work.bank, before=before)[0]["entries"]
        return
    purged = 0
    while done := work.write([("purge_audit", {"bank": work.bank, "before": before, "limit": _BATCH})])[0][0]["purged"]:
        purged += done
        work.looked_at(done)
    work.counts["purged"] = purged
