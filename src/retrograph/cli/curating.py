"""Commands that change what is there: forget, link."""

from typing import Annotated

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.output import jsonable, print_json, remark
from retrograph.cli.recalling import Domain, From, InSession, Since, Tags, Types, Until, narrowed
from retrograph.cli.rendering import show_forget, show_link
from retrograph.errors import InvalidInput
from retrograph.models import LinkType, SearchFilter


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    command(
        app,
        examples=[
            "retrograph forget 01980f3e-8a4b-7c39-9f1e-2d5b6a7c8d9e",
            "retrograph forget --domain trial --until 2026-01-01        (shows what would go)",
            "retrograph forget --domain trial --until 2026-01-01 --yes",
        ],
    )(forget)
    command(app, examples=["retrograph link 01980f3e-… 01980f41-… causes --strength 0.8"])(link)


def forget(
    call: Call,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="The memories; or filters.")] = None,
    types: Types = None,
    domain: Domain = None,
    tags: Tags = None,
    in_session: InSession = None,
    source: From = None,
    since: Since = None,
    until: Until = None,
    hard: Annotated[bool, typer.Option("--hard", help="Delete for good, instead of archiving.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it: needed with filters and with --hard.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
) -> None:
    """Archive memories, or delete them for good.

    Named memories are archived at once: archived ones are found by search --deep. With filters, or with
    --hard, the command only shows what it would do until --yes is given.
    """
    where = narrowed(
        call,
        types=types,
        domain=domain,
        tags=tags,
        in_session=in_session,
        source=source,
        since=since,
        until=until,
    )
    if bool(ids) == bool(where):
        raise InvalidInput(
            "ids and filters were both given" if ids else "neither an id nor a filter was given",
            cure="Name memories by id, or give filters (--domain, --tag, --until, …).",
            field="ids",
        )
    is_held_back = not yes and not dry_run and bool(hard or where)
    with call.memory() as memory:
        report = memory.forget(
            ids or (),
            where=SearchFilter(**where) if where else None,
            hard=hard,
            dry_run=dry_run or is_held_back,
        )
    if call.as_json:
        print_json(jsonable(report))
    else:
        show_forget(report)
    if is_held_back:
        remark("nothing was changed: add --yes to do it")


def link(
    call: Call,
    from_id: Annotated[str, typer.Argument(metavar="FROM", help="Id of the memory the link leaves.")],
    to_id: Annotated[str, typer.Argument(metavar="TO", help="Id of the memory it reaches.")],
    type: Annotated[
        str, typer.Argument(help=f"{', '.join(LinkType)}, or a word of your own.")
    ] = LinkType.SUPPORTS.value,
    strength: Annotated[float, typer.Option(help="How much activation it passes on, over 0 to 1.")] = 1.0,
) -> None:
    """Link one memory to another."""
    with call.memory() as memory:
        result = memory.link(from_id, to_id, type, strength=strength)
    if call.as_json:
        print_json(jsonable(result))
    else:
        show_link(result)
