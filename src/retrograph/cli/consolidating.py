"""Commands that keep a bank healthy: consolidate, runs, and the undo of a run."""

import re
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.output import jsonable, print_json, progress, remark
from retrograph.cli.rendering import local, print_line, show_rows, visible
from retrograph.errors import Conflict, InvalidInput, RetrographError

if TYPE_CHECKING:
    from retrograph.consolidation import ConsolidationReport, Consolidator, JobReport
    from retrograph.consolidation.work import Progress
    from retrograph.memory import Memory

_SHOWN = 10
_UNITS_S = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_DURATION = re.compile(r"(?P<count>\d+(?:\.\d+)?)\s?(?P<unit>[smhd])")


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    command(
        app,
        examples=[
            "retrograph consolidate --dry-run",
            "retrograph consolidate --jobs expire,deduplicate",
            "retrograph consolidate --all-banks --every 24h",
        ],
    )(consolidate)
    command(app, examples=["retrograph runs"])(runs)


def consolidate(
    call: Call,
    jobs: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="expire, decay, reflect, deduplicate, resolve, distil, summarise, capacity, prune, thin, weigh, "
            "unrecalled, audit; default: all. They are done in this order.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; show what would change.")] = False,
    all_banks: Annotated[bool, typer.Option("--all-banks", help="Every bank of the database.")] = False,
    every: Annotated[
        str | None, typer.Option(metavar="TIME", help="Go on for ever, so long from start to start: 24h, 30m.")
    ] = None,
    wait: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Wait so long for another process at the same bank.")
    ] = 0,
) -> None:
    """Keep a bank healthy: archive, merge, reflect, summarise, prune.

    It works for all who use the bank. Nothing is deleted but audit entries past their retention; `undo RUN` takes
    the rest back. A run that was cut off goes on where it stopped.
    """
    chosen = tuple(name.strip() for name in (jobs or "").split(",") if name.strip())
    pause_s = seconds(every) if every else None
    with call.memory() as memory:
        while True:
            begun = time.monotonic()
            left_out: list[RetrographError] = []
            reports = [
                report
                for worker, bank in _work(call, memory, left_out, all_banks=all_banks)
                for report in _run(
                    worker, bank, chosen, left_out, dry_run=dry_run, wait_s=wait, go_on=all_banks or bool(every)
                )
            ]
            _show(call, reports, as_list=all_banks)
            if pause_s is None:
                if left_out:
                    # Told already, each where it happened; what could be done is done.
                    raise typer.Exit(left_out[0].exit_code)
                return
            time.sleep(max(0.0, pause_s - (time.monotonic() - begun)))


def runs(
    call: Call, limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="Most entries.")] = 20
) -> None:
    """List the runs of consolidate that changed something, newest first."""
    with call.memory() as memory:
        found = call.parts.open_consolidators(memory)[0].runs(memory.identity.bank, limit=limit)
    if call.as_json:
        print_json([jsonable(run) for run in found])
        return
    for run in found:
        print_line((f"{run.id}  ", "bold"), f"{local(run.started_at, call.settings.timezone)}  {run.state}")
        print_line((f"  {', '.join(run.jobs)}", "dim"))


def undo_consolidation(call: Call, run: str) -> None:
    """Takes back what a run did; `undo RUN`."""
    with call.memory() as memory:
        report = call.parts.open_consolidators(memory)[0].undo(memory.identity.bank, run)
    if call.as_json:
        print_json(jsonable(report))
        return
    counts = {
        "restored": len(report.restored),
        "of these merged before": report.unmerged,
        "summaries, rules and lessons deleted": len(report.deleted),
        "names apart again": report.separated,
        "links back": report.links,
        "steps of task runs back": report.steps,
    }
    print_line("undone" if any(counts.values()) else "nothing to undo: it was undone before")
    show_rows({name: f"{count:,}" for name, count in counts.items() if count})
    for memory_id, twin in report.twins.items():
        print_line((f"{memory_id} stays archived: {twin} says the same", "yellow"))


