"""One run: the jobs in their order, each leased, resumable, and told of at the end."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from uuid_utils import uuid7

from retrograph.consolidation.auditing import purge_audit
from retrograph.consolidation.deduplicating import DUPLICATE, deduplicate
from retrograph.consolidation.deriving import KINDS, RULE, STALE, SUMMARY
from retrograph.consolidation.distilling import distil
from retrograph.consolidation.expiring import decay, expire
from retrograph.consolidation.fates import EXPIRED, FADED, Fates
from retrograph.consolidation.limiting import CAPACITY, limit
from retrograph.consolidation.noticing import notice
from retrograph.consolidation.pruning import prune
from retrograph.consolidation.reflecting import reflect
from retrograph.consolidation.report import Change, ConsolidationReport, JobReport, RunView, UndoReport
from retrograph.consolidation.resolving import resolve
from retrograph.consolidation.summarising import SUMMARISED, summarise
from retrograph.consolidation.thinning import MINOR, thin
from retrograph.consolidation.undoing import undo_run
from retrograph.consolidation.weighing import weigh
from retrograph.consolidation.work import Plan, Progress, Work, progress_row
from retrograph.encoders import Encoder
from retrograph.errors import InvalidInput
from retrograph.extraction import Extractor
from retrograph.graph import BankSpace, Graph, bank_space, check_encoder, hold_lease
from retrograph.graph.auditing import acting
from retrograph.models import Identity
from retrograph.settings import Settings

JOBS: dict[str, Callable[[Work], None]] = {
    "expire": expire,
    "decay": decay,
    "reflect": reflect,
    "deduplicate": deduplicate,
    "resolve": resolve,
    "distil": distil,
    "summarise": summarise,
    "capacity": limit,
    "prune": prune,
    "thin": thin,
    "weigh": weigh,
    "unrecalled": notice,
    "audit": purge_audit,
}
"""Every job, in the order in which a run does them, whatever the order in which they were asked for."""

NEEDS: dict[str, tuple[str, ...]] = {"distil": ("reflect", "deduplicate"), "summarise": ("deduplicate",)}
"""Jobs that have to have been done before another: it looks at what they leave, so a run does them first."""

ACTOR = "retrograph consolidate"
"""On whose behalf the audit says a run acts; the session beside it is the id of the run."""
_REASONS = {
    EXPIRED: "expire",
    FADED: "decay",
    DUPLICATE: "deduplicate",
    SUMMARISED: "summarise",
    CAPACITY: "capacity",
    STALE[SUMMARY]: "summarise",
    STALE[RULE]: "distil",
}
"""Which job archives for which reason."""
_DERIVING = {"summary": "summarise", "rule": "distil", "lesson": "reflect"}
_ONLY_REPORTS = ("unrecalled",)
"""Jobs that write nothing: a run that is taken up does them again."""


@dataclass(frozen=True, slots=True)
class Consolidator:
    """Keeps banks healthy.

    Args:
        graph: The database.
        encoder: Gives the encoder; asked where a job needs it.
        settings: What is old, weak, much; the time zone of times in texts.
        page: Memories read at a time.
        batch: Memories changed in one transaction.
        extractor: Gives what finds entities in the lessons that it makes; asked where a job needs it.
        name: The pattern of the shard that the database is, for reports; "" for home.
    """

    graph: Graph
    encoder: Callable[[], Encoder]
    settings: Settings
    page: int = 500
    batch: int = 100
    extractor: Callable[[], Extractor] = Extractor
    name: str = ""

    def run(
        self,
        bank: str,
        *,
        jobs: Sequence[str] = (),
        dry_run: bool = False,
        now: datetime | None = None,
        wait_s: float = 0,
        progress: Progress | None = None,
    ) -> ConsolidationReport:
        """Does jobs on a bank, for all who use it; a run that was cut off is taken up where it stopped.

        Args:
            bank: The bank.
            jobs: Names of `JOBS`; none means all. They are done in the order of `JOBS`, with those that they need.
            dry_run: Write nothing; the report is the one that a run would give now.
            now: The instant that decides what is old; None is the present. A run taken up keeps its own.
            wait_s: How long to wait for another process that consolidates the bank, seconds.
            progress: Told how far each job is.

        Returns:
            What changed; `skipped` says why where nothing was done.

        Raises:
            InvalidInput: There is no such job.
            Conflict: Another process consolidates the bank.
            GraphError: The database does not answer; run it again and it goes on.
        """
        chosen = chosen_jobs(jobs)
        at = now or datetime.now(UTC)
        space = bank_space(self.graph, bank)
        if space is None:
            return ConsolidationReport(None, bank, dry_run, False, at, skipped="there is no such bank, or it is empty")
        begun = time.monotonic()
        if dry_run:
            run = _Run(self, bank, space, chosen, id="", now=at, dry_run=True, progress=progress)
            return run.report(run.work(), begun=begun)
        with hold_lease(self.graph, f"consolidate:{bank}", seconds=self.settings.consolidation.lease_s, wait_s=wait_s):
            row = self.graph.run(
                "open_run", bank=bank, id=str(uuid7()), jobs=list(chosen), now=at, at=datetime.now(UTC)
            )[0]
            run = _Run(
                self,
                bank,
                space,
                chosen,
                id=row["run"]["id"],
                now=row["run"]["now"],
                dry_run=False,
                progress=progress,
                done=tuple(row["run"]["done"]),
                cursor=row["run"].get("cursor") or "",
                resumed=row["resumed"],
            )
            with acting(Identity(bank, agent=ACTOR, session=run.id)):
                return run.report(run.work(), begun=begun)

    def runs(self, bank: str, *, limit: int = 50) -> tuple[RunView, ...]:
        """The runs that changed something, newest first.

        Raises:
            GraphError: The database does not answer.
        """
        rows = self.graph.run("list_runs", bank=bank, id=None, limit=limit)
        return tuple(run_view(row["run"]) for row in rows)

    def undo(self, bank: str, run: str) -> UndoReport:
        """Takes back what a run did; see `undo_run`.

        Raises:
            NotFound: The bank has no such run.
            Conflict: The bank is being consolidated.
        """
        return undo_run(self.graph, bank, run)

    def banks(self) -> tuple[str, ...]:
        """All banks of the database."""
        return tuple(row["bank"] for row in self.graph.run("list_banks"))


def chosen_jobs(jobs: Sequence[str]) -> tuple[str, ...]:
    """The jobs to do, with those that they need, in the order in which they are done.

    Raises:
        InvalidInput: There is no such job.
    """
    unknown = [job for job in jobs if job not in JOBS]
    if unknown:
        raise InvalidInput(f"there is no job {unknown[0]!r}", cure=f"The jobs are {', '.join(JOBS)}.", field="jobs")
    wanted = set(jobs or JOBS)
    wanted |= {needed for job in wanted for needed in NEEDS.get(job, ())}
    return tuple(job for job in JOBS if job in wanted)


def run_view(run: Mapping[str, Any]) -> RunView:
    """A run's properties as what a caller sees of it."""
    return RunView(run["id"], run["bank"], run["state"], tuple(run["jobs"]), run["started_at"], run.get("finished_at"))


