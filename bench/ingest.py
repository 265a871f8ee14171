"""Ingest: memories a second into Neo4j with vectors and extraction given, and what each step costs when they are not.

Texts are made here from a seed, with names drawn by Zipf's law, in English and Chinese.
"""

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from uuid_utils import uuid7

import retrograph
from bench.asking import bank_of
from retrograph.encoders import Calibration
from retrograph.extraction import Extractor
from retrograph.memory.ingesting import ingest_turns
from retrograph.memory.writing import Writer
from retrograph.models import EntityMention, EntityType, Extraction, Language, RelationMention, Turn

SEED = 11
GIVEN = 6_000
READ = 1_024
WARMED = 512
"""Memories ingested before the clock starts, for plans and caches."""
BATCH = 512
DIMENSIONS = 384
STEPS = ("_look_up", "_extract", "_encode", "_neighbourhood", "_resolve_conflicts", "_commit")
_NAMES = 2_000
_EXPONENT = 1.3


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Ingests made-up turns twice: everything given, then everything read and encoded."""
    del folder, arguments
    with retrograph.open() as memory:
        memory.warm()
        resources = memory._resources
        given = Writer(resources.graph, GivenVectors(), GivenNames(), settings=memory.settings)
        full = Writer(resources.graph, resources.encoder, Extractor(), settings=memory.settings)
        full.warm()
        result: dict[str, dict] = {}
        for name, writer, count in (("given", given, GIVEN), ("read and encoded", full, READ)):
            bank = bank_of(memory, f"bench-ingest-{uuid7()}")
            turns = made_turns(count + WARMED, random.Random(SEED))
            _ingest(writer, turns[:WARMED], bank)
            seconds, steps = timed(writer, partial(_ingest, writer, turns[WARMED:], bank))
            result[f"{name}: speed"] = {"memories": count, "memories/s": round(count / seconds, 1)}
            shares = {step.strip("_"): round(100 * steps[step] / seconds, 1) for step in STEPS}
            result[f"{name}: share of the time, %"] = shares | {"the rest": round(100 - sum(shares.values()), 1)}
    return result


def timed(writer: Writer, work: Callable[[], Any]) -> tuple[float, dict[str, float]]:
    """Seconds of the work, and of each step of the writer in it."""
    spent: dict[str, float] = defaultdict(float)
    for step in STEPS:
        setattr(writer, step, _clocked(getattr(writer, step), step, spent))
    started = time.perf_counter()
    work()
    return time.perf_counter() - started, spent


def _clocked(function: Callable[..., Any], step: str, spent: dict[str, float]) -> Callable[..., Any]:
    def clocked(*args: Any, **more: Any) -> Any:
        started = time.perf_counter()
        try:
            return function(*args, **more)
        finally:
            spent[step] += time.perf_counter() - started

    return clocked


def _ingest(writer: Writer, turns: Sequence[Turn], bank: retrograph.Memory) -> None:
    ingest_turns(writer, turns, identity=bank.identity, scope=None, force=True, batch_size=BATCH, progress=None)


def made_turns(count: int, draw: random.Random) -> list[Turn]:
    """Turns of ten speakers in sessions of fifty."""
    verbs = ("deployed", "reviewed", "moved", "tested", "documented", "replaced")
    start = datetime(2026, 1, 1, tzinfo=UTC)
    turns = []
    for number in range(count):
        a, b = (_name(draw) for _ in range(2))
        chinese = number % 2 == 1
        chinese_text = f"我们第{number}次把 {a} 和 {b} 一起部署好了。"
        text = chinese_text if chinese else f"We {draw.choice(verbs)} {a} next to {b}, build {number}."
        turns.append(
            Turn(
                content=text,
                speaker=f"Speaker{number % 10}",
                session=f"session {number // 50}",
                occurred_at=start + timedelta(minutes=number),
                id=str(number),
            )
        )
    return turns


def _name(draw: random.Random) -> str:
    rank = min(_NAMES, int(draw.paretovariate(_EXPONENT - 1)))
    return f"Service{rank}"


class GivenVectors:
    """An encoder that costs nothing: texts about the same service lie at a cosine of .4, others near 0."""

    name = "bench-given"
    dimensions = DIMENSIONS
    calibration = Calibration(floor=0.0, ceiling=0.62)

    def warm(self) -> None: ...

    def __init__(self) -> None:
        self._draw = np.random.default_rng(SEED)
        self._topics: dict[str, np.ndarray] = {}

    def encode_documents(self, texts: Sequence[str]) -> np.ndarray:
        noise = self._draw.standard_normal((len(texts), DIMENSIONS)).astype(np.float32)
        rows = np.stack([self._topic(text) for text in texts]) + 1.22 * noise
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def _topic(self, text: str) -> np.ndarray:
        name = next(iter(_services(text)), "")
        if name not in self._topics:
            self._topics[name] = self._draw.standard_normal(DIMENSIONS).astype(np.float32)
        return self._topics[name]

    def encode_query(self, text: str) -> np.ndarray:
        return self.encode_documents([text])[0]


def _services(text: str) -> list[str]:
    words = text.replace("，", " ").replace(",", " ").split()
    return [word for word in words if word.startswith("Service")]


class GivenNames(Extractor):
    """An extractor that finds the two services of each text and their relation."""

    def warm(self) -> None: ...

    def extract_many(self, texts: Sequence[str], **_: Any) -> list[Extraction]:
        return [self._of(text) for text in texts]

    def _of(self, text: str) -> Extraction:
        names = _services(text)
        entities = tuple(EntityMention(name, EntityType.PRODUCT, name) for name in dict.fromkeys(names))
        relations = tuple(RelationMention(a, "uses", b) for a, b in [names[:2]] if a != b)
        return Extraction(Language.ENGLISH, entities, relations)
