"""`retrograph engine …`: the local Neo4j."""

import json
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from retrograph.cli.calling import Call, command, group
from retrograph.cli.output import jsonable, print_json, progress, remark
from retrograph.cli.rendering import local, print_line, show_rows
from retrograph.errors import InvalidInput

if TYPE_CHECKING:
    from retrograph.engine import Engine, EngineStatus, InstallReport

_MIB = 1 << 20


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    commands = group("engine", help="The local Neo4j. It starts by itself when a command needs it.")
    command(
        commands,
        examples=[
            "retrograph engine install",
            "retrograph engine install --set engine.mirror=https://maven.example.com/maven2",
        ],
    )(install)
    command(commands, examples=["retrograph engine start --json"])(start)
    command(commands, examples=["retrograph engine stop --force"])(stop)
    command(commands, examples=["retrograph engine backup engine.tar.gz"])(backup)
    command(commands, examples=["retrograph engine restore engine.tar.gz --replace"])(restore)
    command(app, examples=["retrograph backup engine.tar.gz"])(backup)
    command(commands, examples=["retrograph engine status"])(status)
    command(commands, examples=["retrograph engine logs -n 20"])(logs)
    command(
        commands,
        examples=["retrograph engine browser --bank demo --no-open", "retrograph engine browser --export browser"],
    )(browser)
    app.add_typer(commands)


def install(call: Call) -> None:
    """Fetch Neo4j Community and Neo4j Browser, verify every file; goes on where it was interrupted.

    About 170 MB from Maven Central (or the setting engine.mirror), once for this user.
    """
    report = fetch(call.engine())
    if call.as_json:
        print_json(jsonable(report))
    else:
        print_line(("installed", "green"), f": Neo4j {report.version}, {report.jars} files in {report.folder}")


def start(call: Call) -> None:
    """Start the engine, if it does not run already."""
    address = call.engine().start()
    if call.as_json:
        print_json(
            {
                "uri": address.uri,
                "http_url": address.http_url,
                "username": address.username,
                "pid": address.pid,
            }
        )
    else:
        print_line(("running", "green"), f": {address.uri} (Neo4j Browser {address.http_url}, process {address.pid})")


def stop(
    call: Call,
    force: Annotated[bool, typer.Option("--force", help="Also where another process uses it.")] = False,
) -> None:
    """Stop the engine; what was written is kept."""
    stopped = call.engine().stop(force=force)
    if call.as_json:
        print_json({"stopped": stopped})
    else:
        print_line("stopped" if stopped else "it was not running")


def backup(
    call: Call,
    file: Annotated[Path, typer.Argument(help="The archive to write.")],
    force: Annotated[bool, typer.Option("--force", help="Also where another process uses the engine.")] = False,
) -> None:
    """Stop the local engine and pack all its data into one file.

    The next use starts it again. The file holds the database's password too: keep it as you keep that. One bank of
    any database is moved by `export` and `import` instead.
    """
    _only_local(call)
    report = call.engine().backup(file, force=force)
    if call.as_json:
        print_json(jsonable(report))
    else:
        print_line(("written", "green"), f": {report.file}, {report.bytes / _MIB:,.1f} MiB, Neo4j {report.version}")


def restore(
    call: Call,
    file: Annotated[Path, typer.Argument(help="What `backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Set aside the data that is there.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also where another process uses the engine.")] = False,
) -> None:
    """Stop the local engine and put a backup in place of its data; what was there is set aside, not removed."""
    _only_local(call)
    report = call.engine().restore(file, replace=replace, force=force)
    if call.as_json:
        print_json(jsonable(report))
        return
    print_line(("restored", "green"), f": {report.file} of {local(report.at, call.settings.timezone)}")
    if report.set_aside:
        print_line((f"what was there before is in {report.set_aside}", "dim"))


def _only_local(
    call: Call, *, cure: str = "Back it up with its own tools, or move a bank with `retrograph export`."
) -> None:
    if call.settings.uri:
        raise InvalidInput(
            f"the settings name the database {call.settings.uri}, which is not the local engine",
            cure=cure,
            field="uri",
        )


def status(call: Call) -> None:
    """Tell what is known of the engine; changes and starts nothing."""
    found = call.engine().status()
    if call.as_json:
        print_json(jsonable(found))
    else:
        _show_status(found, timezone=call.settings.timezone)


def logs(call: Call, lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="How many lines.")] = 100) -> None:
    """Print the end of the engine's logs."""
    found = call.engine().logs(lines)
    if call.as_json:
        print_json({"lines": found})
    else:
        for line in found:
            print_line(line)


