"""How each MCP client wants to be told of a server: the entry, the file it goes to, and how it is merged in."""

import json
import os
import re
import sys
import tomllib
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from retrograph.errors import InvalidInput


class ClientName(StrEnum):
    """Clients whose configuration is known."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"
    GEMINI = "gemini"


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """A server as a client is told of it: a command to start, or an address.

    Args:
        name: What the client calls it.
        command: The program and its arguments; empty for a server over HTTP.
        env: The environment the program gets besides its own.
        url: The address of a server over HTTP.
        token_env: Name of the environment variable that holds the bearer token; empty where none is asked for.
    """

    name: str
    command: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict[str, str])
    url: str = ""
    token_env: str = ""


def config_file(client: ClientName, *, project: Path | None) -> Path:
    """The file a client reads.

    Args:
        client: Which client.
        project: The folder of a project; None for the file that holds for all of the user's.

    Raises:
        InvalidInput: The client has no file for one project.

    Source: the clients' documentation, named in docs/clients.md.
    """
    home = Path.home()
    if project is None:
        return {
            ClientName.CLAUDE_CODE: home / ".claude.json",
            ClientName.CLAUDE_DESKTOP: _application_folder("Claude") / "claude_desktop_config.json",
            ClientName.CURSOR: home / ".cursor" / "mcp.json",
            ClientName.VSCODE: _application_folder("Code") / "User" / "mcp.json",
            ClientName.CODEX: Path(os.environ.get("CODEX_HOME") or home / ".codex") / "config.toml",
            ClientName.GEMINI: home / ".gemini" / "settings.json",
        }[client]
    of_project = {
        ClientName.CLAUDE_CODE: ".mcp.json",
        ClientName.CURSOR: ".cursor/mcp.json",
        ClientName.VSCODE: ".vscode/mcp.json",
        ClientName.CODEX: ".codex/config.toml",
        ClientName.GEMINI: ".gemini/settings.json",
    }
    if client not in of_project:
        raise InvalidInput(f"{client} has no file for one project", cure="Leave out --project.", field="project")
    return project / of_project[client]


def snippet(client: ClientName, entry: ServerEntry) -> str:
    """The whole configuration as text, for a file that holds nothing else."""
    return merged(client, "", entry)


def merged(client: ClientName, text: str, entry: ServerEntry) -> str:
    """A configuration with the server in it and all else as it was.

    Args:
        client: Whose configuration it is.
        text: What the file holds; empty where there is none.
        entry: The server; one of the same name is replaced.

    Raises:
        InvalidInput: The text is not what the client's files are made of, so it is left alone; or the client cannot
            reach a server that way.
    """
    if client is ClientName.CODEX:
        return _merged_toml(text, entry)
    return _merged_json(client, text, entry)


def _application_folder(name: str) -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / name
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / name
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / name


def _merged_json(client: ClientName, text: str, entry: ServerEntry) -> str:
    was = _json_object(text)
    section = "servers" if client is ClientName.VSCODE else "mcpServers"
    additions: dict[str, Any] = {section: {**_object(was, section), entry.name: _json_entry(client, entry)}}
    if client is ClientName.VSCODE and entry.token_env:
        others = [one for one in _list(was, "inputs") if one.get("id") != entry.name]
        asked = {"type": "promptString", "id": entry.name, "description": "Retrograph token", "password": True}
        additions["inputs"] = [*others, asked]
    indent = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return json.dumps({**was, **additions}, ensure_ascii=False, indent=indent[1] if indent else 2) + "\n"


def _json_entry(client: ClientName, entry: ServerEntry) -> dict[str, Any]:
    has_type = client in (ClientName.CLAUDE_CODE, ClientName.VSCODE)
    if not entry.url:
        started: dict[str, Any] = {"command": entry.command[0], "args": list(entry.command[1:])}
        if entry.env:
            started["env"] = dict(entry.env)
        return {"type": "stdio", **started} if has_type else started
    if client is ClientName.CLAUDE_DESKTOP:
        raise InvalidInput(
            "Claude Desktop's file names programs to start, not addresses",
            cure="Leave out --url; --set uri=… lets the program use the same database.",
            field="url",
        )
    reached = {"httpUrl" if client is ClientName.GEMINI else "url": entry.url}
    if has_type:
        reached = {"type": "http", **reached}
    if not entry.token_env:
        return dict(reached)
    token = {
        ClientName.CLAUDE_CODE: f"${{{entry.token_env}}}",
        ClientName.CURSOR: f"${{env:{entry.token_env}}}",
        ClientName.VSCODE: f"${{input:{entry.name}}}",
        ClientName.GEMINI: f"${entry.token_env}",
    }[client]
    return {**reached, "headers": {"Authorization": f"Bearer {token}"}}


def _json_object(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        found: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"the file is not plain JSON ({error}); written anew it would lose its comments",
            cure="Run the command without --install and paste what it prints.",
            field="install",
        ) from error
    if not isinstance(found, dict):
        raise InvalidInput("the file holds no JSON object", cure="Name another one in --file.", field="install")
    return found  # pyright: ignore[reportUnknownVariableType]


def _object(values: dict[str, Any], name: str) -> dict[str, Any]:
    found = values.get(name, {})
    if not isinstance(found, dict):
        raise InvalidInput(f"{name!r} in the file is not an object", cure="Mend it by hand first.", field="install")
    return found  # pyright: ignore[reportUnknownVariableType]


def _list(values: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = values.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):  # pyright: ignore[reportUnknownVariableType]
        raise InvalidInput(
            f"{name!r} in the file is not a list of objects", cure="Mend it by hand first.", field="install"
        )
    return found  # pyright: ignore[reportUnknownVariableType]


def _merged_toml(text: str, entry: ServerEntry) -> str:
    """Edits the text, not the data: comments and order stay, and what came of it is read back and compared."""
    was = _toml(text)
    wanted = _toml_entry(entry)
    key = entry.name if re.fullmatch(r"[A-Za-z0-9_-]+", entry.name) else json.dumps(entry.name, ensure_ascii=False)
    table = f"[mcp_servers.{key}]\n" + "".join(f"{name} = {_toml_value(value)}\n" for name, value in wanted.items())
    header = re.compile(rf"^\[mcp_servers\.{re.escape(key)}(\.[^\]]*)?\][ \t]*(#.*)?$")
    kept, is_ours, place = list[str](), False, None
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            is_ours = header.match(line.strip()) is not None
        if is_ours and place is None:
            place = len(kept)
        if not is_ours:
            kept.append(line)
    if place is None:
        before = "".join(kept)
        gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
        edited = before + gap + table
    else:
        after = "".join(kept[place:])
        edited = "".join(kept[:place]) + table + ("\n" + after if after else "")
    _check_toml(edited, was, entry.name, wanted)
    return edited


def _check_toml(edited: str, was: dict[str, Any], name: str, wanted: dict[str, Any]) -> None:
    expected = {**was, "mcp_servers": {**_object(was, "mcp_servers"), name: wanted}}
    try:
        is_right = tomllib.loads(edited) == expected
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise InvalidInput(
            f"the server {name!r} is written in the file in a form that cannot be replaced safely",
            cure="Run the command without --install and paste what it prints.",
            field="install",
        )


def _toml_entry(entry: ServerEntry) -> dict[str, Any]:
    if entry.url:
        token = {"bearer_token_env_var": entry.token_env} if entry.token_env else {}
        return {"url": entry.url, **token}
    env = {"env": dict(entry.env)} if entry.env else {}
    return {"command": entry.command[0], "args": list(entry.command[1:]), **env}


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        pairs: dict[str, str] = value  # pyright: ignore[reportUnknownVariableType]
        return "{ " + ", ".join(f"{_quoted(name)} = {_quoted(one)}" for name, one in pairs.items()) + " }"
    if isinstance(value, list):
        items: list[str] = value  # pyright: ignore[reportUnknownVariableType]
        return "[" + ", ".join(map(_quoted, items)) + "]"
    return _quoted(value)


def _quoted(text: str) -> str:
    # A basic string of TOML is one of JSON, but for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"the file is not TOML ({error})", cure="Mend it by hand first.", field="install") from error
