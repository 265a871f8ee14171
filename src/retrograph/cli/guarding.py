"""Commands that guard a bank, and those who share it: tokens of the server, the audit, the feed of changes."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from retrograph.cli.calling import Call, command, group
from retrograph.cli.output import jsonable, print_json, remark
from retrograph.cli.parsing import moment
from retrograph.cli.rendering import local, print_line, show_rows, visible
from retrograph.errors import InvalidInput
from retrograph.models import TokenView

ACTIONS = (
    "stored",
    "quarantined",
    "merged",
    "superseded",
    "unsuperseded",
    "changed",
    "archived",
    "restored",
    "deleted",
    "approved",
    "rejected",
    "linked",
    "marked",
    "names merged",
    "names unmerged",
    "imported",
    "reflected",
    "task run thinned",
    "task run deleted",
)


class TokenRight(StrEnum):
    """What a token may do."""

    READ = "read"
    WRITE = "write"
    SHARE = "share"
    ADMIN = "admin"


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    commands = group(
        "token", help="Bearer tokens of the server over HTTP. A token speaks for one bank, agent, user and team."
    )
    command(
        commands,
        examples=[
            "retrograph token create --bank team-x --agent planner --right read --right write",
            "retrograph token create --bank team-x --user 周敏 --right admin --expires-at 90d --label laptop",
        ],
    )(create)
    command(commands, name="list", examples=["retrograph token list --bank team-x", "retrograph token list --all"])(
        listed
    )
    command(commands, examples=["retrograph token revoke 01980f3e-… --bank team-x"])(revoke)
    app.add_typer(commands)
    command(
        app,
        examples=[
            "retrograph audit --bank team-x --since 7d",
            "retrograph audit --memory 01980f3e-… --json",
            "retrograph audit --by-agent planner --action deleted",
        ],
    )(audit)
    command(app, examples=["retrograph changes --agent coder", "retrograph changes --agent coder --cursor WzE3…"])(
        changes
    )


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


def audit(
    call: Call,
    memory_id: Annotated[str | None, typer.Option("--memory", metavar="ID", help="Only of this memory.")] = None,
    by_agent: Annotated[str | None, typer.Option(help="Only what was done on behalf of this agent.")] = None,
    by_user: Annotated[str | None, typer.Option(help="Only what was done on behalf of this user.")] = None,
    action: Annotated[str | None, typer.Option(help=f"Only this: {', '.join(ACTIONS)}.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="At or after: 2026-05-03, 7d (ago).")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Before.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Most entries.")] = 50,
) -> None:
    """Show who did what to which memory of the bank, newest first.

    It never holds the words of a memory: of its content a hash before and after, of changed fields the names. Kept
    for consolidation.audit_days days; `retrograph consolidate` deletes what is older.
    """
    if action is not None and action not in ACTIONS:
        raise InvalidInput(f"nothing is called {action!r}", cure=f"It is one of {', '.join(ACTIONS)}.", field="action")
    zone = call.settings.timezone
    with call.memory() as memory:
        page = memory.audit(
            memory_id=memory_id,
            agent=by_agent,
            user=by_user,
            action=action,
            since=moment(since, option="since", timezone=zone),
            until=moment(until, option="until", timezone=zone),
            limit=limit,
        )
    if call.as_json:
        print_json(jsonable(page))
        return
    for entry in page.entries:
        who = " / ".join(visible(name) for name in (entry.agent, entry.user) if name) or "-"
        detail = f" ({visible(entry.detail)})" if entry.detail else ""
        print_line(
            f"{local(entry.at, zone)}  {visible(entry.action)}{detail}  {entry.memory_id}  by {who}",
            (f"  {_short(entry.before)} → {_short(entry.after)}", "dim"),
        )
    print_line((f"{len(page.entries)} of {page.total} entries", "dim"))


def changes(
    call: Call,
    cursor: Annotated[str | None, typer.Option(help="Of the answer before.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Begin there: 2026-05-03, 7d (ago).")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="Most entries.")] = 20,
) -> None:
    """List what others wrote or changed, where this identity may read, since a cursor."""
    zone = call.settings.timezone
    with call.memory() as memory:
        feed = memory.changes(cursor, since=moment(since, option="since", timezone=zone), limit=limit)
    if call.as_json:
        print_json(jsonable(feed))
        return
    for change in feed.changes:
        record = change.memory
        who = " / ".join(visible(name) for name in (record.agent, record.user) if name) or "-"
        marks = f"  {record.scope.value} · by {who} · {local(change.at, zone)} · {record.id}"
        print_line(f"{change.kind}  {visible(record.content)}", (marks, "dim"))
    remark(f"cursor: {feed.cursor}{'  (there is more)' if feed.more else ''}")


def _short(hashed: str | None) -> str:
    return hashed[:12] if hashed else "-"


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