def browser(
    call: Call,
    open_it: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the web browser.")] = True,
    show_password: Annotated[bool, typer.Option("--show-password", help="Print the password.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(help="Instead, write style, favourites and guide to this folder, for another Neo4j."),
    ] = None,
) -> None:
    """Open Neo4j Browser, with a query that draws the bank ready to run and a guide of others beside it.

    Sign in once as neo4j with the password that --show-password prints; the page keeps it.
    """
    if export:
        _export_browser(call, export)
        return
    _only_local(call, cure="Open its own page; `retrograph engine browser --export FOLDER` writes what to load there.")
    settings, engine = call.settings, call.engine()
    address = engine.start()
    has_guide = engine.show_bank(settings.bank)
    link = browser_link(address.http_url, address.uri, bank=settings.bank)
    opened = open_it and webbrowser.open(link)
    if call.as_json:
        answer: dict[str, Any] = {
            "url": link,
            "connect_url": address.uri,
            "username": address.username,
            "query": drawing_query(settings.bank),
            "opened": opened,
            "guide": has_guide,
        }
        print_json({**answer, "password": address.password} if show_password else answer)
        return
    password = address.password if show_password else "add --show-password to see it"
    show_rows({"Neo4j Browser": link, "user": address.username, "password": password})
    print_line(("  sign in, then run the query that is in the editor:", "dim"))
    print_line(f"  {drawing_query(settings.bank)}")
    if not has_guide:
        remark("The guide comes once the engine has been started anew: retrograph engine stop.")


def _export_browser(call: Call, folder: Path) -> None:
    from retrograph.engine.browser_guide import favourites, guide_page, style

    bank = call.settings.bank
    written = {
        folder / "retrograph.grass": style().encode(),
        folder / "retrograph-favourites.zip": favourites(),
        folder / "retrograph.html": guide_page(bank).encode(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in written.items():
            file.write_bytes(content)
    except OSError as error:
        raise InvalidInput(f"cannot write to {str(folder)!r}: {error.strerror}", field="export") from error
    parameter = f":param bank => {json.dumps(bank, ensure_ascii=False)}"
    if call.as_json:
        print_json({"files": [str(file) for file in written], "parameter": parameter})
        return
    for file in written:
        print_line(("written", "green"), f": {file}")
    print_line(
        ("  drop the first two, one after the other, onto the page of Neo4j Browser, and type there once:", "dim")
    )
    print_line(f"  {parameter}")


def fetch(engine: "Engine") -> "InstallReport":
    """Installs the engine with a progress bar, and says what must be said about its licence.

    Raises:
        EngineInstallError: No network, no room, a wrong checksum.
    """
    with progress("fetch Neo4j", unit="bytes") as update:
        report = engine.install(progress=update)
    if report.notice:
        remark(report.notice)
    return report


def drawing_query(bank: str) -> str:
    """The query to type into Neo4j Browser to see a bank, on one line."""
    from retrograph import cypher

    text = " ".join(cypher.load("draw_bank").text.split())
    return text.replace("$bank", json.dumps(bank, ensure_ascii=False))


def browser_link(http_url: str, bolt_url: str, *, bank: str) -> str:
    """Neo4j Browser's address with the sign-in form filled in and the bank's query in the editor."""
    connect = quote(bolt_url.replace("://", "://neo4j@"), safe="")
    # An `&` cuts the argument short, even when it is escaped once.
    query = quote(drawing_query(bank).replace("&", "\\u0026"), safe="")
    return f"{http_url}/browser/?connectURL={connect}&cmd=edit&arg={query}"


def _show_status(found: "EngineStatus", *, timezone: str) -> None:
    if found.running:
        print_line(("running", "green"))
    else:
        print_line(("not running" if found.installed else "not installed", "yellow"))
    users = f"{found.leases} process{'es' if found.leases != 1 else ''}"
    show_rows(
        {
            "version": found.version,
            "address": found.uri or "",
            "Neo4j Browser": f"{found.http_url}/browser/" if found.http_url else "",
            "process": str(found.pid or ""),
            "memory": f"{found.rss_bytes // _MIB} MiB" if found.rss_bytes else "",
            "started": local(found.started_at, timezone),
            "in use by": users if found.running else "",
            "idle since": local(found.idle_since, timezone),
            "data": str(found.data_dir),
            "log": str(found.log),
        }
    )
    for problem in found.problems:
        print_line((f"  {problem}", "red"))
