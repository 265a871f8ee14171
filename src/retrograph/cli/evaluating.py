"""The command `eval`: how good recall is on a labelled file, and what memory does for an agent's task runs."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.output import jsonable, print_json, progress, remark, show
from retrograph.errors import InvalidInput

if TYPE_CHECKING:
    from retrograph.memory.evaluating import AbReport, EvalReport, Measure

_MAX_SEED = 2**31


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    command(
        app,
        name="eval",
        examples=[
            "retrograph eval questions.jsonl",
            "retrograph eval questions.jsonl --limit 10 --json",
            "retrograph eval ab without.jsonl with.jsonl",
        ],
    )(evaluate)


def evaluate(
    call: Call,
    files: Annotated[list[str], typer.Argument(metavar="FILE | ab A B", help="JSON lines; see docs/evaluation.md.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Results a question.")] = 5,
    preset: Annotated[str | None, typer.Option(help="Named weights of the blend.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=_MAX_SEED, help="Seed of the confidence intervals.")] = 0,
) -> None:
    """Measure recall on labelled questions, or compare task runs without and with memory.

    FILE holds questions with the ids or contents that should be recalled, and optionally the memories, which are then
    written to a bank of their own and removed afterwards. `ab A B` compares runs: first-try success, rounds,
    repeated errors, tokens. Every figure comes with a 95 % confidence interval.
    """
    if files[0] == "ab":
        if len(files) != 3:
            raise InvalidInput(
                f"`eval ab` compares two files, and {len(files) - 1} were given",
                cure="retrograph eval ab without.jsonl with.jsonl",
                field="files",
            )
        compare(call, Path(files[1]), Path(files[2]), seed=seed)
        return
    if len(files) != 1:
        raise InvalidInput(
            f"{len(files)} files were given",
            cure="`eval FILE` measures one; `eval ab A B` compares two.",
            field="files",
        )
    from retrograph.cli.eval_files import read_labelled
    from retrograph.memory import evaluating

    labelled = read_labelled(Path(files[0]))
    memories, questions = labelled.memories, labelled.questions
    if preset:
        questions = [dataclasses.replace(q, more={"preset": preset} | dict(q.more)) for q in questions]
    if not questions:
        raise InvalidInput(f"{files[0]}: there is no question in it", cure="docs/evaluation.md shows the file format.")
    with call.memory() as memory:
        memory.warm()
        if not memories:
            report = evaluating.evaluate(memory, questions, limit=limit, seed=seed)
        else:
            from datetime import UTC, datetime, timedelta

            from uuid_utils import uuid7

            own = memory.for_identity(dataclasses.replace(memory.identity, bank=f"eval-{uuid7()}"))
            written: list[str] = []
            with progress("writing", total=len(memories)) as done:
                try:
                    named, seconds = evaluating.plant(own.write, memories, written=written, progress=done)
                    report = evaluating.evaluate(
                        own, questions, limit=limit, seed=seed, named=named, write_seconds=seconds
                    )
                finally:
                    if written:
                        own.forget(list(dict.fromkeys(written)), hard=True)
                        # Nobody asks who wrote to a bank that was made for a measurement.
                        own.purge_audit(before=datetime.now(UTC) + timedelta(days=1))
    if call.as_json:
        print_json(jsonable(report))
    else:
        _show(report)


def compare(call: Call, a: Path, b: Path, *, seed: int) -> None:
    """`eval ab`."""
    from retrograph.cli.eval_files import read_runs
    from retrograph.memory.evaluating import compare_runs

    report = compare_runs(read_runs(a), read_runs(b), seed=seed)
    if call.as_json:
        print_json(jsonable(report))
    else:
        _show_ab(report)


def _show(report: "EvalReport") -> None:
    from rich.table import Table

    table = Table("measure", "value", "95 %", "n", "goal", box=None, pad_edge=False)
    for name, m in report.measures.items():
        goal = ""
        if m.goal is not None:
            goal = (
                f"{'<' if name.endswith(' ms') else '>'} {_figure(name, m.goal)} {'reached' if m.reached else 'missed'}"
            )
        table.add_row(name, _figure(name, m.value), _interval(name, m), str(m.n), goal)
    show(table)
    for missed in report.missed[:10]:
        remark(f"missed: {missed.question} — {'; '.join(missed.missing)}")
    if len(report.missed) > 10:
        remark(f"… {len(report.missed) - 10} more; --json names them")


def _show_ab(report: "AbReport") -> None:
    from rich.table import Table

    table = Table("measure", "A", "B", "B − A", "95 %", "", box=None, pad_edge=False)
    for name, m in report.measures.items():
        gap = m.difference
        table.add_row(
            name,
            _figure(name, m.a.value),
            _figure(name, m.b.value),
            _figure(name, gap.value),
            _interval(name, gap),
            "differs" if m.differs else "no difference shown",
        )
    show(table)
    remark("compared task by task" if report.paired else "the files hold different tasks: compared as two samples")


_SHARES = ("recall", "precision", "hit rate", "nDCG", "silence", "success", "first-try success", "utilisation")


def _figure(name: str, value: float) -> str:
    if name in _SHARES or name.startswith("precision@"):
        return f"{100 * value:.1f} %"
    return f"{value:,.1f}"


def _interval(name: str, measure: "Measure") -> str:
    return f"{_figure(name, measure.low)} … {_figure(name, measure.high)}"
