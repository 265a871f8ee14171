"""The command `eval`: how good recall is on a labelled file, and what memory does for an agent's task runs."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.output import jsonable, print_json, progress, remark, show
from retrograph.errors import InvalidInput

if TYPE_CHECKING:
    from retrograph.memory.evaluating import AbReport, EvalReport, Labelled, Measure, TaskRun

_MAX_SEED = 2**31
_TIMES = ("occurred_at", "occurred_until", "valid_from", "valid_until", "expires_at", "since", "until", "as_of", "now")


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
    if files[0] == "ab" and len(files) == 3:
        compare(call, Path(files[1]), Path(files[2]), seed=seed)
        return
    if len(files) != 1:
        raise InvalidInput(f"{len(files)} files were given", cure="`eval FILE`, or `eval ab A B`.", field="files")
    from retrograph.memory import evaluating

    memories, questions = _labelled(_lines(Path(files[0])), path=files[0])
    if preset:
        questions = [dataclasses.replace(q, more={"preset": preset} | dict(q.more)) for q in questions]
    with call.memory() as memory:
        memory.warm()
        if not memories:
            report = evaluating.evaluate(memory, questions, limit=limit, seed=seed)
        else:
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
    if call.as_json:
        print_json(jsonable(report))
    else:
        _show(report)


def compare(call: Call, a: Path, b: Path, *, seed: int) -> None:
    """`eval ab`."""
    from retrograph.memory.evaluating import compare_runs

    report = compare_runs(_runs(a), _runs(b), seed=seed)
    if call.as_json:
        print_json(jsonable(report))
    else:
        _show_ab(report)


def _lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: not UTF-8 text (byte {error.start})", field="files") from error
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}", field="files") from error
    rows: list[tuple[int, dict[str, Any]]] = []
    # By line feeds alone: a text may hold other signs that Python takes for the end of a line.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InvalidInput(f"{path}, line {number}: no JSON: {error}", field="files") from error
        if not isinstance(row, dict):
            raise InvalidInput(f"{path}, line {number}: no JSON object", field="files")
        rows.append((number, cast(dict[str, Any], row)))
    return rows


def _labelled(
    rows: Sequence[tuple[int, dict[str, Any]]], *, path: str
) -> tuple[list[dict[str, Any]], "list[Labelled]"]:
    from retrograph.memory.evaluating import Labelled

    memories: list[dict[str, Any]] = []
    questions: list[Labelled] = []
    for number, row in rows:
        at = f"{path}, line {number}"
        if "content" in row:
            memories.append(_fields(row, at=at))
        elif isinstance(row.get("question"), str):
            known = {"question", "ids", "contents", "where", "options"}
            if unknown := row.keys() - known:
                raise InvalidInput(f"{at}: unknown field {min(unknown)!r}", cure=f"Known: {', '.join(sorted(known))}.")
            more = {**_object(row, "where", at=at), **_object(row, "options", at=at)}
            ids, contents = _texts(row, "ids", at=at), _texts(row, "contents", at=at)
            questions.append(Labelled(row["question"], ids, contents, _fields(more, at=at)))
        else:
            raise InvalidInput(f"{at}: neither a question nor a memory (`content`)", cure="See docs/evaluation.md.")
    return memories, questions


def _runs(path: Path) -> "list[TaskRun]":
    from pydantic import TypeAdapter, ValidationError

    from retrograph.memory.evaluating import TaskRun

    runs: list[TaskRun] = []
    adapter = TypeAdapter(TaskRun)
    for number, row in _lines(path):
        try:
            run = adapter.validate_python(row)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise InvalidInput(f"{path}, line {number}: {where}: {first['msg']}", field="files") from error
        counts = [count for count in (run.tokens, run.recalled, run.used) if count is not None]
        if run.rounds < 1 or min(counts, default=0) < 0 or (run.used or 0) > (run.recalled or 0):
            raise InvalidInput(f"{path}, line {number}: a count is out of range", field="files")
        runs.append(run)
    return runs


def _fields(row: Mapping[str, Any], *, at: str) -> dict[str, Any]:
    from datetime import datetime

    given = dict(row)
    for name in _TIMES:
        if isinstance(given.get(name), str):
            try:
                given[name] = datetime.fromisoformat(given[name])
            except ValueError as error:
                raise InvalidInput(f"{at}: {name} is no time: {given[name]!r}", field=name) from error
    return given


def _object(row: Mapping[str, Any], name: str, *, at: str) -> dict[str, Any]:
    value: Any = row.get(name) or {}
    if not isinstance(value, dict):
        raise InvalidInput(f"{at}: {name} is no object", field=name)
    return cast(dict[str, Any], value)


def _texts(row: Mapping[str, Any], name: str, *, at: str) -> tuple[str, ...]:
    value: Any = row.get(name) or []
    if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in cast(list[Any], value)):
        raise InvalidInput(f"{at}: {name} is no list of texts", field=name)
    return tuple(cast(list[str], value))


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
