"""Concurrency: 1 to 64 clients read, write and do both, at one server over HTTP, and at a stdio server for each client.

All clients are in this one process, and it, the servers and the engine share the machine's cores: what each took is
told beside what came of it. No two questions are the same, so every one is encoded. One identity makes all calls, so
they meet in one bank and, by Zipf's law, at the same names; the limit of calls is off, save in the last cell, which has
a low one and shows what is answered. Each acknowledged write is looked for at the end, and each that nobody asked for.

`--take` says how many clients at most, `--seconds` how long a cell lasts. As many stdio servers are started as memory
holds; which were left out is told.
"""

import argparse
import asyncio
import contextlib
import functools
import os
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

import retrograph
from bench.asking import bank_of, clear
from bench.ingest import SEED, made_turns
from bench.serving import BROKEN, served
from retrograph import Memory
from retrograph.cypher import CypherQuery
from retrograph.memory.evaluating import percentile

COUNTS = (1, 4, 16, 64)
MODES = {"read": 0.0, "write": 1.0, "both": 0.2}
"""Share of writes."""
PLANTED = 1_000
LIMIT = 120
"""Calls a minute in the cell that has a limit."""
PAUSE_S = 0.1
"""After an error a client waits so long."""
ROOM = 0.8
"""Share of the free memory that stdio servers may take."""
_WRITTEN = ("stored", "merged", "unchanged")
_THERE = """CYPHER 25
MATCH (m:Memory {bank: $bank}) WHERE $tag IN m.tags
RETURN m.id AS id"""


@dataclass
class Caller:
    """One client in one cell: it calls one tool after another and remembers what was acknowledged.

    Args:
        client: Its connection.
        cell: Name of the cell; what it writes has it for a tag.
        number: Which client.
        writes: Share of writes, [0, 1].
    """

    client: Client[Any]
    cell: str
    number: int
    writes: float
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    written: list[str] = field(default_factory=list)
    unsure: int = 0

    @property
    def calls(self) -> int:
        """How many succeeded."""
        return sum(len(times) for times in self.seconds.values())

    async def work(self, until: float) -> None:
        """Calls until then; what is under way is waited for."""
        draw = random.Random(f"{SEED} {self.cell} {self.number}")
        while time.monotonic() < until:
            tried = self.calls + self.errors.total()
            text = f"{draw.choice(_texts())} ({self.cell}, {self.number}-{tried})"
            await self.call(text, is_write=draw.random() < self.writes)

    async def call(self, text: str, *, is_write: bool) -> None:
        """One write or one recall."""
        name = "memory_write" if is_write else "memory_search"
        told: dict[str, Any] = {"query": text}
        if is_write:
            told = {"content": text, "force": True, "tags": [self.cell], "session": f"client {self.number}"}
        began = time.perf_counter()
        try:
            answer = await self.client.call_tool(name, told, raise_on_error=False)
        except BROKEN as error:
            self.errors[f"connection: {type(error).__name__}"] += 1
            self.unsure += is_write
            await asyncio.sleep(PAUSE_S)
            return
        if answer.is_error:
            self.errors[_kind(answer.meta)] += 1
            await asyncio.sleep(PAUSE_S)
            return
        self.seconds[name].append(time.perf_counter() - began)
        content = answer.structured_content or {}
        if is_write and content.get("outcome") in _WRITTEN:
            self.written.append(content["id"])


@functools.cache
def _texts() -> list[str]:
    return [turn.content for turn in made_turns(2_000, random.Random(SEED + 1))]


