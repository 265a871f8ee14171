"""`retrograph mcp-config`: tells an MCP client of the server."""

import difflib
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.clients import ClientName, ServerEntry, config_file, merged, snippet
from retrograph.cli.output import print_json, remark, visible
from retrograph.cli.rendering import print_line
from retrograph.errors import InvalidInput

_WHO = ("bank", "agent", "user", "team", "session")
_SECRET = re.compile(r"password|token|key|secret", re.IGNORECASE)


def add_commands(app: typer.Typer) -> None:
    """Registers the command of this module."""
    command(
        app,
        name="mcp-config",
        examples=[
            "retrograph mcp-config cursor --bank work",
            "retrograph mcp-config codex --install --dry-run",
            "retrograph mcp-config vscode --project . --url http://127.0.0.1:8765/mcp --install",
        ],
    )(mcp_config)


def mcp_config(
    call: Call,
    client: Annotated[ClientName, typer.Argument(help="Which client.")],
    url: Annotated[str, typer.Option(help="Reach a server over HTTP instead of starting one.")] = "",
    token_env: Annotated[
        str, typer.Option(help="The environment variable that holds its token; empty: it asks for none.")
    ] = "RETROGRAPH_SERVER_TOKEN",
    name: Annotated[str, typer.Option(help="What the client calls the server.")] = "retrograph",
    program: Annotated[str, typer.Option("--command", help="How to start it; default: this very program.")] = "",
    project: Annotated[Path | None, typer.Option(help="For the project in this folder, not for all.")] = None,
    file: Annotated[Path | None, typer.Option(help="The client's file, where it is not at its usual place.")] = None,
    install: Annotated[bool, typer.Option("--install", help="Merge it into the client's file.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what --install would change.")] = False,
) -> None:
    """Print what an MCP client needs to know of the server, or merge it into the client's file.

    Who is asking, a settings file and --set are passed on to the server. Secrets are never written: a token is named
    by its environment variable. What else the file holds stays, and a copy of it is kept beside it.
    """
    entry = _entry(call, client, url=url, token_env=token_env, name=name, program=program)
    target = file or config_file(client, project=project)
    if not install and not dry_run:
        text = snippet(client, entry)
        if call.as_json:
            print_json({"client": client.value, "file": str(target), "config": text})
            return
        # Not by `show`, which breaks long lines on a terminal: this is to be copied.
        sys.stdout.write(text)
        remark(f"This goes into {target}; --install merges it there.")
        return
    _install(call, client, target, entry, dry_run=dry_run)


def _install(call: Call, client: ClientName, target: Path, entry: ServerEntry, *, dry_run: bool) -> None:
    # A link stays a link: what it leads to is written.
    target = target.resolve()
    try:
        before = target.read_text(encoding="utf-8") if target.exists() else ""
        after = merged(client, before, entry)
        changed = after != before
        backup = _write(target, after) if changed and not dry_run else None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read or write {str(target)!r}: {error}", field="file") from error
    names = (str(target), f"{target} (new)")
    diff = "".join(difflib.unified_diff(before.splitlines(True), after.splitlines(True), *names))
    if call.as_json:
        print_json(
            {
                "client": client.value,
                "file": str(target),
                "changed": changed,
                "dry_run": dry_run,
                "backup": str(backup) if backup else None,
                "diff": diff,
            }
        )
        return
    if not changed:
        print_line(f"nothing to do: {target} has it already")
        return
    if dry_run:
        sys.stdout.write(visible(diff))
        return
    print_line(("written", "green"), f": {target}" + (f" (as it was: {backup})" if backup else ""))
    if entry.url and entry.token_env and client is not ClientName.VSCODE:
        remark(f"The client takes the token from {entry.token_env}: set it where the client is started.")


def _write(target: Path, text: str) -> Path | None:
    """Replaces a file whole, and keeps what it was under another name."""
    target.parent.mkdir(parents=True, exist_ok=True)
    backup = None
    if target.exists():
        backup = target.with_name(f"{target.name}.bak")
        number = 1
        while backup.exists():
            number += 1
            backup = target.with_name(f"{target.name}.bak{number}")
        shutil.copy2(target, backup)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    if backup:
        shutil.copymode(backup, temporary)
    temporary.replace(target)
    return backup


def _entry(call: Call, client: ClientName, *, url: str, token_env: str, name: str, program: str) -> ServerEntry:
    if not re.fullmatch(r"[\w.-]+", name):
        raise InvalidInput(f"{name!r} is no name for a server: letters, digits, - _ . are", field="name")
    if url:
        if not re.match(r"https?://\S+$", url):
            raise InvalidInput(f"{url!r} is no address", cure="Write --url http://127.0.0.1:8765/mcp.", field="url")
        if token_env and not re.fullmatch(r"[A-Za-z_]\w*", token_env):
            raise InvalidInput(
                f"{token_env!r} is no name of an environment variable",
                cure="Name the variable, not the token.",
                field="token_env",
            )
        return ServerEntry(name=name, url=url, token_env=token_env)
    who = {key: str(call.given[key]) for key in _WHO if key in call.given}
    who.setdefault("agent", client.value)
    config = ["--config", str(call.config.resolve())] if call.config else []
    serve = ["serve", *config, *(part for key in _WHO if key in who for part in (f"--{key}", who[key]))]
    return ServerEntry(name=name, command=(*_program(program), *serve), env=_environment(call))


def _program(given: str) -> list[str]:
    if given:
        return given.split()
    # A client started from a desktop does not know a shell's PATH.
    script = Path(sys.executable).with_name("retrograph.exe" if os.name == "nt" else "retrograph")
    return [str(script)] if script.exists() else [sys.executable, "-m", "retrograph"]


def _environment(call: Call) -> dict[str, str]:
    others = {key: str(value) for key, value in call.given.items() if key not in _WHO}
    secrets = sorted(key for key in others if _SECRET.search(key))
    if secrets:
        raise InvalidInput(
            f"{', '.join(secrets)} would be written to the client's file in the clear",
            cure="Put it into the environment of the client, or into a settings file named by --config.",
            field="set",
        )
    return {f"RETROGRAPH_{key.upper().replace('.', '_')}": value for key, value in others.items()}
