"""Scale: what recall, ingest, memory and disk cost at 10,000, 100,000 and 1,000,000 memories in banks of many sizes.

`--take` says how many thousand there are in all. They lie in six banks of 50 % to 1 %, half in English and half in
Chinese, with names by Zipf's law and a hub on one in ten, and are loaded by a statement of the bench's own; the ingest
that is measured goes through the product's write path, vectors and extraction given, into the largest bank. Recalls and
bare searches take turns, so that both meet the same load. `python -m bench.scale` draws what was kept of all sizes.
"""

import argparse
import dataclasses
import json
import os
import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import neo4j
import psutil
from uuid_utils import uuid7

import retrograph
from bench.ingest import DIMENSIONS, GivenNames, GivenVectors, made_turns
from bench.plans import HUB, QUIET, THREE_FILTERS, World, fill, recall_by, search_by
from retrograph import Memory
from retrograph.engine import Engine
from retrograph.memory.evaluating import percentile
from retrograph.memory.ingesting import ingest_turns
from retrograph.memory.writing import Writer
from retrograph.models import SearchFilter, Turn

SHARES = (0.5, 0.3, 0.1, 0.06, 0.03, 0.01)
WARMING, ASKED, COLD = 600, 100, 30
"""Recalls before the clock starts: until then Java compiles what they run. `cold` tells of the first ones."""
INGESTED, BATCH = 2_048, 512
LATE = datetime(2026, 6, 1, tzinfo=UTC)
SIZES = (10_000, 100_000, 1_000_000)
Row = dict[str, Any]


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Fills the banks up to the size asked for and measures everything once."""
    del folder
    total = 1_000 * max(1, arguments.take)
    if os.environ.get("RETROGRAPH_URI"):
        raise SystemExit("error: the size on disk is measured: unset RETROGRAPH_URI, so that there is a local engine")
    with retrograph.open() as memory:
        memory.warm()
        engine = Engine(memory.settings.engine, data_dir=memory.settings.data_dir, cache_dir=memory.settings.cache_dir)
        banks = [(_bank(memory, total, share), int(total * share)) for share in SHARES]
        connection = engine.start()
        signed = (connection.username, connection.password)
        with neo4j.GraphDatabase.driver(connection.uri, auth=signed, **QUIET) as driver:
            loaded = _filled(banks, driver)
            world = World(int(total * SHARES[0]), dimensions=DIMENSIONS, label="asking", mixed=True)
            largest, smallest = banks[0][0], banks[-1][0]
            result = {
                "memories": {"in all banks": total, "in the largest bank": largest.stats().memories},
                "loading": loaded,
                "recall in the largest bank": _compared(largest, world, driver),
                "recall in the smallest bank": _compared(smallest, world, driver),
                "ways of recall, largest bank, p50 ms": _ways(largest, world, driver),
                "ingest into the largest bank": _ingested(largest),
                "recall while writing": _while_writing(largest, world, driver),
                "cold": _cold(engine, largest, world),
            }
        return result | {"engine": _engine(engine, memory)}


def _bank(memory: Memory, total: int, share: float) -> Memory:
    name = f"bench-scale-{total}-{share:g}"
    return memory.for_identity(dataclasses.replace(memory.identity, bank=name))


def _filled(banks: list[tuple[Memory, int]], driver: neo4j.Driver) -> Row:
    seconds: list[float] = []
    for bank, count in banks:
        if bank.stats().memories < count:
            label = bank.identity.bank
            seconds += fill(bank, World(count, dimensions=DIMENSIONS, label=label, mixed=True), driver)
    if not seconds:
        return {"already there": True}
    tenth = max(1, len(seconds) // 10)
    first, last = sum(seconds[:tenth]) / tenth, sum(seconds[-tenth:]) / tenth
    return {"memories/s in the database": 500 / (sum(seconds) / len(seconds)), "last tenth / first, time": last / first}


def _timed(bank: Memory, world: World, driver: neo4j.Driver, where: SearchFilter, count: int) -> list[list[float]]:
    """Milliseconds of the recalls and of both bare searches, taking turns.

    One bare search is filtered by bank, audience and status, one by the product's one word.
    """
    times: list[list[float]] = [[], [], []]
    with driver.session() as session:
        for number in range(count):
            named = HUB if number % 10 == 0 else world.name()
            questions = [f"{named} {world.text(chinese=number % 2 == 1)}？" for _ in times]
            recalled = recall_by(session, bank, questions[0], where=where, vector=world.vector().tolist())
            times[0].append(1000 * recalled.seconds)
            for place, filters in enumerate((THREE_FILTERS, "x.audience IN $visible"), start=1):
                vector = world.vector().tolist()
                seconds = search_by(session, bank, questions[place], filters=filters, vector=vector)
                times[place].append(1000 * seconds)
    return times


def _compared(bank: Memory, world: World, driver: neo4j.Driver) -> Row:
    full, bare, one_word = (times[WARMING:] for times in _timed(bank, world, driver, SearchFilter(), WARMING + ASKED))
    told = {f"recall p{p} ms": percentile(full, p / 100) for p in (50, 95, 99)}
    told |= {f"bare search p{p} ms": percentile(bare, p / 100) for p in (50, 95)}
    told |= {"bare search, one filter word, p50 ms": percentile(one_word, 0.5)}
    return told | {"recall / bare": told["recall p50 ms"] / told["bare search p50 ms"]}


def _ways(bank: Memory, world: World, driver: neo4j.Driver) -> Row:
    ways = {
        "filtered to 1 % (domain)": SearchFilter(domain="rare"),
        "filtered to 0.1 % (tag)": SearchFilter(tags=("seldom",)),
        "deep": SearchFilter(deep=True),
        "as_of": SearchFilter(as_of=LATE),
        "since, 1 %": SearchFilter(since=datetime(2025, 1, 1, tzinfo=UTC), until=_one_percent(world)),
    }
    return {name: percentile(_timed(bank, world, driver, where, 60)[0][20:], 0.5) for name, where in ways.items()}


def _one_percent(world: World) -> datetime:
    return datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=13 * world.count // 100)


def _ingested(bank: Memory) -> Row:
    """Memories a second through the write path, vectors and extraction given."""
    writer = _writer(bank)
    turns = made_turns(2 * INGESTED, random.Random(str(uuid7())))
    _write(writer, bank, turns[:INGESTED])  # plans and caches
    started = time.perf_counter()
    _write(writer, bank, turns[INGESTED:])
    return {"memories/s": INGESTED / (time.perf_counter() - started)}


def _writer(bank: Memory) -> Writer:
    encoder = GivenVectors()
    encoder.name = bank._resources.encoder.name
    return Writer(bank._resources.graph, encoder, GivenNames(), settings=bank.settings)


def _write(writer: Writer, bank: Memory, turns: list[Turn]) -> None:
    new = [dataclasses.replace(turn, id=str(uuid7()), session=f"{turn.session} {uuid7()}") for turn in turns]
    ingest_turns(writer, new, identity=bank.identity, scope=None, force=True, batch_size=BATCH, progress=None)


def _while_writing(bank: Memory, world: World, driver: neo4j.Driver) -> Row:
    done = threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        writer = _writer(bank)
        while not done.is_set():
            _write(writer, bank, made_turns(64, random.Random(str(uuid7()))))
            written += 64

    writing = threading.Thread(target=write)
    writing.start()
    started = time.perf_counter()
    full, bare, _ = _timed(bank, world, driver, SearchFilter(), 60)
    seconds = time.perf_counter() - started
    done.set()
    writing.join()
    return {
        "recall p50 ms": percentile(full, 0.5),
        "recall p95 ms": percentile(full, 0.95),
        "bare search p50 ms": percentile(bare, 0.5),
        "written meanwhile, memories/s": written / seconds,
    }


def _cold(engine: Engine, bank: Memory, world: World) -> Row:
    """The first recalls after a start of the engine, through the whole product, and as many more."""
    engine.stop(force=True)
    started = time.perf_counter()
    engine.start()
    up = time.perf_counter() - started
    seconds = [_clocked(lambda n=n: bank.search(_question(world, n))) for n in range(2 * COLD)]
    told = {"engine start s": up, "first recall ms": 1000 * seconds[0]}
    for name, some in ((f"first {COLD}", seconds[:COLD]), (f"next {COLD}", seconds[COLD:])):
        told |= {f"{name}: p{p} ms": 1000 * percentile(some, p / 100) for p in (50, 95, 99)}
    return told


def _question(world: World, number: int) -> str:
    return f"{world.name()} {world.text(chinese=number % 2 == 1)}"


def _clocked(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _engine(engine: Engine, memory: Memory) -> Row:
    pid = engine.status().pid
    place = memory.settings.data_dir / "engine" / "data"
    return {
        "resident MiB": psutil.Process(pid).memory_info().rss / 2**20 if pid else 0,
        "this process, models in it, MiB": psutil.Process().memory_info().rss / 2**20,
        "heap MiB (setting)": memory.settings.engine.heap_mib,
        "page cache MiB (setting)": memory.settings.engine.page_cache_mib,
        "store MiB": _size(place, "databases", without="schema"),
        "indexes MiB": _size(place, "schema"),
        "transaction logs MiB": _size(place, "transactions"),
    }


def _size(place: Path, part: str, *, without: str = "") -> float:
    files = (f for f in place.rglob("*") if f.is_file() and part in f.parts and (not without or without not in f.parts))
    return sum(file.stat().st_size for file in files) / 2**20


def series(kept: list[dict]) -> dict[str, dict[str, list[float]]]:
    """What is drawn: for each panel its lines, for each line a value a size; what was not measured is no number."""

    def line(group: str, name: str) -> list[float]:
        values = [result.get(group, {}).get(name) for result in kept]
        return [float("nan") if value is None else value for value in values]

    largest, ways, cold = "recall in the largest bank", "ways of recall, largest bank, p50 ms", "cold"
    return {
        "Recall query, largest bank, warm, ms": {
            name: line(largest, f"{name} ms")
            for name in ("recall p50", "recall p95", "recall p99", "bare search p50", "bare search p95")
        },
        "Ways of recall, largest bank, p50 ms": {name: line(ways, name) for name in kept[0][ways]},
        "Recall through the product after a start, ms": {
            name: line(cold, f"{name} ms")
            for name in (f"first {COLD}: p50", f"first {COLD}: p95", f"next {COLD}: p50", f"next {COLD}: p95")
        },
        "Recall while writing, ms": {
            name: line("recall while writing", f"{name} ms") for name in ("recall p50", "recall p95", "bare search p50")
        },
        "Memories a second": {
            "loaded": line("loading", "memories/s in the database"),
            "through the write path": line("ingest into the largest bank", "memories/s"),
            "written while it is read": line("recall while writing", "written meanwhile, memories/s"),
        },
        "MiB": {name: line("engine", name) for name in ("resident MiB", "store MiB", "indexes MiB")},
    }


def draw(results: Path, picture: Path) -> None:
    """Draws what was kept of all sizes, each figure against the number of memories."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    files = [results / f"scale-{size}.json" for size in SIZES]
    kept = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]
    if not kept:
        raise SystemExit("error: nothing is kept: python -m bench scale --take 10 --save")
    at = [each["memories"]["in all banks"] for each in kept]
    figure, axes = pyplot.subplots(3, 2, figsize=(11, 12), layout="constrained")
    for axis, (title, lines) in zip(axes.flat, series(kept).items(), strict=True):
        for name, values in lines.items():
            axis.plot(at, values, marker="o", label=name)
        axis.set(title=title, xscale="log", ylim=(0, None), xlabel="memories")
        axis.legend(fontsize=8)
        axis.grid(alpha=0.3)
    figure.savefig(picture, dpi=90)


if __name__ == "__main__":
    draw(Path(__file__).parent / "results", Path(__file__).parent.parent / "docs" / "scale.png")
