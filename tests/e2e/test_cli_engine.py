"""The command line with the local engine: started on demand, killed, found again; the demo."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from typing import Any

import pytest

from retrograph.cli.demo_story import QUESTIONS, story

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Generator[Run]:
    """Runs `retrograph … --json` with a data folder of this module's own, and stops its engine at the end."""
    folder = tmp_path_factory.mktemp("cli")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("RETROGRAPH_")},
        "RETROGRAPH_DATA_DIR": str(folder),
        **{name: os.environ[name] for name in ("RETROGRAPH_CACHE_DIR",) if name in os.environ},
    }

    def run(*arguments: str, code: int = 0) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "retrograph", *arguments, "--json"],
            capture_output=True,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == code, (done.stdout + done.stderr).decode()
        return json.loads(done.stdout)

    run("engine", "install")
    yield run
    run("engine", "stop", "--force")


def test_a_memory_survives_the_killed_engine(run: Run):
    written = run("write", "The spare key hangs behind the 青花 vase.", "--force", "--bank", "killed")
    before = run("engine", "status")
    os.kill(before["pid"], signal.SIGKILL)
    found = run("search", "Where is the spare key?", "--bank", "killed")
    assert found["results"][0]["id"] == written["id"]
    after = run("engine", "status")
    assert after["running"] is True
    assert after["pid"] != before["pid"]


def test_the_demo_answers_by_links_and_stores_nothing_twice(run: Run):
    first = run("demo")
    assert first["ingest"]["stored"] == len(story())
    for question, told in zip(QUESTIONS, first["questions"], strict=True):
        assert told["query"] == question.text
        hits = {hit["content"]: hit for hit in told["results"]}
        assert question.answer in hits, question.text
        if question.by_links:
            kinds = [step["kind"] for step in hits[question.answer]["path"]]
            assert kinds.count("memory") >= 2
            assert "entity" in kinds
    assert first["browser"].startswith("http://127.0.0.1:")
    again = run("demo")
    assert (again["ingest"]["stored"], again["ingest"]["unchanged"]) == (0, len(story()))


def test_doctor_passes_where_the_demo_ran(run: Run):
    told = run("doctor", "--bank", "demo")
    assert told["ok"] is True
    assert {check["status"] for check in told["checks"]} <= {"ok", "warn"}


def test_the_engine_stops_and_tells_so(run: Run):
    run("engine", "start")
    assert run("engine", "stop") == {"stopped": True}
    assert run("engine", "status")["running"] is False
    assert run("engine", "logs", "-n", "3")["lines"]
