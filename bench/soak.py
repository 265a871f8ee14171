"""Soak: many clients over HTTP mix all tools for long, and the engine is killed twice meanwhile.

What must hold at the end: no error but the caller's own, save while the engine was away; everything that was
acknowledged is there; connections are bounded; the server's memory does not grow.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
from fastmcp import Client

import retrograph
from bench.serving import BROKEN, Served, served
from retrograph.engine import Engine
from retrograph.models import Identity
from retrograph.settings import Settings

SEED = 11
KILLED_AT = (1 / 3, 2 / 3)
SAMPLE_S = 5.0
SETTLE_S = 30.0
"""Calls that were under way when the engine went may end in its absence this long after it is back."""
USERS = 4
_CALLERS_OWN = {"not_found", "refused", "conflict"}
_WHO = "Ann Bob 王芳 李雷 Noor Ines 陈静 Tomas".split()
_WHAT = "scheduler 网关 archive 仓库 dashboard 看板 compiler 翻译器".split()
_SAYS = (
    "Remember that {who} maintains the {what} {n}.",
    "记住：{who}负责{what}{n}的部署。",
    "We decided that {what} {n} moves to 上海 because {who} asked for it.",
    "{who} prefers {what} {n} over spreadsheets.",
)
_MIX = {
    "memory_write": 16, "memory_search": 24, "memory_get": 8, "memory_explain": 2, "memory_forget": 2, "memory_link": 3,
    "memory_ingest": 1, "memory_job": 1, "session_context": 4, "memory_changes": 4, "memory_feedback": 4,
    "memory_update": 2, "memory_history": 2, "memory_restore": 1, "memory_review": 1, "entity_explore": 4,
    "trajectory_record": 2, "memory_reflect": 1, "memory_summarize": 1, "entity_merge": 1,
    "stats://bank": 1, "recall_context": 1,
}  # fmt: skip


@dataclass
class Tally:
    """What all clients met."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    in_outage: Counter[str] = field(default_factory=Counter)
    unexpected: list[str] = field(default_factory=list)
    outages: list[list[float]] = field(default_factory=list)

    def failed(self, name: str, code: str, *, began: float) -> None:
        """Files an error where it belongs: the caller's own, of an outage, or one that should not be."""
        self.errors[code] += 1
        if code in _CALLERS_OWN:
            return
        if any(start <= time.monotonic() and began <= end for start, end in self.outages):
            self.in_outage[code] += 1
        else:
            self.unexpected.append(f"{name}: {code}")