@dataclass(slots=True)
class _Run:
    """A run at work."""

    owner: Consolidator
    bank: str
    space: BankSpace
    jobs: tuple[str, ...]
    id: str
    now: datetime
    dry_run: bool
    progress: Progress | None = None
    done: tuple[str, ...] = ()
    cursor: str = ""
    resumed: bool = False
    plan: Plan = field(default_factory=Plan)
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    loaded: Extractor | None = None

    def work(self) -> dict[str, Work]:
        """Does the jobs that are left, one after the other."""
        total = self.owner.graph.run("count_memories", bank=self.bank)[0]["memories"]
        works: dict[str, Work] = {}
        cursor = self.cursor
        for job in self.jobs:
            if job in self.done:
                continue
            works[job] = work = self._work_of(job, cursor=cursor, total=total)
            begun = time.monotonic()
            JOBS[job](work)
            self.seconds[job] = time.monotonic() - begun
            cursor = ""
            if not self.dry_run and job not in _ONLY_REPORTS:
                counts = [f"{job} {name} {count}" for name, count in sorted(work.counts.items())]
                self.owner.graph.run("record_progress", **progress_row(self.id, cursor="", done=[job], counts=counts))
        return works

    def _work_of(self, job: str, *, cursor: str, total: int) -> Work:
        settings = self.owner.settings
        return Work(
            graph=self.owner.graph,
            bank=self.bank,
            slot=self.space.slot,
            settings=settings.consolidation,
            fates=Fates(self.now, settings.consolidation, settings.recall.half_life_of),
            encoder=self._encoder,
            timezone=ZoneInfo(settings.timezone),
            run=self.id,
            job=job,
            dry_run=self.dry_run,
            cursor=cursor,
            plan=self.plan,
            progress=self.progress,
            extractor=self._extractor,
            safety=settings.safety,
            total=total,
            page=self.owner.page,
            batch=self.owner.batch,
        )

    def _extractor(self) -> Extractor:
        if self.loaded is None:
            self.loaded = self.owner.extractor()
        return self.loaded

    def _encoder(self) -> Encoder:
        encoder = self.owner.encoder()
        check_encoder(self.space, self.bank, encoder=encoder.name)
        return encoder

    def report(self, works: Mapping[str, Work], *, begun: float) -> ConsolidationReport:
        """What the run did, whichever process did it, and the end of the run."""
        graph, run = self.owner.graph, self.id or None
        if self.dry_run:
            changes = {job: work.changes for job, work in works.items()}
            counts = {job: work.counts for job, work in works.items()}
        else:
            changes = changes_of_run(graph, self.bank, self.id)
            record = graph.run("list_runs", bank=self.bank, id=self.id, limit=1)[0]["run"]
            counts = _counts(record["counts"])
            counts |= {job: works[job].counts for job in _ONLY_REPORTS if job in works}
        noticed = {job: work.noticed for job, work in works.items()}
        jobs = tuple(
            JobReport(
                job,
                changed=len(found) + counts.get(job, {}).get("purged", 0),
                changes=tuple(sorted(found + noticed.get(job, []), key=lambda c: (c.kind, c.id, c.others))),
                seconds=round(self.seconds.get(job, 0.0), 3),
                counts=counts.get(job, {}),
            )
            for job in self.jobs
            for found in (changes.get(job, []),)
        )
        if not self.dry_run:
            if any(job.changed for job in jobs):
                graph.run("set_run_state", run=self.id, state="done", at=datetime.now(UTC))
            else:
                graph.run("delete_run", run=self.id)
                run = None
        seconds = round(time.monotonic() - begun, 3)
        return ConsolidationReport(run, self.bank, self.dry_run, self.resumed, self.now, jobs, seconds)


