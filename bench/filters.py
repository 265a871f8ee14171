"""Filters that keep one memory in a hundred: still as many results as asked for, and no slower than without.

All memories are about pumps and so is every question: what bears on a question in no way is left out of any answer,
filter or not. `--take` says how many hundred memories there are; the default, ten, is a quick look.
"""

import argparse
import random
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import retrograph
from bench.asking import bank_of, ingest
from retrograph.memory.evaluating import mean, percentile
from retrograph.models import MemoryType, Source, Turn

SEED = 9
LIMIT, ROUNDS = 10, 15
_THINGS = "valve sensor gateway ledger invoice router battery printer scanner 阀门 传感器 网关 账本 发票".split()
_STATES = (
    "was replaced|failed at night|passed the test|is on order|was moved|被更换|夜里坏了|通过了测试|正在订购".split("|")
)
START = datetime(2025, 1, 1, tzinfo=UTC)


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Ingests, and asks the same questions with and without each filter."""
    del folder
    count = 100 * max(10, arguments.take)
    turns = planted(count)
    rare = {
        "domain": {"domain": "rare"},
        "tag": {"tags": ["rare"]},
        "session": {"session": "rare"},
        "metadata": {"metadata": {"site": "José's yard"}},
        "time": {"since": START, "until": START + timedelta(minutes=count // 100)},
        "type": {"types": [MemoryType.LESSON]},
        "source": {"source": Source.SYSTEM},
        "domain and type": {"domain": "rare", "types": [MemoryType.LESSON]},
    }
    draw = random.Random(SEED)
    questions = [f"which pump {draw.choice(_STATES)} beside the {draw.choice(_THINGS)}?" for _ in range(ROUNDS)]
    rows: dict[str, object] = {}
    with retrograph.open() as memory:
        memory.warm()
        bank = bank_of(memory, f"bench-filters-{count}")
        ingest(bank, turns, label="filters")
        for name, where in ({"none": {}} | rare).items():
            results, seconds = [], []
            bank.search(questions[0], limit=LIMIT, diversity=False, **where)
            for question in questions:
                started = time.perf_counter()
                found = bank.search(question, limit=LIMIT, diversity=False, preset=arguments.preset, **where)
                seconds.append(time.perf_counter() - started)
                results.append(len(found.hits))
            rows[f"{name}: results of {LIMIT}"] = mean(results)
            rows[f"{name}: p50 ms"] = 1000 * percentile(seconds, 0.5)
    return {f"filters that keep {count // 100} of {count:,}": rows}


def planted(count: int) -> list[Turn]:
    """One in a hundred is rare in every respect: the first ones in time."""
    draw = random.Random(SEED)
    turns = []
    for number in range(count):
        is_rare = number < count // 100
        turns.append(
            Turn(
                f"Pump no. {number} {draw.choice(_STATES)} beside the {draw.choice(_THINGS)}.",
                id=str(number),
                occurred_at=START + timedelta(minutes=number),
                type=MemoryType.LESSON if is_rare else MemoryType.EVENT,
                source=Source.SYSTEM if is_rare else Source.USER,
                session="rare" if is_rare else f"shift {number // 50}",
                domain="rare" if is_rare else "plant",
                tags=("rare",) if is_rare else ("common",),
                metadata={"site": "José's yard" if is_rare else "main"},
            )
        )
    draw.shuffle(turns)
    return turns
