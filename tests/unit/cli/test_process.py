"""The command as a process of its own: what it loads, how it ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("retrograph.memory", "retrograph.graph", "neo4j", "spacy", "fastmcp", "pydantic_settings", "numpy", "torch")


def environment(folder: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RETROGRAPH_")}
    own = {"RETROGRAPH_DATA_DIR": str(folder / "data"), "RETROGRAPH_CACHE_DIR": str(folder / "cache")}
    return {**kept, **own, **more}


@pytest.mark.parametrize("arguments", [["--help"], ["search", "--help"], ["version"]])
def test_help_and_version_load_nothing_heavy(tmp_path, arguments):
    code = (
        "import sys; from retrograph.cli.app import run; "
        f"code = run({arguments!r}); print([m for m in {HEAVY!r} if m in sys.modules], code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment(tmp_path)
    )
    assert done.stdout.splitlines()[-1] == "[] 0"


def test_the_package_runs_as_a_module(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "retrograph", "engine", "status"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(tmp_path),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "not installed" in done.stdout


def test_a_command_without_the_engine_exits_3_with_the_cure_and_no_traceback(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "retrograph", "stats"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(tmp_path),
    )
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "retrograph engine install" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_ends_the_command_without_a_word(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "retrograph", "config"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    assert process.stdout and process.stderr
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), said) == (141, b"")


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_chinese_is_printed_in_any_locale(tmp_path, locale):
    done = subprocess.run(
        [sys.executable, "-m", "retrograph", "config", "--bank", "银行", "--json"],
        capture_output=True,
        check=True,
        env=environment(tmp_path, LC_ALL=locale),
    )
    text = done.stdout.decode("utf-8")
    assert "银行" in text or "\\u94f6\\u884c" in text