def changes_of_run(graph: Graph, bank: str, run: str) -> dict[str, list[Change]]:
    """What a run changed, by job, read back from the graph: what several processes did of it is all there."""
    found: dict[str, list[Change]] = {job: [] for job in JOBS}
    after = ""
    while rows := graph.run("list_archived", bank=bank, run=run, after=after, limit=1000):
        for row in rows:
            job = _REASONS[row["reason"]]
            into = (row["into"],) if row["into"] else ()
            found[job].append(Change("merged" if into else "archived", row["id"], into, row["reason"]))
        after = rows[-1]["id"]
    for row in graph.run("list_derived", bank=bank, run=run):
        change = Change(KINDS[row["derived"]], row["id"], tuple(row["sources"]), row["derived"])
        found[_DERIVING[row["derived"]]].append(change)
    for row in graph.run("list_joined", run=run):
        found["resolve"].append(Change("joined", row["alias"], (row["canonical"],), row["reason"]))
    for row in graph.run("list_pruned", run=run):
        found["prune"].append(Change("pruned", row["from_id"], (row["to_id"],), row["type"]))
    for row in graph.run("list_archived_steps", run=run):
        found["thin"].append(Change("thinned", row["id"], tuple(row["steps"]), MINOR))
    return found


def _counts(lines: Sequence[str]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for line in lines:
        job, _, told = line.partition(" ")
        name, _, count = told.rpartition(" ")
        found.setdefault(job, {})[name] = int(count)
    return found
