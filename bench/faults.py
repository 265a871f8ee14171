"""Faults: writers, ingests, servers, batch jobs, re-embeddings and the engine are killed (SIGKILL) at random moments.

After every few kills and at the end: whatever was acknowledged is there, and `doctor --deep` finds nothing wrong. The
encoders are two of a stub on loopback, for what is killed must start quickly; all else is the product's own.
"""

import argparse
import asyncio
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
from fastmcp import Client

import retrograph
from bench.ingest import made_turns
from bench.resume import as_line
from bench.serving import BROKEN, served
from retrograph.cypher import CypherQuery
from retrograph.engine import Engine
from retrograph.memory import Memory
from retrograph.settings import Settings

SEED = 13
KILLS = 200
CHECKED_EVERY = 20
TURNS_PER_INGEST = 400
DIMENSIONS = 48
BANK = "faults"
SHARES = {"writer": 8, "ingest": 6, "consolidation": 6, "re-embedding": 4, "server": 3, "engine": 3}
_THERE = "MATCH (m:Memory|ArchivedMemory) WHERE m.bank = $bank AND m.id IN $ids RETURN collect(m.id) AS ids"
_ENCODER = "MATCH (b:Bank {name: $bank}) RETURN b.encoder AS encoder"
_WRITER = """
import json, sys
import retrograph
with retrograph.open() as memory:
    memory.warm()
    print("{}", flush=True)
    for number in range(100_000):
        text = f"Writer {sys.argv[1]} moved crate {number} to bay {number % 7}. 第{number}箱放在{number % 7}号位。"
        result = memory.write(text, force=True, metadata={"source_id": f"{sys.argv[1]}-{number}"})
        print(json.dumps({"id": result.id}), flush=True)
"""


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Kills as many times as `--take` says (200 without it)."""
    del folder
    if os.environ.get("RETROGRAPH_URI"):
        raise SystemExit("error: the engine is killed: unset RETROGRAPH_URI, so that there is one of its own")
    kills = arguments.take if arguments.take > 1 else KILLS
    with tempfile.TemporaryDirectory() as place, stub() as url:
        # An engine of its own: it is killed, and the encoders of a former run would fill its slots.
        own = {"DATA_DIR": f"{place}/data", "ENCODER": f"openai:{url}#a", "BANK": BANK}
        os.environ |= {f"RETROGRAPH_{name}": value for name, value in own.items()}
        run = Run(Path(place), url, random.Random(SEED))
        try:
            return run.go(kills)
        finally:
            run.engine.stop(force=True)


class Run:
    """One run over one bank.

    Args:
        place: Scratch folder.
        url: Where the encoders are.
        draw: What happens when.
    """

    def __init__(self, place: Path, url: str, draw: random.Random) -> None:
        self.place, self.url, self.draw = place, url, draw
        self.acknowledged: set[str] = set()
        self.told = 0
        self.killed: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.missing: set[str] = set()
        self.wrong: list[str] = []
        self.checks = 0
        self.encoder = "a"
        self.log = place / "log"
        settings = Settings.load()
        self.engine = Engine(settings.engine, data_dir=settings.data_dir, cache_dir=settings.cache_dir)

    def go(self, kills: int) -> dict:
        """Kills, checks, takes up what was cut off, and checks once more."""
        started = time.perf_counter()
        with retrograph.open() as memory:
            memory.write("The first crate stands in bay 0.", force=True)
        faults: dict[str, Callable[[], None]] = {
            "writer": self.writer, "ingest": self.ingest, "consolidation": self.consolidation,
            "re-embedding": self.reembedding, "server": self.server, "engine": self.engine_killed,
        }  # fmt: skip
        while sum(self.killed.values()) < kills:
            name = self.draw.choices(list(SHARES), weights=list(SHARES.values()))[0]
            before = sum(self.killed.values())
            faults[name]()
            done = sum(self.killed.values())
            if done // CHECKED_EVERY > before // CHECKED_EVERY:
                self.check()
                print(f"\rfaults: {done} of {kills} kills, {len(self.acknowledged)} acknowledged, "
                      f"{len(self.missing)} missing, {len(self.wrong)} wrong", file=sys.stderr, flush=True)  # fmt: skip
        self.finish()
        self.check()
        return {
            "faults": {
                "kills": sum(self.killed.values()),
                **{f"killed: {name}" if name != "engine" else "killed: engine, under a writer": n
                   for name, n in sorted(self.killed.items())},
                **{f"ended before the kill: {name}": n for name, n in sorted(self.ended.items())},
                "acknowledged": len(self.acknowledged),
                "of these missing": len(self.missing),
                "checks (doctor --deep)": self.checks,
                "found wrong": len(self.wrong),
                "minutes": round((time.perf_counter() - started) / 60, 1),
            },
            "wrong": {str(number): what for number, what in enumerate(self.wrong, 1)},
        }  # fmt: skip

    # --- What is killed ---------------------------------------------------------------------------------------------

    def writer(self) -> None:
        """One that writes one memory after another."""
        self._end("writer", self._writing(), after=self.draw.uniform(0, 3))

    def ingest(self) -> None:
        """The command that reads a file; what it told before it was killed may be told again."""
        self._end("ingest", self._command("ingest", str(self._file())), after=self.draw.uniform(2, 12))

    def consolidation(self) -> None:
        """The batch job."""
        self._end("consolidation", self._command("consolidate", "--wait", "90"), after=self.draw.uniform(2, 9))

    def reembedding(self) -> None:
        """The move to the other encoder; a run that ends moves the bank, one that is killed is taken up by the next."""
        other = "b" if self.encoder == "a" else "a"
        self._end(
            "re-embedding", self._command("reembed", "--wait", "90", encoder=other), after=self.draw.uniform(1, 12)
        )
        with retrograph.open() as memory:
            self.encoder = _ask(memory, _ENCODER)[0]["encoder"].rpartition("#")[2]

    def server(self) -> None:
        """The server, under a client that writes."""
        try:
            with served(self.place / "server.log", encoder=self._name(self.encoder), bank=BANK) as server:
                writing = threading.Thread(target=lambda: asyncio.run(self._calls(server.url)))
                writing.start()
                time.sleep(self.draw.uniform(0.5, 4))
                server.process.send_signal(signal.SIGKILL)
                writing.join()
                self.killed["server"] += 1
        except SystemExit as error:
            self.wrong.append(f"server: {error}")

    def engine_killed(self) -> None:
        """The engine, under a writer that goes on writing once it is back."""
        process = self._writing()
        time.sleep(self.draw.uniform(0, 2))
        pid = self.engine.status().pid
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            self.killed["engine"] += 1
        self._end("writer", process, after=self.draw.uniform(10, 25))

    def _writing(self) -> subprocess.Popen[str]:
        self.told += 1
        process = self._popen([sys.executable, "-c", _WRITER, str(self.told)], self.encoder)
        assert process.stdout
        process.stdout.readline()  # it is open
        return process

    async def _calls(self, url: str) -> None:
        try:
            async with Client(url) as client:
                for number in range(100_000):
                    text = f"Caller {self.told} stacked pallet {number}."
                    answer = await client.call_tool("memory_write", {"content": text, "force": True})
                    self.acknowledged.add((answer.structured_content or {})["id"])
        except BROKEN:
            self.told += 1

    def _command(self, *words: str, encoder: str | None = None) -> subprocess.Popen[str]:
        return self._popen([sys.executable, "-m", "retrograph", *words, "--json"], encoder or self.encoder)

    def _popen(self, command: list[str], encoder: str) -> subprocess.Popen[str]:
        env = os.environ | {"RETROGRAPH_ENCODER": self._name(encoder)}
        with self.log.open("ab") as stderr:
            return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=stderr, text=True)

    def _name(self, encoder: str) -> str:
        return f"openai:{self.url}#{encoder}"

    def _file(self) -> Path:
        """A file of turns; one in three is a file of before, told again."""
        number = self.draw.randint(1, 60)
        file = self.place / f"turns-{number}.jsonl"
        turns = made_turns(TURNS_PER_INGEST, random.Random(number))
        file.write_text("".join(as_line(turn, prefix=f"{number}-") for turn in turns), encoding="utf-8")
        return file

    def _end(self, name: str, process: subprocess.Popen[str], *, after: float) -> bool:
        """Kills it after so many seconds; what it had said by then is acknowledged. Whether it had ended by itself."""
        try:
            said, _ = process.communicate(timeout=after)
            ended = process.returncode == 0
            self.ended[name if ended else f"{name}, with an error"] += 1
            if not ended and name != "writer":
                self.wrong.append(f"{name} failed: {said[-300:]}")
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            said, _ = process.communicate()
            ended = False
            self.killed[name] += 1
        for line in said.splitlines():
            told = _read(line)
            self.acknowledged.update(filter(None, [told.get("id"), *(told.get("ids") or [])]))
        return ended

    # --- What must hold ---------------------------------------------------------------------------------------------

    def check(self) -> None:
        """All that was acknowledged is there, and the deep check finds nothing."""
        self.checks += 1
        with retrograph.open() as memory:
            ids = sorted(self.acknowledged)
            there: set[str] = set()
            for start in range(0, len(ids), 1000):
                there |= set(_ask(memory, _THERE, ids=ids[start : start + 1000])[0]["ids"])
            self.missing |= self.acknowledged - there
        process = self._command("doctor", "--deep")
        said, _ = process.communicate()
        report = json.loads(said) if said.strip() else {}
        self.wrong += [f"check {self.checks}: {fault}" for fault in faults_of(report, process.returncode)]

    def finish(self) -> None:
        """What was cut off is taken up and ended."""
        for words in (("reembed", "--wait", "90"), ("ingest", str(self._file())), ("consolidate", "--wait", "120")):
            process = self._command(*words)
            process.communicate()
            if process.returncode != 0:
                self.wrong.append(f"{words[0]} could not be ended: exit {process.returncode}")


def faults_of(report: dict, code: int) -> list[str]:
    """What a deep check found; the lease of a killed process is no fault: it ends by itself."""
    if not report:
        return [f"doctor gave no answer: exit {code}"]
    bad = [c for c in report["checks"] if c["status"] != "ok" and c["name"].startswith("bank: ")]
    return [f"{c['name']}: {c['message']}" for c in bad if c["name"] != "bank: lease"]


def _read(line: str) -> dict:
    try:
        told = json.loads(line)
    except json.JSONDecodeError:  # cut off in the middle
        return {}
    return told if isinstance(told, dict) else {}


def _ask(memory: Memory, text: str, **params: object) -> list[dict]:
    query = CypherQuery(
        name="bench", purpose="", text=f"CYPHER 25 {text}", mode="read",
        params=dict.fromkeys(["bank", *params], "ANY"), returns={},
    )  # fmt: skip
    return memory._resources.graph.run(query, bank=memory.identity.bank, **params)


@contextmanager
def stub() -> Generator[str]:
    """Two encoders, `a` and `b`: a vector depends on the text and the model's name alone."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
            data = [{"index": n, "embedding": _vector(asked["model"], text)} for n, text in enumerate(texts)]
            body = json.dumps({"data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


def _vector(model: str, text: str) -> list[float]:
    seed = int.from_bytes(hashlib.sha256(f"{model}\0{text}".encode()).digest()[:8])
    made = np.random.default_rng(seed).normal(size=DIMENSIONS)
    return (made / np.linalg.norm(made)).round(6).tolist()
