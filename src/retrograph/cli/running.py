"""Commands about the installation itself: demo, serve, migrate, doctor, config, version."""

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.output import jsonable, print_json, remark, show
from retrograph.cli.rendering import print_line
from retrograph.errors import EngineInstallError, InvalidInput

if TYPE_CHECKING:
    from retrograph.cli.doctor import Check
    from retrograph.consolidation import CheckReport


class Transport(StrEnum):
    """How clients reach the MCP server."""

    STDIO = "stdio"
    HTTP = "http"


class LogFormat(StrEnum):
    """How logs are written."""

    PLAIN = "plain"
    JSON = "json"


def add_first_commands(app: typer.Typer) -> None:
    """Registers what the help shows first."""
    command(app, examples=["retrograph demo"])(demo)


def add_commands(app: typer.Typer) -> None:
    """Registers the other commands of this module."""
    command(
        app,
        examples=[
            "retrograph serve --agent coder --user ada",
            "RETROGRAPH_SERVER_TOKEN=… retrograph serve --transport http --port 8765",
        ],
    )(serve)
    command(app, examples=["retrograph migrate"])(migrate)
    command(
        app, examples=["retrograph doctor", "retrograph doctor --online --json", "retrograph doctor --deep --repair"]
    )(doctor)
    command(app, examples=["retrograph config", "RETROGRAPH_BANK=team-x retrograph config --json"])(config)
    command(app, examples=["retrograph version"])(version)


def demo(call: Call) -> None:
    """Watch it work, in English and Chinese.

    Starts the engine, tells it a story in two languages and asks what only links can answer. The memories go
    to the bank "demo". Installs the local engine first, if it is not there; running it again stores nothing
    twice.
    """
    from retrograph.cli.demo import run_demo

    call.given["bank"] = "demo"
    run_demo(call)


def serve(
    call: Call,
    transport: Annotated[Transport, typer.Option(help="How clients reach it.")] = Transport.STDIO,
    host: Annotated[str | None, typer.Option(help="Address to bind over HTTP.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port over HTTP; 0 takes a free one.")] = None,
    log_format: Annotated[LogFormat | None, typer.Option(help="Logs on stderr as text or JSON objects.")] = None,
) -> None:
    """Serve the memory to agents over MCP.

    Over stdio, stdout belongs to the protocol. Over HTTP the server binds to loopback unless told otherwise.
    """
    if log_format:
        call.given["log_format"] = log_format.value
    settings = call.settings
    from retrograph.server import serve as serve_memory

    serve_memory(settings, transport=transport.value, host=host, port=port)


def migrate(call: Call) -> None:
    """Bring the database's schema up to date."""
    from retrograph.cli.connecting import held
    from retrograph.graph import migrate as bring_up
    from retrograph.graph import schema_state

    engine = call.engine()
    with held(call.settings, engine), call.parts.open_graph(call.settings, engine) as graph:
        before = schema_state(graph)
        after = bring_up(graph)
    applied = [number for number in after.applied if number not in before.applied]
    if call.as_json:
        print_json({"schema": list(after.applied), "applied": applied})
    elif applied:
        print_line(("migrated", "green"), f": applied {', '.join(map(str, applied))}")
    else:
        print_line(f"nothing to do: the schema is at version {after.applied[-1]}")


def doctor(
    call: Call,
    online: Annotated[bool, typer.Option("--online", help="Ask the network too.")] = False,
    start: Annotated[bool, typer.Option("--start/--no-start", help="Start the engine if it does not run.")] = True,
    deep: Annotated[
        bool, typer.Option("--deep", help="Check everything that has to hold of the bank's graph.")
    ] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Put right what --deep finds, where that is safe.")] = False,
) -> None:
    """Look at all that Retrograph needs.

    Says what to do about what is missing. Exits 0 where nothing failed, 3 where the engine cannot be
    reached, else 1.
    """
    from retrograph.cli.connecting import held
    from retrograph.cli.doctor import Patient, deep_checks, examine, examine_deep

    if repair and not deep:
        raise InvalidInput("--repair goes with --deep", cure="retrograph doctor --deep --repair", field="repair")
    settings, engine = call.settings, call.engine()

    def ask_mirror() -> None:
        import httpx

        try:
            httpx.head(settings.engine.mirror, timeout=10, follow_redirects=True)
        except httpx.HTTPError as error:
            raise EngineInstallError(
                f"{settings.engine.mirror} does not answer ({type(error).__name__}: {error})",
                cure="Check the network and its proxy, or name another mirror in RETROGRAPH_ENGINE_MIRROR.",
            ) from error

    checks: list[Check] = []
    with held(settings, engine), call.parts.open_graph(settings, engine) as graph:
        patient = Patient(
            settings=settings,
            config=call.config,
            engine=engine,
            graph=graph,
            open_encoder=lambda: call.parts.open_encoder(settings),
            load_models=call.parts.load_models,
            ask_mirror=ask_mirror,
        )
        report: CheckReport | None = None

        def looked_at() -> "Iterator[Check]":
            nonlocal report
            yield from examine(patient, online=online, start=start)
            if deep and not any(check.status == "fail" for check in checks):
                report = examine_deep(patient, repair=repair)
                yield from deep_checks(report)

        for check in looked_at():
            checks.append(check)
            if not call.as_json:
                _show_check(check.status, check.name, check.message, check.cure)
    failed = [check for check in checks if check.status == "fail"]
    if call.as_json:
        told: dict[str, Any] = {"ok": not failed, "checks": [_told(check) for check in checks]}
        print_json(told | ({"bank": jsonable(report)} if report else {}))
    if failed:
        raise typer.Exit(max(check.exit_code for check in failed))


def config(call: Call) -> None:
    """Show every setting and where it came from.

    Secrets are hidden.
    """
    from retrograph.settings import config_path, provenance, unknown_environment

    origins = provenance(call.config, **call.given)
    path, _ = config_path(call.config)
    unknown = unknown_environment()
    if call.as_json:
        print_json(
            {
                "file": str(path),
                "file_exists": path.exists(),
                "settings": jsonable(list(origins)),
                "unknown_environment": list(unknown),
            }
        )
    else:
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for heading in ("setting", "value", "from"):
            table.add_column(heading, overflow="fold")
        for origin in origins:
            style = "dim" if origin.origin == "default" else ""
            table.add_row(origin.name, _worded(origin.value), origin.origin, style=style)
        show(table)
        print_line((f"settings file: {path}{'' if path.exists() else ' (not there)'}", "dim"))
    for name, near in unknown.items():
        remark(f"warning: {name} is set and is no setting{f'; did you mean {near}?' if near else ''}")


def version(call: Call) -> None:
    """Print the version."""
    from retrograph import __version__

    if call.as_json:
        print_json({"version": __version__})
    else:
        print_line(__version__)


def _told(check: "Check") -> dict[str, str]:
    return {"name": check.name, "status": check.status, "message": check.message, "cure": check.cure}


def _show_check(status: str, name: str, message: str, cure: str) -> None:
    styles = {"ok": "green", "warn": "yellow", "fail": "red", "skipped": "dim"}
    print_line((f"{status:<8}", styles[status]), f"{name}: {message}")
    if cure and status in ("warn", "fail"):
        print_line(f"         {cure}")


def _worded(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return ", ".join(map(str, cast(tuple[Any, ...], value))) or "-"
    return str(value)
