"""A server over HTTP as a process of its own, for what is run against one."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import httpx2
from fastmcp.exceptions import FastMCPError
from mcp import MCPError

BROKEN = (MCPError, FastMCPError, httpx.HTTPError, httpx2.HTTPError, OSError, RuntimeError)
"""What a client of a server that was killed may meet; MCP's own client speaks HTTP by httpx2."""


class Served:
    """A running server.

    Args:
        process: The process.
        root: Its address, `http://127.0.0.1:PORT`.
        log: What it logged, JSON lines.
    """

    def __init__(self, process: subprocess.Popen[bytes], root: str, log: Path) -> None:
        self.process = process
        self.root = root
        self.log = log

    @property
    def url(self) -> str:
        """Where MCP is."""
        return f"{self.root}/mcp"


@contextmanager
def served(log: Path, **settings: str) -> Generator[Served]:
    """A server that is ready, ended with the block; settings by the names of their variables, without the prefix."""
    env = os.environ | {f"RETROGRAPH_{name.upper()}": value for name, value in settings.items()}
    process = _started(log, env)
    try:
        yield Served(process, _address(process, log), log)
    finally:
        process.terminate()
        process.wait(timeout=60)


def _started(log: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "retrograph",
        "serve",
        "--transport",
        "http",
        "--port",
        "0",
        "--log-format",
        "json",
    ]
    with log.open("wb") as stderr:
        return subprocess.Popen(command, env=env, stderr=stderr, stdout=subprocess.DEVNULL)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(1800):
        found = re.search(r"(http://127\.0\.0\.1:\d+)/mcp\n", log.read_text("utf-8"))
        if process.poll() is not None:
            break
        if found and _is_ready(found[1]):
            return found[1]
        time.sleep(0.1)
    last = "".join(log.read_text("utf-8").splitlines(keepends=True)[-20:])
    raise SystemExit(f"error: the server did not become ready; its log {log} ends with\n{last}")


def _is_ready(root: str) -> bool:
    try:
        return httpx.get(f"{root}/health/ready", timeout=5).status_code == 200
    except httpx.TransportError:
        return False