def seconds(duration: str) -> float:
    """Seconds of a duration such as 24h, 30m or 1.5d.

    Raises:
        InvalidInput: It is none, or shorter than a second.
    """
    match = _DURATION.fullmatch(duration.strip())
    found = float(match["count"]) * _UNITS_S[match["unit"]] if match else 0.0
    if found < 1:
        raise InvalidInput(
            f"{duration!r} is no time to wait", cure="Write a number and s, m, h or d: --every 24h.", field="every"
        )
    return found


def _work(
    call: Call, memory: "Memory", left_out: list[RetrographError], *, all_banks: bool
) -> "Iterator[tuple[Consolidator, str]]":
    """The banks to do; a database that does not answer is told and left out, those behind it have their turn."""
    if not all_banks:
        yield call.parts.open_consolidators(memory)[0], memory.identity.bank
        return

    def trouble(place: str, error: RetrographError) -> None:
        remark(f"shard {place} left out: {error}" if place else f"the database at `uri` left out: {error}")
        left_out.append(error)

    for worker in call.parts.open_consolidators(memory, trouble=trouble):
        try:
            banks = worker.banks()
        except RetrographError as error:
            trouble(worker.name, error)
            continue
        yield from ((worker, bank) for bank in banks)


def _run(
    worker: "Consolidator",
    bank: str,
    jobs: tuple[str, ...],
    left_out: list[RetrographError],
    *,
    dry_run: bool,
    wait_s: float,
    go_on: bool,
) -> Iterator["ConsolidationReport"]:
    """The report of one bank; where there is a next time or another bank, trouble with one is only told."""
    try:
        with _bar(bank) as told:
            yield worker.run(bank, jobs=jobs, dry_run=dry_run, wait_s=wait_s, progress=told)
    except InvalidInput:
        raise
    except Conflict as error:
        if not go_on:
            raise
        remark(f"{bank}: left out, {error.message}")
    except RetrographError as error:
        if not (go_on and error.retryable):
            raise
        remark(f"{bank}: {error}")
        left_out.append(error)


@contextmanager
def _bar(bank: str) -> Generator["Progress"]:
    with progress(f"consolidate {visible(bank)}") as update:

        def told(job: str, seen: int, total: int | None) -> None:
            # A job may look at everything twice: the bar begins again where it is full.
            update(seen % total if total and seen > total else seen, total)

        yield told


def _show(call: Call, reports: "list[ConsolidationReport]", *, as_list: bool) -> None:
    if call.as_json:
        if as_list:
            print_json([jsonable(report) | {"changed": report.changed} for report in reports])
        else:
            for report in reports:
                print_json(jsonable(report) | {"changed": report.changed})
        return
    for report in reports:
        _show_report(report, name_bank=as_list)


def _show_report(report: "ConsolidationReport", *, name_bank: bool) -> None:
    if name_bank:
        print_line((visible(report.bank), "bold"))
    if report.skipped:
        print_line((report.skipped, "yellow"))
        return
    for job in report.jobs:
        _show_job(job, dry_run=report.dry_run)
    if report.resumed:
        print_line(("taken up where an earlier run was cut off", "dim"))
    if report.run:
        print_line(f"{report.changed:,} changes in {report.seconds:.1f} s; undo {report.run} takes them back")
    elif report.dry_run:
        print_line(f"{report.changed:,} changes would be made; nothing was written")
    else:
        print_line("nothing to change")


def _show_job(job: "JobReport", *, dry_run: bool) -> None:
    counts = ", ".join(f"{count:,} {name}" for name, count in job.counts.items() if count and name != "purged")
    changed = f"{job.changed:,} {'to change' if dry_run else 'changed'}" if job.changed else ""
    print_line((f"{job.job:<12}", "bold"), ", ".join(part for part in (changed, counts) if part) or "–")
    for change in job.changes[:_SHOWN]:
        arrow = f" → {', '.join(visible(other) for other in change.others[:3])}" if change.others else ""
        more = f" … {len(change.others) - 3} more" if len(change.others) > 3 else ""
        print_line((f"  {change.kind} {visible(change.id)}{arrow}{more}", "dim"))
    if len(job.changes) > _SHOWN:
        print_line((f"  … and {len(job.changes) - _SHOWN:,} more (--json names all)", "dim"))
