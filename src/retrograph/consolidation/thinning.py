"""Takes the minor steps out of task runs that ended long ago; what a lesson or a reader would look for stays.

Never taken: steps that failed and what overcame them, decisions, corrections, retries, the first and the last, what a
lesson cites, and what the run's own words would make a lesson of. What is taken stays beside the run, so that it can be
undone.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from retrograph.consolidation.reflecting import read_run
from retrograph.consolidation.report import Change
from retrograph.consolidation.work import Work, chunks
from retrograph.memory.reflecting import draft
from retrograph.memory.trajectories import Step, StepKind, Trajectory

MINOR = "minor steps"
_MINOR_KINDS = frozenset({StepKind.THOUGHT, StepKind.TOOL, StepKind.RESULT})


def thin(work: Work) -> None:
    """Takes minor steps out of runs that ended `steps_days` ago or longer and are not pinned."""
    days = work.settings.steps_days
    if not days:
        return
    for rows in work.pages("page_old_trajectories", before=work.now - timedelta(days=days)):
        for part in chunks([row["id"] for row in rows], work.batch):
            _thin_out(work, part)


def minor_steps(run: Trajectory, *, cited: Sequence[int] = ()) -> tuple[Step, ...]:
    """The steps of a run that nobody would miss.

    Args:
        run: The run with all its steps.
        cited: Numbers of steps that a lesson cites.
    """
    if not run.steps:
        return ()
    kept = {*cited, run.steps[0].number, run.steps[-1].number}
    kept |= {number for sentence in draft(run).sentences for number in sentence.steps}
    kept |= {step.number for step in _overcoming(run)}
    return tuple(
        step
        for step in run.steps
        if step.kind in _MINOR_KINDS and not step.failed and not step.archived and step.number not in kept
    )


def _overcoming(run: Trajectory) -> Iterator[Step]:
    """The first success of each tool after it had failed."""
    failed: set[str] = set()
    for step in run.steps:
        if step.failed and step.tool:
            failed.add(step.tool)
        elif step.tool in failed:
            failed.remove(step.tool)
            yield step


def _thin_out(work: Work, ids: Sequence[str]) -> None:
    taken: list[dict[str, Any]] = []
    changes: list[Change] = []
    for run_id in ids:
        read = read_run(work, run_id)
        if read is None:
            continue
        minor = minor_steps(read[0], cited=read[1]["cited"])
        taken.append({"id": run_id, "numbers": [step.number for step in minor]})
        if minor:
            changes.append(Change("thinned", run_id, tuple(step.id or "" for step in minor), MINOR))
    work.write([("archive_steps", {"bank": work.bank, "run": work.run, "rows": taken, "at": work.now})])
    work.note(changes)
