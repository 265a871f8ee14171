"""Neo4j Browser on the local engine, as a person uses it: headless Chromium signs in, reads the guide, runs queries.

With SCREENSHOTS=FOLDER the pictures of docs/browser.md are taken on the way.
"""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from retrograph.cli.demo_story import story
from retrograph.engine.browser_guide import favourites, style

from .chromium import Chromium, find_chromium, is_loopback, until

pytestmark = pytest.mark.browser

PROGRAM = find_chromium()
if not PROGRAM:
    pytest.skip("no Chromium was found: install one (Debian: apt install chromium)", allow_module_level=True)

Run = Callable[..., Any]
_CHINESE = "陈静在深圳工厂负责试产。\n\n王磊对花生过敏，订餐时请注意。\n\n请记住：深圳工厂下周停产检修。\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Generator[Run]:
    """Runs `retrograph … --json` with an engine of this module's own, which holds two banks."""
    folder = tmp_path_factory.mktemp("browser")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("RETROGRAPH_")},
        "RETROGRAPH_DATA_DIR": str(folder),
        **{name: os.environ[name] for name in ("RETROGRAPH_CACHE_DIR",) if name in os.environ},
    }

    def run(*arguments: str) -> Any:
        command = [sys.executable, "-m", "retrograph", *arguments, "--json"]
        done = subprocess.run(command, capture_output=True, check=False, env=environment, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, (done.stdout + done.stderr).decode()
        return json.loads(done.stdout)

    run("engine", "install")
    turns = folder / "story.jsonl"
    turns.write_text(
        "".join(
            json.dumps({"content": turn.content, "speaker": turn.speaker, "session": turn.session}) + "\n"
            for turn in story()
        ),
        encoding="utf-8",
    )
    run("ingest", str(turns), "--bank", "work")
    notes = folder / "notes.md"
    notes.write_text(_CHINESE, encoding="utf-8")
    run("ingest", str(notes), "--bank", "银行")
    yield run
    run("engine", "stop", "--force")


@pytest.fixture
def chromium(tmp_path: Path) -> Generator[Chromium]:
    """A browser with an empty profile."""
    assert PROGRAM
    opened = Chromium(PROGRAM, tmp_path)
    try:
        yield opened
    finally:
        opened.close()


def test_a_person_signs_in_reads_the_guide_and_runs_its_queries(run: Run, chromium: Chromium):
    told = run("engine", "browser", "--bank", "work", "--no-open", "--show-password")
    assert told["guide"] is True
    _sign_in(chromium, told)
    _picture(chromium, "guide")
    assert "Bank: work" in chromium.text()
    assert "The bank as a graph" in chromium.text()

    _run_from_guide(chromium, 0)
    chromium.wait(_SHOWS_A_GRAPH, "a graph")
    captions = chromium.evaluate(f"{_FRAME}.innerText")
    assert "Episodic" in captions
    colours = chromium.evaluate(
        "[...document.querySelectorAll('[data-testid=frame] svg circle.b-outline')].map(c => c.getAttribute('fill'))"
    )
    assert {"#4C8EDA", "#569480", "#F79767"} <= set(colours), "a colour for each layer, by our style"
    _picture(chromium, "graph")

    _run_from_guide(chromium, 1)
    chromium.wait(f"{_FRAME}.querySelectorAll('table tbody tr').length > 5", "a table of memories")
    table = chromium.evaluate(f"{_FRAME}.querySelector('table').innerText")
    assert "Heron" in table
    assert "embedding" not in table.lower()

    _slide(chromium, 4)
    _run_from_guide(chromium, 1)
    chromium.wait(_SHOWS_A_GRAPH, "an entity's graph")
    _picture(chromium, "entity")
    chromium.close()
    assert {host for host in chromium.reached() if not is_loopback(host)} == set()
    outside = {url for url in chromium.requests if "//127.0.0.1:" not in url and not url.startswith(("data:", "blob:"))}
    assert outside <= set(chromium.blocked), "what the page would fetch elsewhere is stopped by its policy"


def test_an_empty_bank_says_that_nothing_is_there(run: Run, chromium: Chromium):
    told = run("engine", "browser", "--bank", "nothing yet", "--no-open", "--show-password")
    _sign_in(chromium, told)
    chromium.click("document.querySelector('[data-testid=editor-Run]')")
    chromium.wait(f"/no changes, no records/i.test({_FRAME}.innerText)", "the answer that there is nothing")


def test_a_bank_in_chinese_is_drawn_and_favourites_and_style_can_be_dropped(
    run: Run, chromium: Chromium, tmp_path: Path
):
    told = run("engine", "browser", "--bank", "银行", "--no-open", "--show-password")
    _sign_in(chromium, told)
    assert "Bank: 银行" in chromium.text()
    chromium.click("document.querySelector('[data-testid=editor-Run]')")
    chromium.wait(_SHOWS_A_GRAPH, "a graph")
    assert "陈静" in chromium.text()
    _picture(chromium, "chinese")

    (tmp_path / "retrograph.grass").write_text(style().replace("#4C8EDA", "#123456"), encoding="utf-8")
    chromium.drop(tmp_path / "retrograph.grass")
    fills = f"[...{_FRAME}.querySelectorAll('svg circle.b-outline')].map(circle => circle.getAttribute('fill'))"
    chromium.wait(f"{fills}.includes('#123456')", "the style that was dropped")
    (tmp_path / "retrograph-favourites.zip").write_bytes(favourites())
    chromium.drop(tmp_path / "retrograph-favourites.zip")
    chromium.click("document.querySelector('[data-testid=navigationFavorites]')")
    chromium.wait("document.body.innerText.includes('Retrograph')", "the folder of favourites")


@pytest.mark.parametrize("path", ["assets/", "version", "../version", "%2e%2e/password", "../../password", "preview/"])
def test_the_page_s_folder_cannot_be_listed_or_left(path: str, run: Run):
    told = run("engine", "browser", "--bank", "work", "--no-open")
    address = urlsplit(told["url"])
    connection = http.client.HTTPConnection(address.hostname or "", address.port or 0)
    try:
        connection.request("GET", f"/browser/{path}")  # as it is: nothing here shortens a path
        assert connection.getresponse().status in (400, 403, 404)
    finally:
        connection.close()


# The newest frame of a query: the style that is loaded after the sign-in gets a frame too, sooner or later.
_FRAME = "[...document.querySelectorAll('[data-testid=frame]')].find(frame => frame.innerText.includes('CYPHER'))"
_SHOWS_A_GRAPH = f"{_FRAME}.querySelectorAll('svg circle.b-outline').length > 3"


def _sign_in(chromium: Chromium, told: dict[str, Any]) -> None:
    chromium.open(told["url"])
    value = "document.querySelector('[data-testid={}]').value".format
    # The form is drawn a second time once the page has read what its address asks for.
    address = told["connect_url"].removeprefix("bolt://")
    chromium.wait(f"{value('boltaddress')} === '{address}' && {value('username')} === 'neo4j'", "the form filled in")
    until(lambda: _connects(chromium, told["password"]), what=chromium.text, timeout_s=240)
    chromium.wait("!!document.querySelector('[data-testid=guidesDrawer] pre.runnable')", "the guide in the drawer")


def _connects(chromium: Chromium, password: str) -> bool:
    """Signs in; on a busy machine the form may be drawn anew between the password and the click, and lose both."""
    connect = "document.querySelector('[data-testid=connect]')"
    if chromium.evaluate(f"!!{connect}"):
        until(lambda: _types_password(chromium, password), what=chromium.text)
        chromium.click(connect)
    try:
        return chromium.wait(f"!{connect}", "the form gone", timeout_s=20)
    except AssertionError:
        return False


def _types_password(chromium: Chromium, password: str) -> bool:
    """The editor takes the focus to itself when it has loaded, whatever is being typed elsewhere."""
    field = "document.querySelector('[data-testid=password]')"
    chromium.click(field)
    if chromium.evaluate(f"document.activeElement === {field}"):
        chromium.evaluate(f"{field}.select()")
        chromium.type(password)
    return chromium.evaluate(f"{field}.value.length") == len(password)


def _run_from_guide(chromium: Chromium, number: int) -> None:
    """Clicks a query of the guide's slide, sees it in the editor, and runs it."""
    frames = chromium.evaluate("document.querySelectorAll('[data-testid=frame]').length")
    query = f"document.querySelectorAll('[data-testid=guidesDrawer] pre.runnable')[{number}]"
    chromium.click(query)
    chromium.wait("document.querySelector('[data-testid=activeEditor]').innerText.includes('CYPHER')", "the query")
    chromium.click("document.querySelector('[data-testid=editor-Run]')")
    chromium.wait(f"document.querySelectorAll('[data-testid=frame]').length > {frames}", "a frame")


def _slide(chromium: Chromium, number: int) -> None:
    chromium.click(f"document.querySelector('[data-testid=pagination-{number}]')")
    chromium.wait("document.querySelectorAll('[data-testid=guidesDrawer] pre.runnable').length > 2", "the slide")


def _picture(chromium: Chromium, name: str) -> None:
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        chromium.wait("new Promise(done => setTimeout(() => done(true), 3000))", "the graph at rest")
        chromium.picture(Path(folder) / f"browser-{name}.png")
