"""Start: how long it takes from nothing to an answer, and what is on the disk and in memory then.

On a data folder of its own that is new each time. Each server is started as a client does it, over stdio, and asked one
question of a bank with one memory: once with the engine stopped, then with the engine running. The jars and models are
there already.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from retrograph.settings import Settings

ROUNDS = 3
COMMAND = [sys.executable, "-m", "retrograph"]
SAID, ASKED = "Remember: rig7 hosts the render queue.", "which machine renders?"


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Measures all of it once, what is quick three times."""
    del folder, arguments
    if os.environ.get("RETROGRAPH_URI"):
        raise SystemExit("error: the local engine's start is measured: unset RETROGRAPH_URI")
    cache = Settings.load().cache_dir
    with tempfile.TemporaryDirectory() as place:
        env = os.environ | {"RETROGRAPH_DATA_DIR": place, "RETROGRAPH_CACHE_DIR": str(cache)}
        helps = [_processor_s([*COMMAND, "--help"], env) for _ in range(ROUNDS)]
        try:
            first = _took_s([*COMMAND, "engine", "start"], env)
            status = subprocess.run([*COMMAND, "engine", "status", "--json"], env=env, check=True, capture_output=True)
            empty = json.loads(status.stdout)["rss_bytes"] / 2**20
            _run([*COMMAND, "engine", "stop", "--force"], env)
            later = _took_s([*COMMAND, "engine", "start"], env)
            _run([*COMMAND, "write", SAID], env)
            warm = [asyncio.run(_answered_s(env)) for _ in range(ROUNDS)]
            _run([*COMMAND, "engine", "stop", "--force"], env)
            cold = asyncio.run(_answered_s(env))
        finally:
            subprocess.run([*COMMAND, "engine", "stop", "--force"], env=env, check=False, stdout=subprocess.DEVNULL)
    return {
        "retrograph --help": {"processor s": statistics.median(helps)},
        "engine": {"start on a new folder s": first, "later start s": later, "empty, resident MiB": empty},
        "serve over stdio, from its start to its first answer": {
            "engine running s": statistics.median(warm),
            "engine stopped s": cold,
        },
        "disk": {"Python environment MB": disk_mb(Path(sys.prefix)), "engine's jars MB": disk_mb(cache)},
    }


async def _answered_s(env: dict[str, str]) -> float:
    """Seconds until a new server has answered one question."""
    started = time.perf_counter()
    transport = StdioTransport(COMMAND[0], [*COMMAND[1:], "serve"], env=env, keep_alive=False)
    async with Client(transport) as client:
        found = await client.call_tool("memory_search", {"query": ASKED})
        took = time.perf_counter() - started
    if not (found.structured_content or {}).get("hits"):
        raise SystemExit("error: the server found nothing of the one memory that there is")
    return took


def _took_s(command: list[str], env: dict[str, str]) -> float:
    started = time.perf_counter()
    _run(command, env)
    return time.perf_counter() - started


def _processor_s(command: list[str], env: dict[str, str]) -> float:
    """Seconds of the processor that a command takes."""
    before = os.times()
    _run(command, env)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _run(command: list[str], env: dict[str, str]) -> None:
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def disk_mb(folder: Path) -> float:
    """Of all files, MB as a disk counts them."""
    files = [file.lstat() for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]
    return sum(each.st_blocks * 512 for each in files) / 1e6
