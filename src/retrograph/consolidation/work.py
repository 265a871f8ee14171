"""What every job works with: pages of the bank, small transactions that note how far it is, a dry run."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from retrograph import cypher
from retrograph.consolidation.fates import Fates
from retrograph.consolidation.report import Change
from retrograph.cypher import CypherQuery
from retrograph.encoders import Encoder
from retrograph.extraction import Extractor
from retrograph.graph import Graph
from retrograph.graph.driver import Call
from retrograph.settings import ConsolidationSettings, SafetySettings

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Item = TypeVar("Item")
Progress = Callable[[str, int, int | None], None]
"""Called with a job's name, how many memories it has looked at, and how many there are."""


@dataclass(slots=True)
class Plan:
    """What the jobs of a dry run would have done so far, for those that follow: nothing of it is in the graph.

    Args:
        gone: Memories that would be archived.
        merged: What would be merged into a memory, as `read_members` gives it.
        derived: Memories that would have been made, as `page_memories` gives them.
    """

    gone: set[str] = field(default_factory=set[str])
    merged: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    derived: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


@dataclass(slots=True)
class Work:
    """One job of one run on one bank.

    Args:
        graph: The database.
        bank: The bank.
        slot: Its embedding slot.
        settings: What is old, weak, much.
        fates: What time has overtaken.
        encoder: Gives the encoder; asked by jobs that need it only.
        timezone: Of times in texts.
        run: Id of the run.
        job: Name of the job.
        dry_run: Write nothing.
        cursor: Where an earlier process stopped.
        plan: What the jobs before would have done: of a dry run only.
        progress: Told how far it is.
        extractor: Gives what finds entities in a text; asked by jobs that need it only.
        safety: What is done with texts that are aimed at a model.
        total: How many memories the bank has.
        page: Memories read at a time: what a run holds does not depend on the size of the bank.
        batch: Memories changed in one transaction.
    """

    graph: Graph
    bank: str
    slot: str
    settings: ConsolidationSettings
    fates: Fates
    encoder: Callable[[], Encoder]
    timezone: ZoneInfo
    run: str
    job: str
    dry_run: bool
    cursor: str = ""
    plan: Plan = field(default_factory=Plan)
    progress: Progress | None = None
    extractor: Callable[[], Extractor] = Extractor
    safety: SafetySettings = field(default_factory=SafetySettings)
    total: int | None = None
    page: int = 500
    batch: int = 100
    seen: int = 0
    changes: list[Change] = field(default_factory=list[Change])
    noticed: list[Change] = field(default_factory=list[Change])
    counts: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def now(self) -> datetime:
        """The instant that decides what is old: the run's, whoever goes on with it."""
        return self.fates.now

    def query(self, name: str) -> CypherQuery:
        """A query for the bank's embedding slot."""
        return cypher.load(name).in_slot(self.slot)

    def pages(self, name: str, *, after: str = "", **params: Any) -> Iterator[list[dict[str, Any]]]:
        """Pages of a query in the order of its column `id`, until one is not full."""
        while True:
            rows = self.graph.run(self.query(name), bank=self.bank, after=after, limit=self.page, **params)
            if rows:
                yield rows
                self.looked_at(len(rows))
            if len(rows) < self.page:
                return
            after = rows[-1]["id"]

    def memories(self, *, after: str = "") -> Iterator[list[dict[str, Any]]]:
        """Pages of current memories that time has not overtaken and that no job before has archived."""
        for rows in self.pages("page_memories", after=after):
            yield [row["memory"] for row in rows if self.is_kept(row["memory"])]
        yield [memory for memory in self.plan.derived if self.is_kept(memory)]

    def is_kept(self, memory: Mapping[str, Any]) -> bool:
        """It is current, and no other job archives it."""
        return memory["status"] == "active" and not self.fates.of(memory) and memory["id"] not in self.plan.gone

    def looked_at(self, count: int) -> None:
        """Tells how far the job is."""
        self.seen += count
        if self.progress:
            self.progress(self.job, self.seen, self.total)

    def read_members(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Memories by id, with entities and vectors; what is not current is left out."""
        rows = self.graph.run(self.query("read_members"), bank=self.bank, ids=list(ids))
        for row in rows:
            row["merged"] += self.plan.merged.get(row["id"], [])
        return {row["id"]: row for row in rows if row["memory"]["status"] == "active"}

    def write(self, calls: Iterable[Call], *, cursor: str | None = None) -> list[list[dict[str, Any]]]:
        """Writes in one transaction with how far the job is; in a dry run nothing.

        Returns:
            The rows of each call; nothing in a dry run.
        """
        if self.dry_run:
            return []
        if cursor is not None:
            self.cursor = cursor
        noted: Call = ("record_progress", progress_row(self.run, cursor=self.cursor))
        return self.graph.run_all([*calls, noted])[:-1]

    def archive(self, memories: Sequence[Mapping[str, Any]], reason: str) -> None:
        """Archives memories, in the order of their ids, as far as nobody touched them since they were read."""
        for part in chunks(memories, self.batch):
            self.write(archiving(self, [archive_row(m, reason) for m in part]), cursor=part[-1]["id"])
            self.note(Change("archived", m["id"], reason=reason) for m in part)
            self.leave(m["id"] for m in part)

    def leave(self, ids: Iterable[str]) -> None:
        """Remembers, in a dry run, what the jobs that follow would not find any more."""
        if self.dry_run:
            self.plan.gone.update(ids)

    def settle(self) -> None:
        """Waits until a recall that began before the last write has ended: it may read what that write replaces."""
        time.sleep(self.settings.settle_s)

    def note(self, changes: Iterable[Change]) -> None:
        """Remembers, in a dry run, what would change; a real run reads it back from the graph."""
        if self.dry_run:
            self.changes.extend(changes)


def chunks(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Parts of a list, each of `size` items but the last."""
    return (items[start : start + size] for start in range(0, len(items), size))


def progress_row(run: str, *, cursor: str, done: Sequence[str] = (), counts: Sequence[str] = ()) -> dict[str, Any]:
    """Parameters of `record_progress`."""
    return {"run": run, "cursor": cursor, "done": list(done), "counts": list(counts), "at": datetime.now(UTC)}


def archive_row(memory: Mapping[str, Any], reason: str, *, into: str | None = None) -> dict[str, Any]:
    """A row of `mark_archiving`: what the memory looked like when it was decided."""
    return {
        "id": memory["id"],
        "reason": reason,
        "updated_ms": _milliseconds(memory["updated_at"]),
        "accessed_ms": _milliseconds(memory.get("last_accessed_at")),
        "pinned": bool(memory.get("pinned")),
        "into": into,
    }


def _milliseconds(at: datetime | None) -> int:
    """As Cypher's `epochMillis`: its times of one instant are unequal where their zones are named differently."""
    return (at - _EPOCH) // timedelta(milliseconds=1) if at else 0


def archiving(work: Work, rows: Sequence[dict[str, Any]], between: Sequence[Call] = ()) -> list[Call]:
    """The calls that archive memories for a run, with what has to happen before they leave."""
    ids = [row["id"] for row in rows]
    at = datetime.now(UTC)
    return [
        ("mark_archiving", {"bank": work.bank, "run": work.run, "rows": list(rows)}),
        *between,
        (work.query("archive_memories"), {"bank": work.bank, "ids": ids, "at": at, "run": work.run}),
    ]
