"""Takes a run back: what it archived returns, what it merged comes apart, what it derived goes."""

from datetime import UTC, datetime

from retrograph import cypher
from retrograph.consolidation.report import UndoReport
from retrograph.consolidation.work import chunks
from retrograph.errors import NotFound
from retrograph.graph import Graph, bank_space, hold_lease
from retrograph.graph.auditing import acting
from retrograph.memory.administering import restoring
from retrograph.models import Identity

ACTOR = "retrograph undo"
"""On whose behalf the audit says an undo acts; the session beside it is the id of the run."""
_BATCH = 100
_LEASE_S = 60
_WAIT_S = 5


def undo_run(graph: Graph, bank: str, run: str) -> UndoReport:
    """Takes back what a run of consolidation did, in small transactions; doing it again goes on, or changes nothing.

    Sources are back before the summary made of them is gone. What comes back is marked as kept, so that the next run
    does not archive or merge it for the same reason again. Weights of entities are left to the next run.

    Args:
        graph: The database.
        bank: The bank.
        run: Id of the run.

    Raises:
        NotFound: The bank has no such run.
        Conflict: The bank is being consolidated.
    """
    if not graph.run("list_runs", bank=bank, id=run, limit=1):
        raise NotFound(f"there is no run {run!r} in bank {bank!r}", cure="`retrograph runs` lists the runs of a bank.")
    acts = acting(Identity(bank, agent=ACTOR, session=run))
    with acts, hold_lease(graph, f"consolidate:{bank}", seconds=_LEASE_S, wait_s=_WAIT_S):
        space = bank_space(graph, bank)
        slot = space.slot if space else "a"
        restored, twins, unmerged = _restore(graph, bank, run, slot=slot)
        deleted = _delete_derived(graph, bank, run, slot=slot)
        separated = len(graph.run("separate_entities", run=run))
        links = 0
        while back := graph.run("unprune_links", run=run, limit=_BATCH)[0]["restored"]:
            links += back
        steps = 0
        while back := graph.run("restore_steps", run=run, limit=_BATCH)[0]["restored"]:
            steps += back
        graph.run("set_run_state", run=run, state="undone", at=datetime.now(UTC))
    return UndoReport(run, tuple(sorted(restored)), unmerged, tuple(deleted), separated, links, twins, steps)


def _restore(graph: Graph, bank: str, run: str, *, slot: str) -> tuple[list[str], dict[str, str], int]:
    restored: list[str] = []
    twins: dict[str, str] = {}
    unmerged, after = 0, ""
    while rows := graph.run("list_archived", bank=bank, run=run, after=after, limit=_BATCH):
        ids = [row["id"] for row in rows]
        audiences = sorted({row["audience"] for row in rows})
        apart, back = graph.run_all(restoring(bank, ids, audiences=audiences, slot=slot))[:2]
        unmerged += len(apart)
        twins |= {row["id"]: row["twin"] for row in back if row["twin"]}
        restored += [row["id"] for row in back if not row["twin"]]
        after = ids[-1]
    return restored, twins, unmerged


def _delete_derived(graph: Graph, bank: str, run: str, *, slot: str) -> list[str]:
    ids = [row["id"] for row in graph.run("list_derived", bank=bank, run=run)]
    graph.run("release_sources", bank=bank, run=run)
    for part in chunks(ids, _BATCH):
        graph.run(cypher.load("delete_memories").in_slot(slot), bank=bank, ids=list(part))
    return ids
