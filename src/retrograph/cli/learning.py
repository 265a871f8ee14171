"""Commands about task runs: record them, look at them, make lessons of them."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.output import jsonable, print_json
from retrograph.cli.parsing import moment
from retrograph.cli.rendering import local, print_line, shortened, show_rows, visible
from retrograph.errors import InvalidInput

if TYPE_CHECKING:
    from retrograph.memory.reflecting import Reflection
    from retrograph.memory.trajectories import Step, Trajectory

Id = Annotated[str, typer.Argument(metavar="ID", help="The trajectory's id.")]


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    command(
        app,
        examples=[
            'retrograph record steps.jsonl --task "import the March invoices" --task-type billing --status failure',
            "retrograph record more.jsonl --id 01980f3e-… --status success",
        ],
    )(record)
    command(app, examples=["retrograph trajectories --status failure", "retrograph trajectories 01980f3e-…"])(
        trajectories
    )
    command(app, examples=["retrograph summarise standup", "retrograph summarise --since 7d"])(summarise)
    command(
        app,
        examples=[
            "retrograph reflect 01980f3e-… --draft",
            'retrograph reflect 01980f3e-… --why "The file had no header [2]." --next-time "Check it first [2]."',
        ],
    )(reflect)


def record(
    call: Call,
    file: Annotated[
        str, typer.Argument(help="JSON lines, a step each: kind, text, reason, tool, input, output, error; - is stdin.")
    ],
    task: Annotated[str | None, typer.Option(help="What was to be done; needed to begin one.")] = None,
    id: Annotated[str | None, typer.Option(help="Go on with this trajectory.")] = None,
    task_type: Annotated[str | None, typer.Option(help="The kind of task: the domain of its lessons.")] = None,
    status: Annotated[str | None, typer.Option(help="success or failure ends it.")] = None,
) -> None:
    """Record a task run, at once or as its steps come. Raw steps are kept apart from memories."""
    steps = _steps(file)
    with call.memory() as memory:
        run = memory.record_trajectory(task, steps, trajectory_id=id, status=_status(status), task_type=task_type)
    if call.as_json:
        print_json(jsonable(run))
    else:
        _show(run, call.settings.timezone, with_steps=False)


def trajectories(
    call: Call,
    id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One, with its steps; without it, the newest.")
    ] = None,
    task_type: Annotated[str | None, typer.Option(help="Of this kind only.")] = None,
    status: Annotated[str | None, typer.Option(help="running, success or failure.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most of them.")] = 20,
    forget: Annotated[
        bool, typer.Option("--forget", help="Remove it and its steps for good; its lessons stay.")
    ] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Show the minor steps too that consolidate took out.")] = False,
    pin: Annotated[
        bool | None, typer.Option("--pin/--unpin", help="Keep all its steps, however old it gets.", show_default=False)
    ] = None,
) -> None:
    """List task runs, show one with its steps, or remove one."""
    if id is None and (forget or deep or pin is not None):
        raise InvalidInput("--forget, --deep and --pin go with an id", field="id")
    with call.memory() as memory:
        if id and pin is not None:
            memory.pin_trajectory(id, pinned=pin)
        if id and forget:
            steps = memory.forget_trajectory(id)
            print_json({"id": id, "steps": steps}) if call.as_json else print_line(f"removed with {steps} steps: {id}")
            return
        found = (
            (memory.trajectory(id, deep=deep),)
            if id
            else memory.trajectories(task_type=task_type, status=_status(status), limit=limit)
        )
    if call.as_json:
        print_json(jsonable(found[0]) if id else [jsonable(run) for run in found])
        return
    for run in found:
        _show(run, call.settings.timezone, with_steps=bool(id))
    if not found:
        print_line(("no trajectories", "dim"))


def summarise(
    call: Call,
    about: Annotated[str | None, typer.Argument(metavar="[SESSION]", help="The session.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="What happened at or after; 7d is a week ago.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="What happened before.")] = None,
    quotes: Annotated[int, typer.Option(min=1, max=50, help="Memories to quote.")] = 5,
) -> None:
    """Tell what a session or a span of time was about, in its own words. Nothing is stored."""
    zone = call.settings.timezone
    with call.memory() as memory:
        found = memory.summarise(
            session=about or call.settings.session,
            since=moment(since, option="since", timezone=zone),
            until=moment(until, option="until", timezone=zone),
            quotes=quotes,
        )
    if call.as_json:
        print_json(jsonable(found))
    elif found.total:
        print_line(visible(found.text))
    else:
        print_line(("nothing is remembered of it", "dim"))


def reflect(
    call: Call,
    id: Id,
    happened: Annotated[str, typer.Option(help="What happened; each sentence names its steps: [3].")] = "",
    why: Annotated[str, typer.Option(help="The deciding step.")] = "",
    next_time: Annotated[str, typer.Option(help="What to do next time.")] = "",
    draft: Annotated[
        bool, typer.Option("--draft", help="Only show what the run's own words make; store nothing.")
    ] = False,
) -> None:
    """Make a lesson of a task run. Without words of yours it is made of the run's own.

    A sentence that names no step, or that its steps do not bear out, is dropped and the reason told.
    """
    with call.memory() as memory:
        if draft:
            found = memory.draft_reflection(id)
        else:
            found = memory.reflect(id, happened=happened, why=why, next_time=next_time)
    if call.as_json:
        print_json(jsonable(found))
    else:
        _show_reflection(found)


def _show(run: "Trajectory", zone: str, *, with_steps: bool) -> None:
    style = {"success": "green", "failure": "red"}.get(run.status.value, "yellow")
    print_line((run.status.value, style), f"  {visible(shortened(run.task))}")
    show_rows(
        {
            "id": run.id,
            "type": run.task_type or "",
            "began": local(run.started_at, zone),
            "left out": str(run.left_out) if run.left_out else "",
            "archived": f"{run.archived_steps} minor steps (--deep shows them)" if run.archived_steps else "",
            "pinned": "yes" if run.pinned else "",
            "lessons": ", ".join(run.lessons),
        }
    )
    for step in run.steps if with_steps else ():
        said = step.text or step.output or step.input
        print_line((f"  {step.number}. {step.kind.value}", "bold"), f" {visible(step.tool)} {visible(shortened(said))}")
        if step.error:
            print_line((f"     {visible(shortened(step.error))}", "red"))


def _show_reflection(found: "Reflection") -> None:
    for sentence in found.sentences:
        steps = ", ".join(map(str, sentence.steps))
        print_line((f"{sentence.part}: ", "bold"), visible(sentence.text), (f"  [{steps}]", "dim"))
    for item in found.dropped:
        print_line((f"dropped: {visible(item.text)} ({item.reason})", "yellow"))
    if found.memory_id:
        print_line(f"stored as {found.memory_id}")
    elif found.reason:
        print_line((f"no lesson: {found.reason}", "yellow"))


def _steps(file: str) -> "list[Step]":
    from retrograph.memory.trajectories import step_of

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}", field="file") from error
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            told: Any = json.loads(line)
        except ValueError as error:
            raise InvalidInput(f"line {number} is no JSON: {error}", field="file") from error
        try:
            steps.append(step_of(told))
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error.message}", cure=error.cure, field="file") from error
    return steps


def _status(value: str | None) -> Any:
    from retrograph.memory.trajectories import TaskStatus

    if value is None:
        return None
    try:
        return TaskStatus(value)
    except ValueError:
        known = ", ".join(TaskStatus)
        raise InvalidInput(f"{value!r} is no status", cure=f"Write one of {known}.", field="status") from None
