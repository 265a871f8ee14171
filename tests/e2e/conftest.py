"""A server called in its own process, and what a process of its own needs to work in a test's bank."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fastmcp import Client

from retrograph.server import build_server
from retrograph.settings import Settings


class Tools:
    """Calls tools of one server."""

    def __init__(self, memory):
        self.server = build_server(memory, warm=False)

    def __call__(self, tool, **arguments):
        result = self.result(tool, **arguments)
        assert not result.is_error, result.content[0].text
        return result.structured_content

    def result(self, tool, **arguments):
        async def called():
            async with Client(self.server) as client:
                return await client.call_tool(tool, arguments, raise_on_error=False)

        return asyncio.run(called())

    def error(self, tool, **arguments):
        """Code and words of the error."""
        result = self.result(tool, **arguments)
        assert result.is_error, result.structured_content
        return result.meta["retrograph/error"]["code"], result.content[0].text

    def code(self, tool, **arguments):
        return self.error(tool, **arguments)[0]


@pytest.fixture
def tools(memory):
    return Tools(memory)


@pytest.fixture
def environment(settings: Settings, tmp_path: Path) -> dict[str, str]:
    """What a process needs to work in this test's bank, and nothing of whoever runs the tests."""
    assert settings.uri and settings.password
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("RETROGRAPH_")},
        "RETROGRAPH_URI": settings.uri,
        "RETROGRAPH_USERNAME": settings.username,
        "RETROGRAPH_PASSWORD": settings.password.get_secret_value(),
        "RETROGRAPH_BANK": settings.bank,
        "RETROGRAPH_DATA_DIR": str(tmp_path / "data"),
    }


@pytest.fixture
def run_program(settings: Settings, tmp_path: Path) -> Callable[..., str]:
    """Runs a program of the documentation in this test's bank, by any Python; what it says on stdout.

    Clients hand a server HOME and PATH and nothing else of the environment: a settings file reaches it.
    """
    assert settings.uri and settings.password
    folder = tmp_path / ".config" / "retrograph"
    folder.mkdir(parents=True)
    lines = {
        "uri": settings.uri,
        "username": settings.username,
        "password": settings.password.get_secret_value(),
        "bank": settings.bank,
    }
    (folder / "retrograph.toml").write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in lines.items()))
    env = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    def run(program: str, *, python: str | Path = sys.executable, timeout_s: float) -> str:
        done = subprocess.run(
            [python, "-c", program],
            env=env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
