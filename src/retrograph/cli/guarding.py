"""Commands of whoever owns the database: tokens of the server."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.output import jsonable, print_json, remark
from retrograph.cli.parsing import moment
from retrograph.cli.rendering import local, print_line, show_rows, visible
from retrograph.models import TokenView


class TokenRight(StrEnum):
    """What a token may do."""

    READ = "read"
    WRITE = "write"
    SHARE = "share"
    ADMIN = "admin"


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    group = typer.Typer(
        name="token",
        help="Bearer tokens of the server over HTTP. A token speaks for one bank, agent, user and team.",
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    command(
        group,
        examples=[
            "retrograph token create --bank team-x --agent planner --right read --right write",
            "retrograph token create --bank team-x --user 周敏 --right admin --expires-at 90d --label laptop",
        ],
    )(create)
    command(group, name="list", examples=["retrograph token list --bank team-x", "retrograph token list --all"])(listed)
    command(group, examples=["retrograph token revoke 01980f3e-… --bank team-x"])(revoke)
    app.add_typer(group)


def create(
    call: Call,
    right: Annotated[
        list[TokenRight] | None,
        typer.Option(
            help="read: recall; write: what is private to it; share: team and global memories too; admin: everything. "
            "May be repeated; default: read and write."
        ),
    ] = None,
    other_team: Annotated[
        list[str] | None, typer.Option(metavar="TEAM", help="A further team whose memories it may recall.")
    ] = None,
    expires_at: Annotated[
        str | None, typer.Option(metavar="TIME", help="When it ceases to hold; 90d is in ninety days.")
    ] = None,
    label: Annotated[str, typer.Option(help="What it is for.")] = "",
) -> None:
    """Make a token for the identity of --bank, --agent, --user, --team and --session.

    The token is printed this once; the database keeps its hash alone. Servers that run with
    RETROGRAPH_SERVER_AUTH=tokens ask for one.
    """
    from dataclasses import replace

    rights = [each.value for each in right or (TokenRight.READ, TokenRight.WRITE)]
    with call.memory() as memory:
        owner = memory.for_identity(replace(memory.identity, teams=tuple(other_team or ())))
        made = owner.create_token(
            rights=rights,
            label=label,
            expires_at=moment(expires_at, option="expires-at", timezone=call.settings.timezone, ahead=True),
        )
    if call.as_json:
        print_json({"token": made.token, **_told(made.view)})
        return
    print_line(made.token)
    remark("it is shown this once; the database keeps its hash alone")
    _show(made.view, call.settings.timezone, out=remark)
    if call.settings.server.auth != "tokens":
        remark("servers ask for it where RETROGRAPH_SERVER_AUTH=tokens is set")


def listed(
    call: Call,
    everybody: Annotated[bool, typer.Option("--all", help="Of every bank.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most of them.")] = 100,
) -> None:
    """List the tokens of the bank, newest first, ended ones too."""
    with call.memory() as memory:
        found = memory.tokens(everybody=everybody, limit=limit)
    if call.as_json:
        print_json([_told(view) for view in found])
        return
    for view in found:
        print_line((view.id, "bold"), f"  {visible(view.label)}")
        _show(view, call.settings.timezone)
    if not found:
        remark("no tokens")


def revoke(
    call: Call, id: Annotated[str, typer.Argument(metavar="ID", help="The token's id, as `token list` shows it.")]
) -> None:
    """End a token. Running servers refuse it within seconds."""
    with call.memory() as memory:
        view = memory.revoke_token(id)
    if call.as_json:
        print_json(_told(view))
    else:
        print_line(("revoked", "green"), f"  {view.id}")


def _told(view: TokenView) -> dict[str, Any]:
    answer: dict[str, Any] = jsonable(view)
    who: dict[str, Any] = answer.pop("identity")
    del who["only_own"]
    return {**answer, **who}


def _show(view: TokenView, zone: str, *, out: Any = None) -> None:
    who = view.identity
    rows = {
        "bank": who.bank,
        "agent": who.agent or "",
        "user": who.user or "",
        "team": ", ".join((who.team, *who.teams)),
        "session": who.session or "",
        "may": ", ".join(view.rights),
        "made": local(view.created_at, zone),
        "until": local(view.expires_at, zone) if view.expires_at else "",
        "revoked": local(view.revoked_at, zone) if view.revoked_at else "",
    }
    if out is None:
        show_rows(rows)
        return
    out("  ".join(f"{name} {value}" for name, value in rows.items() if value))