class Caller:
    """One client: it calls tools at random and remembers what was acknowledged.

    Args:
        url: Where the server is.
        token: Its bearer token.
        number: Which client.
        tally: Where it counts.
    """

    def __init__(self, url: str, token: str, number: int, tally: Tally) -> None:
        self.url, self.token, self.tally = url, token, tally
        self.draw = random.Random(SEED + number)
        self.session = f"client-{number}"
        self.kept: list[str] = []
        self.forgotten: list[str] = []
        self.hits: list[str] = []
        self.names: list[str] = ["Ann", "网关"]
        self.job, self.run, self.cursor = "no-such", "", None
        self.written = 0

    async def work(self, until: float) -> None:
        """Calls until then; after a broken connection, anew."""
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                async with Client(self.url, auth=self.token) as client:
                    while time.monotonic() < until:
                        began = time.monotonic()
                        await self.call(client)
            except BROKEN as error:
                self.tally.failed("connection", type(error).__name__, began=began)
                await asyncio.sleep(0.5)

    async def call(self, client: Client) -> None:
        """One call."""
        name = self.draw.choices(list(_MIX), weights=list(_MIX.values()))[0]
        began = time.monotonic()
        if name == "stats://bank":
            await client.read_resource(name)
        elif name == "recall_context":
            await client.get_prompt(name, {"topic": self.draw.choice(_WHAT)})
        else:
            arguments = self.arguments(name)
            answer = await client.call_tool(name, arguments, raise_on_error=False)
            if answer.is_error:
                code = (answer.meta or {}).get("retrograph/error", {}).get("code") or "error"
                self.tally.failed(name, code, began=began)
                return
            self.learn(name, answer.structured_content or {})
        self.tally.seconds[name].append(time.monotonic() - began)

    def said(self) -> str:
        """A new sentence."""
        self.written += 1
        who, what = self.draw.choice(_WHO), self.draw.choice(_WHAT)
        return self.draw.choice(_SAYS).format(who=who, what=what, n=f"{self.session}-{self.written}")

    def arguments(self, name: str) -> dict[str, Any]:  # noqa: C901  (a table: one line a tool)
        """Arguments that work, if nobody was quicker."""
        one = self.draw.choice(self.kept or ["no-such"])
        query = f"{self.draw.choice(_WHO)} {self.draw.choice(_WHAT)} {self.session}"
        match name:
            case "memory_write":
                return {"content": self.said(), "force": True, "session": self.session}
            case "memory_search":
                return {"query": query, "limit": self.draw.choice([3, 5, 10]), "text": self.draw.random() < 0.3}
            case "memory_get" | "memory_history":
                return {"memory_id": one}
            case "memory_explain":
                return {"query": query, "memory_id": one}
            case "memory_forget":
                # No longer counted as kept from the moment at which it is asked for.
                if self.kept:
                    self.kept.remove(one)
                    self.forgotten.append(one)
                return {"memory_ids": [one]}
            case "memory_restore":
                return {"memory_ids": [self.draw.choice(self.forgotten or ["no-such"])]}
            case "memory_link":
                other = next((memory_id for memory_id in self.kept if memory_id != one), "no-such-either")
                return {"from_id": one, "to_id": other, "type": "supports"}
            case "memory_ingest":
                turns = [{"content": self.said(), "speaker": self.draw.choice(_WHO)} for _ in range(8)]
                return {"turns": turns, "session": self.session, "wait": self.draw.random() < 0.5}
            case "memory_job":
                return {"job_id": self.job}
            case "session_context":
                return {"session": self.session, "query": query if self.draw.random() < 0.5 else None}
            case "memory_changes":
                return {"cursor": self.cursor}
            case "memory_feedback":
                return {"useful": (self.hits or ["no-such"])[:2]}
            case "memory_update":
                return {"memory_id": one, "tags": [self.session]}
            case "entity_explore":
                return {"name": self.draw.choice(self.names)}
            case "entity_merge":
                return {"alias": f"{self.session} 别名", "canonical": self.draw.choice(self.names), "scope": "private"}
            case "trajectory_record":
                steps = [{"kind": "decision", "text": "Use the cache.", "reason": "it is 快"}]
                return {"task": f"Mend {query}", "steps": steps, "status": "success"}
            case "memory_reflect":
                return {"trajectory_id": self.run or "no-such", "draft": True}
            case "memory_summarize":
                return {"session": self.session}
            case _:
                return {}

    def learn(self, name: str, answer: dict[str, Any]) -> None:
        """Keeps what later calls need, and what was acknowledged."""
        if name == "memory_write" and answer.get("outcome") in ("stored", "merged", "unchanged"):
            self.kept.append(answer["id"])
            self.names = [*self.names, *answer.get("entities", ())][-20:]
        elif name == "memory_ingest":
            self.job = answer.get("job", self.job)
            self.kept += [memory_id for memory_id in answer.get("ids", ()) if memory_id]
        elif name == "memory_search":
            self.hits = [hit["id"] for hit in answer["hits"]]
        elif name == "memory_changes":
            self.cursor = answer["cursor"]
        elif name == "trajectory_record":
            self.run = answer.get("trajectory_id", self.run)


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Runs clients against a server with a local engine; `--minutes`, `--clients`."""
    del folder
    if os.environ.get("RETROGRAPH_URI"):
        raise SystemExit("error: the soak kills the engine: unset RETROGRAPH_URI, so that it has one of its own")
    bank = f"soak-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    with retrograph.open(bank=bank) as memory, tempfile.TemporaryDirectory() as place:
        memory.warm()
        users = [memory.for_identity(Identity(bank, user=f"user-{n}")) for n in range(USERS)]
        tokens = [users[n % USERS].create_token(rights=("admin",)).token for n in range(arguments.clients)]
        limits = {"server_auth": "tokens", "server_calls_per_minute": "0"}
        with served(Path(place) / "server.log", bank=bank, **limits) as server:
            return asyncio.run(_soaked(server, tokens, minutes=arguments.minutes))


async def _soaked(server: Served, tokens: list[str], *, minutes: float) -> dict:
    tally = Tally()
    callers = [Caller(server.url, token, number, tally) for number, token in enumerate(tokens)]
    start = time.monotonic()
    until = start + minutes * 60
    samples: list[tuple[float, float, int]] = []
    watching = [asyncio.create_task(_sampled(server, samples, start, until))]
    watching.append(asyncio.create_task(_killing(server, tally, start, until)))
    await asyncio.gather(*(caller.work(until) for caller in callers))
    back_after = (await asyncio.gather(*watching))[1]
    seconds = time.monotonic() - start
    lost = [memory_id for caller in callers for memory_id in await _lost(caller)]
    told = _told(tally, samples, seconds=seconds, back_after=back_after, callers=callers, lost=lost)
    return told | {"failed calls in the server's log": _logged(server.log)}


def _logged(log: Path) -> dict[str, int]:
    """Causes of failed calls as the server logged them, each with how often."""
    causes: Counter[str] = Counter()
    for line in log.read_text("utf-8").splitlines():
        told = json.loads(line) if line.startswith("{") else {}
        if str(told.get("message", "")).startswith("failed call"):
            error = told.get("error", {})
            where = (error.get("stack") or ["?"])[-1]
            cause = error.get("cause", {})
            causes[f"{error.get('type')}, {cause.get('code') or cause.get('type')}, at {where}"] += 1
    return dict(causes.most_common(20))


async def _sampled(server: Served, samples: list[tuple[float, float, int]], start: float, until: float) -> None:
    process = psutil.Process(server.process.pid)
    while time.monotonic() < until:
        connections = sum(each.status == psutil.CONN_ESTABLISHED for each in process.net_connections("tcp"))
        samples.append((time.monotonic() - start, process.memory_info().rss / 2**20, connections))
        await asyncio.sleep(SAMPLE_S)


async def _killing(server: Served, tally: Tally, start: float, until: float) -> list[float]:
    """Kills the engine at the planned moments; returns how long the server was not ready, seconds each."""
    settings = Settings.load()
    engine = Engine(settings.engine, data_dir=settings.data_dir, cache_dir=settings.cache_dir)
    back_after: list[float] = []
    for share in KILLED_AT:
        await asyncio.sleep(max(0.0, start + (until - start) * share - time.monotonic()))
        pid = (await asyncio.to_thread(engine.status)).pid
        if pid is None:
            raise SystemExit("error: there is no local engine to kill")
        killed = time.monotonic()
        tally.outages.append([killed, float("inf")])
        os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(1.5)
        async with httpx.AsyncClient(timeout=60) as client:
            while (await _status(client, f"{server.root}/health/ready")) != 200:
                await asyncio.sleep(0.5)
        back_after.append(time.monotonic() - killed)
        tally.outages[-1][1] = time.monotonic() + SETTLE_S
    return back_after


async def _status(client: httpx.AsyncClient, url: str) -> int:
    try:
        return (await client.get(url)).status_code
    except httpx.HTTPError:
        return 0


async def _lost(caller: Caller) -> list[str]:
    """What was acknowledged to a client, not forgotten by it, and is not there."""
    missing: list[str] = []
    async with Client(caller.url, auth=caller.token) as client:
        for memory_id in dict.fromkeys(caller.kept):
            answer = await client.call_tool("memory_get", {"memory_id": memory_id}, raise_on_error=False)
            missing += [memory_id] if answer.is_error else []
    return missing


def _told(
    tally: Tally,
    samples: list[tuple[float, float, int]],
    *,
    seconds: float,
    back_after: list[float],
    callers: list[Caller],
    lost: list[str],
) -> dict:
    calls = {name: len(times) for name, times in sorted(tally.seconds.items())}
    # The first fifth fills caches and pools.
    settled = [sample for sample in samples if sample[0] >= seconds / 5] or samples
    slope = float(np.polyfit([at for at, *_ in settled], [mib for _, mib, _ in settled], 1)[0]) if settled[1:] else 0.0
    kept = sum(len(dict.fromkeys(caller.kept)) for caller in callers)
    wrong = [*(f"lost: {memory_id}" for memory_id in lost[:20]), *tally.unexpected[:20]]
    every = max(1, len(samples) // 60)
    return {
        "soak": {
            "clients": len(callers),
            "minutes": seconds / 60,
            "calls that succeeded": sum(calls.values()),
            "calls a second": sum(calls.values()) / seconds,
            "kinds of call": len(calls),
            "kinds of call in the mix": len(_MIX),
            "errors that are the client's": sum(tally.errors[code] for code in _CALLERS_OWN),
            "errors while the engine was away": sum(tally.in_outage.values()),
            "errors that should not be": len(tally.unexpected),
            "acknowledged and not forgotten": kept,
            "of these lost": len(lost),
            **{f"ready again after kill {n}, s": back for n, back in enumerate(back_after, 1)},
            "server RSS MiB after a fifth": settled[0][1],
            "server RSS MiB at the end": settled[-1][1],
            "server RSS MiB at most": max(mib for _, mib, _ in samples),
            "RSS MiB an hour, fitted": slope * 3600,
            "connections at most": max(count for *_, count in samples),
            "connections, median": statistics.median(count for *_, count in samples),
        },
        "calls": calls,
        "median ms": {name: 1000 * statistics.median(times) for name, times in sorted(tally.seconds.items())},
        "errors": dict(tally.errors),
        "errors while the engine was away": dict(tally.in_outage),
        "RSS MiB by second": {f"{at:.0f}": round(mib, 1) for at, mib, _ in samples[::every]},
        "failed": {str(number): what for number, what in enumerate(wrong, 1)},
    }
