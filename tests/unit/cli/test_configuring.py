"""`retrograph mcp-config`: what each client is told, and how its file is changed without losing anything."""

import json
import stat
import tomllib
from pathlib import Path

import pytest

from retrograph.cli.clients import ClientName, ServerEntry, config_file, merged, snippet
from retrograph.errors import InvalidInput

STDIO = ServerEntry("retrograph", command=("/opt/bin/retrograph", "serve", "--bank", "工作"), env={"RETROGRAPH_X": "1"})
HTTP = ServerEntry("retrograph", url="http://127.0.0.1:8765/mcp", token_env="MY_TOKEN")
JSON_CLIENTS = [client for client in ClientName if client is not ClientName.CODEX]
SECTION = {ClientName.VSCODE: "servers"}

# As a person has it: other servers, other settings, another indentation.
OTHERS = """\
{
    "theme": "Dracula 暗",
    "SECTION": {
        "git": {"command": "uvx", "args": ["mcp-git"]}
    }
}
"""
TOML = """\
# my own remark
model = "o9"

[mcp_servers.git] # kept
command = "uvx"

[profiles.fast]
model = "o9-mini"
"""


def _parsed(client: ClientName, text: str) -> dict:
    return tomllib.loads(text) if client is ClientName.CODEX else json.loads(text)


def _servers(client: ClientName, text: str) -> dict:
    section = "mcp_servers" if client is ClientName.CODEX else SECTION.get(client, "mcpServers")
    return _parsed(client, text)[section]


@pytest.mark.parametrize("client", ClientName)
def test_command_is_told_with_its_arguments_and_environment(client):
    told = _servers(client, snippet(client, STDIO))["retrograph"]
    assert told["command"] == "/opt/bin/retrograph"
    assert told["args"] == ["serve", "--bank", "工作"]
    assert told["env"] == {"RETROGRAPH_X": "1"}
    assert told.get("type", "stdio") == "stdio"


@pytest.mark.parametrize(
    ("client", "told"),
    [
        (
            ClientName.CLAUDE_CODE,
            {"type": "http", "url": HTTP.url, "headers": {"Authorization": "Bearer ${MY_TOKEN}"}},
        ),
        (ClientName.CURSOR, {"url": HTTP.url, "headers": {"Authorization": "Bearer ${env:MY_TOKEN}"}}),
        (
            ClientName.VSCODE,
            {"type": "http", "url": HTTP.url, "headers": {"Authorization": "Bearer ${input:retrograph}"}},
        ),
        (ClientName.CODEX, {"url": HTTP.url, "bearer_token_env_var": "MY_TOKEN"}),
        (ClientName.GEMINI, {"httpUrl": HTTP.url, "headers": {"Authorization": "Bearer $MY_TOKEN"}}),
    ],
)
def test_address_is_told_with_the_place_of_its_token(client, told):
    assert _servers(client, snippet(client, HTTP))["retrograph"] == told


def test_claude_desktop_takes_no_address():
    with pytest.raises(InvalidInput, match="programs to start"):
        snippet(ClientName.CLAUDE_DESKTOP, HTTP)


def test_vscode_asks_for_the_token_once_however_often_it_is_merged():
    once = merged(ClientName.VSCODE, '{"inputs": [{"type": "promptString", "id": "other"}]}', HTTP)
    inputs = json.loads(merged(ClientName.VSCODE, once, HTTP))["inputs"]
    assert [one["id"] for one in inputs] == ["other", "retrograph"]
    assert inputs[1]["password"] is True


@pytest.mark.parametrize("client", JSON_CLIENTS)
def test_merging_keeps_what_is_there(client):
    text = OTHERS.replace("SECTION", SECTION.get(client, "mcpServers"))
    after = merged(client, text, STDIO)
    assert list(_servers(client, after)) == ["git", "retrograph"]
    assert _servers(client, after)["git"] == {"command": "uvx", "args": ["mcp-git"]}
    assert json.loads(after)["theme"] == "Dracula 暗"
    assert "暗" in after
    assert '\n    "theme"' in after, "its own indentation"
    assert merged(client, after, STDIO) == after


def test_merging_toml_keeps_remarks_and_order():
    after = merged(ClientName.CODEX, TOML, STDIO)
    assert after.startswith(TOML)
    assert tomllib.loads(after)["profiles"] == {"fast": {"model": "o9-mini"}}
    assert merged(ClientName.CODEX, after, STDIO) == after


def test_merging_toml_replaces_an_entry_where_it_stands():
    before = (
        merged(ClientName.CODEX, "", STDIO) + '\n[mcp_servers.retrograph.env]\nA = "b"\n\n' + TOML.partition("\n\n")[2]
    )
    before = before.replace('env = { "RETROGRAPH_X" = "1" }\n', "")
    after = merged(ClientName.CODEX, before, HTTP)
    assert _servers(ClientName.CODEX, after)["retrograph"] == {"url": HTTP.url, "bearer_token_env_var": "MY_TOKEN"}
    assert list(_servers(ClientName.CODEX, after)) == ["retrograph", "git"]
    assert "# kept" in after
    assert merged(ClientName.CODEX, after, HTTP) == after