def _kind(meta: dict[str, Any] | None) -> str:
    """`throttled` by the limit of calls; `busy: CODE` where the same call may succeed later; else the code."""
    told = (meta or {}).get("retrograph/error", {})
    code = told.get("code", "error without a code")
    return f"busy: {code}" if told.get("retryable") and code != "throttled" else code


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Runs all cells against one bank, the servers over HTTP first."""
    del folder
    most = arguments.take if arguments.take > 1 else max(COUNTS)
    counts = [count for count in COUNTS if count <= most]
    with retrograph.open() as memory, tempfile.TemporaryDirectory() as place:
        memory.warm()
        bank = bank_of(memory, "bench-concurrency")
        bank.ingest(made_turns(PLANTED, random.Random(SEED)))
        run = _Run(bank, arguments.seconds, Path(place))
        try:
            unlimited = {"bank": bank.identity.bank, "server_calls_per_minute": "0"}
            with served(run.place / "http.log", **unlimited) as server:
                asyncio.run(run.over_http(server.url, counts, server.process.pid))
            asyncio.run(run.over_stdio(counts))
            limits = {"server_calls_per_minute": str(LIMIT), "server_calls_at_once": str(LIMIT // 10)}
            with served(run.place / "limited.log", bank=bank.identity.bank, **limits) as server:
                asyncio.run(run.over_http(server.url, [min(16, most)], server.process.pid, limited=True))
        finally:
            clear(bank)
    return run.told()


@dataclass
class _Run:
    """All cells of one run."""

    bank: Memory
    seconds: float
    place: Path
    cells: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    async def over_http(self, url: str, counts: Sequence[int], pid: int, *, limited: bool = False) -> None:
        """Cells at one server."""
        servers = [psutil.Process(pid)]
        for count in counts:
            async with contextlib.AsyncExitStack() as stack:
                clients = [await stack.enter_async_context(Client(url)) for _ in range(count)]
                for mode in ("read",) if limited else MODES:
                    name = f"http, {count} clients, {mode}" + (f", limit {LIMIT} a minute" if limited else "")
                    await self._cell(name, clients, MODES[mode], servers)

    async def over_stdio(self, counts: Sequence[int]) -> None:
        """Cells with a server for each client; those of the smaller cells go on in the larger ones."""
        clients: list[Client[Any]] = []
        async with contextlib.AsyncExitStack() as stack:
            for count in counts:
                servers = _stdio_servers()
                each = max((process.memory_full_info().uss for process in servers), default=0)
                if (needed := each * (count - len(clients))) > ROOM * psutil.virtual_memory().available:
                    self.left_out[f"stdio, {count} clients"] = (
                        f"each server holds {each / 2**20:,.0f} MiB of its own, {count - len(clients)} more would take "
                        f"{needed / 2**30:.1f} GiB"
                    )
                    continue
                while len(clients) < count:
                    clients.append(await stack.enter_async_context(Client(self._transport())))
                    print(f"\rstdio servers: {len(clients)}", end="", file=sys.stderr, flush=True)
                servers = _stdio_servers()
                for mode in MODES:
                    await self._cell(f"stdio, {count} clients, {mode}", clients, MODES[mode], servers)

    def _transport(self) -> StdioTransport:
        env = os.environ | {"RETROGRAPH_BANK": self.bank.identity.bank}
        log = self.place / "stdio.log"
        return StdioTransport(
            sys.executable, ["-m", "retrograph", "serve"], env=dict(env), keep_alive=False, log_file=log
        )

    async def _cell(
        self, name: str, clients: Sequence[Client[Any]], writes: float, servers: Sequence[psutil.Process]
    ) -> None:
        print(f"\n{name}", end="", file=sys.stderr, flush=True)
        if "limit" not in name:
            warming = [Caller(client, f"warming {name}", n, writes) for n, client in enumerate(clients)]
            await asyncio.gather(*(caller.work(time.monotonic() + self.seconds / 10) for caller in warming))
        callers = [Caller(client, name, number, writes) for number, client in enumerate(clients)]
        groups = {"servers": list(servers), "engine": self._engine(), "clients": [psutil.Process()]}
        before = {group: _cpu(processes) for group, processes in groups.items()}
        started = time.monotonic()
        await asyncio.gather(*(caller.work(started + self.seconds) for caller in callers))
        took = time.monotonic() - started
        cores = {group: (_cpu(processes) - before[group]) / took for group, processes in groups.items()}
        row = summed(callers, took) | self._checked(name, callers)
        row |= {f"cores, {group}": used for group, used in cores.items()}
        row["servers MiB"] = sum(process.memory_info().rss for process in servers) / 2**20
        self.cells[name] = row

    def _engine(self) -> list[psutil.Process]:
        pid = None if self.bank.settings.uri else self.bank._resources.home.engine.status().pid
        return [psutil.Process(pid)] if pid else []

    def _checked(self, name: str, callers: Sequence[Caller]) -> dict[str, Any]:
        """Writes that were acknowledged and are not there, and those that are there and nobody knows of."""
        query = CypherQuery("bench", "", _THERE, "read", {"bank": "STRING", "tag": "STRING"}, {})
        rows = self.bank._resources.graph.run(query, bank=self.bank.identity.bank, tag=name)
        there, told = {row["id"] for row in rows}, [i for caller in callers for i in caller.written]
        lost = set(told) - there
        # A write whose connection broke may be there or not.
        extra = max(0, len(there - set(told)) - sum(caller.unsure for caller in callers))
        doubled = len(told) - len(set(told)) + extra
        self.wrong += [f"{name}: lost {memory_id}" for memory_id in sorted(lost)[:20]]
        self.wrong += [f"{name}: {doubled} written twice or unasked"] if doubled else []
        return {"acknowledged writes": len(told), "lost": len(lost), "twice or unasked": doubled}

    def told(self) -> dict:
        """All cells; what must not be is under `failed`."""
        for name, row in self.cells.items():
            if row["other errors"]:
                self.wrong.append(f"{name}: {row['errors']}")
        left_out = {"left out": self.left_out} if self.left_out else {}
        failed = {"failed": {str(n): what for n, what in enumerate(self.wrong, 1)}} if self.wrong else {}
        return self.cells | left_out | failed


def summed(callers: Sequence[Caller], took: float) -> dict[str, Any]:
    """What the clients of one cell met, in one row."""
    calls = [caller.calls for caller in callers]
    row: dict[str, Any] = {"calls/s": sum(calls) / took}
    for tool, what in (("memory_search", "read"), ("memory_write", "write")):
        times = [1000 * second for caller in callers for second in caller.seconds.get(tool, ())]
        if times:
            row |= {f"{what} p{p} ms": percentile(times, p / 100) for p in (50, 95)}
    errors: Counter[str] = sum((caller.errors for caller in callers), Counter())
    busy = sum(count for kind, count in errors.items() if kind.startswith("busy"))
    return row | {
        "fewest calls of a client": min(calls),
        "most calls of a client": max(calls),
        "fewest / most": min(calls) / max(calls) if max(calls) else 0.0,
        "throttled": errors["throttled"],
        "busy": busy,
        "other errors": errors.total() - errors["throttled"] - busy,
        "errors": ", ".join(f"{kind} {count}" for kind, count in sorted(errors.items())) or "none",
    }


def _cpu(processes: Iterable[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _stdio_servers() -> list[psutil.Process]:
    children = psutil.Process().children(recursive=True)
    return [process for process in children if process.cmdline()[-2:] == ["retrograph", "serve"]]
