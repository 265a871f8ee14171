"""Takes weak links out of recall."""

from retrograph.consolidation.report import Change
from retrograph.consolidation.work import Work


def prune(work: Work) -> None:
    """Prunes links weaker than `prune_below`; they are kept beside recall, so that the run can be undone."""
    for rows in work.pages("page_links", below=work.settings.prune_below):
        work.write([("prune_links", {"bank": work.bank, "run": work.run, "rows": rows})])
        work.note(Change("pruned", row["from_id"], (row["to_id"],), row["type"]) for row in rows)