@pytest.mark.parametrize(
    ("client", "text"),
    [
        (ClientName.VSCODE, '{\n  // a remark\n  "servers": {}\n}'),
        (ClientName.CURSOR, "[]"),
        (ClientName.CURSOR, '{"mcpServers": []}'),
        (ClientName.VSCODE, '{"inputs": ["x"]}'),
        (ClientName.CODEX, "not toml"),
        (ClientName.CODEX, 'mcp_servers = { retrograph = { command = "x" } }\n'),
        (ClientName.CODEX, 'mcp_servers.retrograph.command = "x"\n'),
        (ClientName.CODEX, 'mcp_servers = "x"\n'),
    ],
)
def test_file_that_cannot_be_merged_safely_is_refused(client, text):
    with pytest.raises(InvalidInput) as refused:
        merged(client, text, HTTP)
    assert refused.value.cure


@pytest.mark.parametrize("value", ['a"b', "back\\slash", "tab\there", "\x7f", "空 格", "line\nbreak"])
def test_toml_carries_any_text(value):
    entry = ServerEntry("retro.graph", command=("x", value), env={value: value})
    told = _servers(ClientName.CODEX, snippet(ClientName.CODEX, entry))["retro.graph"]
    assert (told["args"], told["env"]) == ([value], {value: value})


def test_every_client_has_a_file_for_all_and_most_for_a_project(tmp_path):
    files = {config_file(client, project=None) for client in ClientName}
    assert len(files) == len(ClientName)
    assert config_file(ClientName.CLAUDE_CODE, project=tmp_path) == tmp_path / ".mcp.json"
    with pytest.raises(InvalidInput, match="project"):
        config_file(ClientName.CLAUDE_DESKTOP, project=tmp_path)


def test_printing_writes_nothing(shell, tmp_path):
    assert shell("mcp-config", "cursor", "--file", str(tmp_path / "mcp.json"), "--bank", "工作", "--user", "ada") == 0
    told = json.loads(shell.out)["mcpServers"]["retrograph"]
    assert told["args"][-6:] == ["--bank", "工作", "--agent", "cursor", "--user", "ada"]
    assert Path(told["command"]).is_absolute()
    assert list(tmp_path.iterdir()) == []


def test_dry_run_shows_the_change_and_writes_nothing(shell, tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(TOML)
    assert shell("mcp-config", "codex", "--file", str(file), "--install", "--dry-run") == 0
    assert "+[mcp_servers.retrograph]" in shell.out
    assert file.read_text() == TOML
    assert list(tmp_path.iterdir()) == [file]


def test_install_keeps_a_copy_and_is_done_once(shell, tmp_path):
    file = tmp_path / "新" / "mcp.json"
    file.parent.mkdir()
    text = OTHERS.replace("SECTION", "mcpServers")
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    link = tmp_path / "link.json"
    link.symlink_to(file)
    arguments = ("mcp-config", "cursor", "--file", str(link), "--command", "uvx retrograph", "--install", "--json")
    assert shell(*arguments) == 0
    assert shell.json["changed"] is True
    assert Path(shell.json["backup"]).read_text(encoding="utf-8") == text
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert _servers(ClientName.CURSOR, file.read_text(encoding="utf-8"))["retrograph"]["command"] == "uvx"
    assert shell(*arguments) == 0
    assert (shell.json["changed"], shell.json["backup"]) == (False, None)
    shell(*arguments, "--bank", "other")
    assert Path(shell.json["backup"]).name == "mcp.json.bak2"
    assert len(list(file.parent.iterdir())) == 3


def test_install_makes_a_file_that_is_not_there(shell, tmp_path):
    assert shell("mcp-config", "vscode", "--project", str(tmp_path), "--install", "--url", HTTP.url) == 0
    assert "servers" in json.loads((tmp_path / ".vscode" / "mcp.json").read_text())
    assert len(list((tmp_path / ".vscode").iterdir())) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--set", "password=hunter2"), "password"),
        (("--set", "server.token=hunter2"), "server.token"),
        (("--url", "127.0.0.1:8765"), "no address"),
        (("--url", HTTP.url, "--token-env", "a token"), "Name the variable"),
        (("--name", "a b"), "no name"),
    ],
)
def test_what_cannot_be_written_is_refused(shell, arguments, said):
    assert shell("mcp-config", "cursor", *arguments) == 2
    assert said in shell.err
    assert "hunter2" not in shell.err + shell.out


def test_settings_and_their_file_are_passed_on(shell, tmp_path):
    config = tmp_path / "my.toml"
    config.write_text("")
    shell("mcp-config", "gemini", "--set", "uri=bolt://db:7687", "--set", "recall.hops=2", "--config", str(config))
    told = json.loads(shell.out)["mcpServers"]["retrograph"]
    assert told["env"] == {"RETROGRAPH_URI": "bolt://db:7687", "RETROGRAPH_RECALL_HOPS": "2"}
    assert str(config) in told["args"]


def test_file_that_is_no_text_is_refused(shell, tmp_path):
    (tmp_path / "mcp.json").write_bytes(b"\xff\xfe\x00\xd8")
    assert shell("mcp-config", "cursor", "--file", str(tmp_path / "mcp.json"), "--install") == 2
    assert "cannot read" in shell.err
