"""`retrograph engine …` over a fake engine."""

import sys
import webbrowser
import zipfile
from urllib.parse import parse_qs, urlsplit

import pytest

from retrograph.engine.browser_guide import guide_queries
from retrograph.errors import Conflict, EngineInstallError, EngineStartError


class Terminal:
    """Stderr that says it is a terminal, and keeps what was written."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None: ...


def test_install_fetches_and_says_the_licence_on_stderr(shell):
    shell.engine.installed = False
    assert shell("engine", "install", "--json") == 0
    assert shell.engine.fetched
    assert (shell.json["version"], shell.json["jars"]) == ("2026.08.1", 226)
    assert shell.err == "Neo4j Community is GPLv3.\n"
    assert shell("engine", "install") == 0
    assert "installed: Neo4j 2026.08.1" in shell.out


def test_install_shows_progress_on_a_terminal_only(shell, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert shell("engine", "install") == 0
    assert "fetch Neo4j" in terminal.text
    assert "fetch Neo4j" not in shell.out


def test_install_without_network_exits_3_with_the_cure(shell):
    shell.engine.error = EngineInstallError("no network", cure="Check the proxy.")
    assert shell("engine", "install") == 3
    assert shell.err == "error: no network\n  Check the proxy.\n"


def test_start_tells_the_address_and_no_password(shell):
    assert shell("engine", "start", "--json") == 0
    assert shell.json == {
        "uri": "bolt://127.0.0.1:1",
        "http_url": "http://127.0.0.1:2",
        "username": "neo4j",
        "pid": 7,
    }
    assert shell("engine", "start") == 0
    assert "bolt://127.0.0.1:1" in shell.out
    assert "31337" not in shell.out


def test_a_start_that_fails_exits_3(shell):
    shell.engine.error = EngineStartError("a port is taken", cure="Free it.")
    assert shell("engine", "start") == 3


def test_stop_tells_whether_it_ran(shell):
    assert shell("engine", "stop") == 0
    assert shell.out == "stopped\n"
    shell("engine", "stop", "--json")
    assert shell.json == {"stopped": False}


def test_stop_of_an_engine_in_use_fails_unless_forced(shell):
    shell.engine.error = Conflict("in use by process 5", cure="--force")
    assert shell("engine", "stop") == 1
    assert shell("engine", "stop", "--force") == 0


def test_status_of_a_running_engine(shell):
    assert shell("engine", "status") == 0
    for part in ("running", "bolt://127.0.0.1:1", "http://127.0.0.1:2/browser/", "512 MiB", "1 process"):
        assert part in shell.out
    shell("engine", "status", "--json")
    assert (shell.json["running"], shell.json["pid"], shell.json["problems"]) == (True, 7, [])


def test_status_of_an_engine_that_is_not_installed_names_the_cure(shell):
    shell.engine.installed = shell.engine.running = False
    assert shell("engine", "status") == 0
    assert "not installed" in shell.out
    assert "Install it." in shell.out


def test_logs_print_as_many_lines_as_asked(shell):
    assert shell("engine", "logs", "-n", "2") == 0
    assert shell.out == "line 0\nline 1\n"
    shell("engine", "logs", "-n", "2", "--json")
    assert shell.json == {"lines": ["line 0", "line 1"]}


def test_browser_prints_address_and_query_and_hides_the_password(shell):
    assert shell("engine", "browser", "--bank", "team 银行", "--no-open") == 0
    assert "http://127.0.0.1:2/browser/" in shell.out
    assert 'MATCH (m:Memory {bank: "team 银行"})' in shell.out
    assert "31337" not in shell.out
    shell("engine", "browser", "--no-open", "--show-password")
    assert "pw-31337" in shell.out


@pytest.mark.parametrize("bank", ["a&b", 'quote"d', "back\\slash", "银行"])
def test_browser_link_carries_the_query_whole(shell, bank):
    shell("engine", "browser", "--bank", bank, "--no-open", "--json")
    arguments = parse_qs(urlsplit(shell.json["url"]).query)
    assert arguments["cmd"] == ["edit"]
    assert arguments["connectURL"] == ["bolt://neo4j@127.0.0.1:1"]
    assert arguments["arg"][0].replace("\\u0026", "&") == shell.json["query"]
    assert "&" not in arguments["arg"][0]
    assert "password" not in shell.json


def test_browser_opens_the_web_browser(shell, monkeypatch):
    seen: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: seen.append(url) or True)
    shell("engine", "browser", "--json")
    assert shell.json["opened"] is True
    assert seen == [shell.json["url"]]


def test_browser_shows_the_guide_of_the_bank(shell):
    shell("engine", "browser", "--bank", "银行", "--no-open", "--json")
    assert shell.engine.shown == "银行"
    assert shell.json["guide"] is True


def test_browser_of_another_database_is_refused_with_the_way(shell):
    assert shell("engine", "browser", "--no-open", "--set", "uri=bolt://db.example:7687") == 2
    assert "db.example" in shell.err
    assert "--export" in shell.err


def test_browser_export_writes_style_and_favourites(shell, tmp_path):
    folder = tmp_path / "新 folder"
    assert shell("engine", "browser", "--export", str(folder), "--bank", 'a"银行', "--json") == 0
    assert shell.json["parameter"] == ':param bank => "a\\"银行"'
    assert sorted(shell.json["files"]) == sorted(map(str, folder.iterdir()))
    assert "node.Episodic" in (folder / "retrograph.grass").read_text()
    with zipfile.ZipFile(folder / "retrograph-favourites.zip") as archive:
        texts = [archive.read(name).decode() for name in archive.namelist()]
    assert len(texts) == len(guide_queries())
    assert all("$bank" in text for text in texts)


def test_browser_export_to_a_folder_that_cannot_be_says_so(shell, tmp_path):
    (tmp_path / "file").touch()
    assert shell("engine", "browser", "--export", str(tmp_path / "file")) == 2
    assert "cannot write" in shell.err
