"""What a run of consolidation says it did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that changed, or would change in a dry run.

    Args:
        kind: `archived`, `merged`, `reflected`, `summarised`, `distilled`, `joined`, `pruned`, `thinned`, or `noticed`
            for a mere report.
        id: The memory, entity, link or task run it is about.
        others: What it is related to: the memory it was merged into, the sources of a summary, the task run of a
            lesson, the canonical name, the steps that were taken out.
        reason: Why, in a few words; none of a memory's own.
    """

    kind: str
    id: str
    others: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JobReport:
    """What one job of a run did.

    Args:
        job: Its name.
        changed: How many things it changed, or would change.
        changes: Which, in the order of their ids.
        seconds: How long it took in this process; 0 where an earlier one had done it.
        counts: What else it counted.
    """

    job: str
    changed: int
    changes: tuple[Change, ...] = ()
    seconds: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """What a run did to a bank, or would do.

    Args:
        run: Its id, for `undo`; None for a dry run, and for a run that changed nothing.
        bank: The bank.
        dry_run: Nothing was written.
        resumed: The run was begun by a process that was cut off.
        now: The instant that decided what is old.
        jobs: In the order in which they ran.
        seconds: Wall time of this process.
        skipped: Why nothing was done; "" where something was.
    """

    run: str | None
    bank: str
    dry_run: bool
    resumed: bool
    now: datetime
    jobs: tuple[JobReport, ...] = ()
    seconds: float = 0.0
    skipped: str = ""

    @property
    def changed(self) -> int:
        """How many things changed in all."""
        return sum(job.changed for job in self.jobs)


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as the graph keeps it."""

    id: str
    bank: str
    state: str
    jobs: tuple[str, ...]
    started_at: datetime
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What undoing a run did.

    Args:
        run: The run.
        restored: Memories out of the archive again, ids.
        unmerged: How many of them had been merged into another.
        deleted: Summaries, rules and lessons that are gone, ids.
        separated: Names that are apart again.
        links: Links that are back.
        twins: Memories that stay archived, as their words were told again meanwhile → the one that has them.
        steps: Steps that are in their task runs again.
    """

    run: str
    restored: tuple[str, ...] = ()
    unmerged: int = 0
    deleted: tuple[str, ...] = ()
    separated: int = 0
    links: int = 0
    twins: Mapping[str, str] = field(default_factory=dict[str, str])
    steps: int = 0
