"""Commands about the use of a memory: feedback on a recall, the context of a session."""

from typing import Annotated, Any

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.output import jsonable, print_json, search_answer
from retrograph.cli.recalling import Limit
from retrograph.cli.rendering import local, print_line, show_search, visible
from retrograph.errors import InvalidInput
from retrograph.models import MemoryRecord


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    command(
        app,
        examples=[
            "retrograph feedback 01980f3e-… 01980f41-…",
            "retrograph feedback 01980f3e-… --not-useful 01980f52-…",
        ],
    )(feedback)
    command(
        app,
        examples=[
            "retrograph context --session standup",
            'retrograph context "账单迁移到哪一步了？" --session standup --last 5 --max-tokens 800',
        ],
    )(context)


def feedback(
    call: Call,
    useful: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Recalled memories that helped.")
    ] = None,
    not_useful: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="One that was in the way; may be repeated.")
    ] = None,
) -> None:
    """Say which recalled memories helped and which did not.

    Later recalls rank by it, within bounds: it never lifts what does not bear on a question.
    """
    if not useful and not not_useful:
        raise InvalidInput(
            "no memory was named",
            cure="Name those that helped, and with --not-useful those that did not.",
            field="useful",
        )
    with call.memory() as memory:
        marked = memory.mark(useful=useful or (), not_useful=not_useful or ())
    if call.as_json:
        print_json([jsonable(view) for view in marked])
        return
    for view in marked:
        print_line(f"{view.id}  feedback {view.feedback:+d}, used {view.access_count} times")


def context(
    call: Call,
    query: Annotated[str | None, typer.Argument(help="What to recall beside it.")] = None,
    last: Annotated[int, typer.Option(min=1, max=200, help="Newest turns.")] = 10,
    limit: Limit = None,
    max_tokens: Annotated[int | None, typer.Option(help="Most tokens of the whole answer, estimated.")] = None,
) -> None:
    """Show what a session is at.

    Its last turns in order, the task states that are open, and what a question recalls beyond them. The session is
    that of --session or RETROGRAPH_SESSION.
    """
    more = {} if limit is None else {"limit": limit}
    with call.memory() as memory:
        found = memory.session_context(query, last=last, max_tokens=max_tokens, **more)
    if call.as_json:
        answer: dict[str, Any] = {
            "session": found.session,
            "turns": jsonable(list(found.turns)),
            "turns_total": found.turns_total,
            "tasks": jsonable(list(found.tasks)),
            "tasks_total": found.tasks_total,
            "recalled": search_answer(found.recalled, with_terms=False) if found.recalled else None,
            "tokens": found.tokens,
        }
        print_json(answer)
        return
    zone = call.settings.timezone
    for turn in found.turns:
        _show(turn, zone)
    print_line((f"{len(found.turns)} of {found.turns_total} turns of session {visible(found.session)}", "dim"))
    if found.tasks:
        print_line(("open tasks", "bold"))
    for task in found.tasks:
        _show(task, zone)
    if found.recalled:
        print_line(("recalled", "bold"))
        show_search(found.recalled, timezone=zone, with_terms=False)


def _show(record: MemoryRecord, zone: str) -> None:
    said = f"{record.speaker}: " if record.speaker else ""
    marks = f"  {local(record.occurred_at, zone)} · {record.id}"
    print_line((visible(said), "cyan"), visible(record.content), (marks, "dim"))
