"""What a recall costs in a bank of many memories: rows and database hits of each step, and time beside a bare search.

Memories are made here from a seed: invented words and names, vectors in clusters, sessions of twenty turns. They are
written by the same statements as all others; only reading their texts and embedding them is left out.
`--take` says how many thousand there are; the default, 1, is for a quick look.
"""

import argparse
import dataclasses
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import neo4j
import numpy as np

import retrograph
from retrograph import Memory, cypher
from retrograph.graph import open_bank_space
from retrograph.graph.records import digest
from retrograph.graph.store import Batch, write_batch
from retrograph.memory.drafts import Draft
from retrograph.memory.evaluating import percentile
from retrograph.memory.items import Item
from retrograph.memory.rows import memory_row
from retrograph.models import (
    EntityMention,
    EntityType,
    Extraction,
    Identity,
    Language,
    MemoryType,
    Scope,
    SearchFilter,
    Status,
)
from retrograph.retrieval import SearchOptions
from retrograph.retrieval.blend import Blend

SEED = 11
WORDS, NAMES, CLUSTERS, TURNS = 4_000, 3_000, 200, 20
BATCH, ASKED = 500, 60
QUIET = {"notifications_min_severity": "OFF"}
BARE = """CYPHER 25
MATCH (x:EmbeddingA)
SEARCH x IN (
  VECTOR INDEX embedding_a FOR $vector
  WHERE x.bank = $bank AND x.audience IN $audiences AND x.status IN $statuses
  LIMIT $pool
) SCORE AS score
MATCH (m:Memory {id: x.id})
RETURN m.id, score"""


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Fills a bank up to the size asked for, profiles one recall and times many."""
    del folder
    count = 1_000 * max(1, arguments.take)
    with retrograph.open() as memory:
        memory.warm()
        # Of one name for all runs: it is the same each time, and long to fill.
        bank = memory.for_identity(dataclasses.replace(memory.identity, bank=f"bench-plans-{count}"))
        world = World(count, dimensions=bank._resources.encoder.dimensions)
        if bank.stats().memories < count:
            fill(bank, world)
        settings = memory.settings
        if not settings.uri:
            raise SystemExit("set RETROGRAPH_URI and RETROGRAPH_PASSWORD: the profile is read from the driver itself")
        secret = settings.password.get_secret_value() if settings.password else ""
        with neo4j.GraphDatabase.driver(settings.uri, auth=(settings.username, secret), **QUIET) as driver:
            return {"memories": {"in the bank": bank.stats().memories}} | _measured(bank, world, driver)


class World:
    """Invented words, names and directions; the same for every run of one size."""

    def __init__(self, count: int, *, dimensions: int) -> None:
        self.count, self.dimensions = count, dimensions
        self.draw = random.Random(SEED)
        letters = "bdfgklmnprstvz"
        self.words = [
            "".join(self.draw.choice(letters) + self.draw.choice("aeiou") for _ in range(self.draw.randint(2, 4)))
            for _ in range(WORDS)
        ]
        self.names = [f"{self.draw.choice(self.words).capitalize()} {n}" for n in range(NAMES)]
        rng = np.random.default_rng(SEED)
        self.centres = rng.normal(size=(CLUSTERS, dimensions))
        self.rng = rng

    def vector(self) -> np.ndarray:
        """Near one of the centres, as texts of one topic are."""
        made = self.centres[self.rng.integers(CLUSTERS)] + self.rng.normal(size=self.dimensions)
        return (made / np.linalg.norm(made)).astype(np.float32)

    def text(self) -> str:
        """A dozen words; low numbers far more often, as in any language."""
        return " ".join(self.words[int(WORDS * self.draw.random() ** 3)] for _ in range(12))

    def mentions(self) -> list[str]:
        """One to four names, some of them hubs."""
        return sorted({self.names[int(NAMES * self.draw.random() ** 2)] for _ in range(self.draw.randint(1, 4))})

    def items(self, identity: Identity) -> Iterator[Item]:
        """All memories, sessions one after another."""
        start = datetime(2025, 1, 1, tzinfo=UTC)
        for number in range(self.count):
            names = self.mentions()
            at = start + timedelta(minutes=13 * number)
            draft = Draft(
                f"{' and '.join(names)} {self.text()}.",
                type=MemoryType.FACT,
                importance=0.5,
                scope=Scope.GLOBAL,
                session=f"session {number // TURNS}",
                occurred_at=at,
            )
            memory_id = f"plans-{self.count}-{number}"
            audience = identity.audience(Scope.GLOBAL)
            yield Item(
                number=number % BATCH,
                draft=draft,
                id=memory_id,
                at=at,
                audience=audience,
                language=Language.ENGLISH,
                times=(),
                identity_key=digest(identity.bank, audience, memory_id),
                source_key=digest(identity.bank, memory_id),
                flags=(),
                status=Status.ACTIVE,
                extraction=Extraction(
                    Language.ENGLISH, tuple(EntityMention(n, EntityType.PERSON, n, weight=1.0) for n in names)
                ),
                vector=self.vector(),
                type=MemoryType.FACT,
            )


def fill(bank: Memory, world: World) -> None:
    """Writes all memories, a batch a transaction."""
    graph, encoder = bank._resources.graph, bank._resources.encoder
    space = open_bank_space(graph, bank.identity.bank, encoder=encoder.name, dimensions=encoder.dimensions)
    batch: list[dict] = []
    for item in world.items(bank.identity):
        batch.append(memory_row(item, bank.identity, encoder=encoder.name, timezone=ZoneInfo("UTC")))
        if len(batch) == BATCH:
            write_batch(graph, bank.identity.bank, Batch(rows=batch), slot=space.slot, at=datetime.now(UTC))
            batch = []
    if batch:
        write_batch(graph, bank.identity.bank, Batch(rows=batch), slot=space.slot, at=datetime.now(UTC))


def _measured(bank: Memory, world: World, driver: neo4j.Driver) -> dict:
    recaller, identity = bank._resources.recaller, bank.identity
    space = bank._resources.recaller._space(identity.bank)
    query = cypher.load("recall").in_slot(space.slot)
    bare = BARE.replace("EmbeddingA", f"Embedding{space.slot.upper()}").replace("_a ", f"_{space.slot} ")
    full_s, bare_s, result = [], [], {}
    with driver.session() as session:
        for number in range(ASKED):
            question = f"{world.draw.choice(world.names)} {world.text()}?"
            params = recaller._parameters(
                question, identity=identity, where=SearchFilter(), options=SearchOptions(limit=5), blend=Blend()
            )
            params["vector"] = world.vector().tolist()
            text, given = query.bind(params)
            few = {name: given[name] for name in ("vector", "bank", "audiences", "statuses", "pool")}
            for statement, sent, times in ((text, given, full_s), (bare, few, bare_s)):
                started = time.perf_counter()
                session.run(statement, sent).data()
                times.append(time.perf_counter() - started)
            if number == ASKED - 1:
                # After the timing, for the plan is made anew for it.
                result = _profile(session.run(f"PROFILE {text}", given).consume().profile)
    full_s, bare_s = full_s[5:], bare_s[5:]
    full, least = 1000 * percentile(full_s, 0.5), 1000 * percentile(bare_s, 0.5)
    return {
        "time": {
            "recall query p50 ms": full,
            "recall query p95 ms": 1000 * percentile(full_s, 0.95),
            "bare vector search p50 ms": least,
            "recall / bare": round(full / least, 2),
        },
    } | result


def _profile(plan: dict) -> dict:
    """Operators by rows and hits, most hits first, and the whole."""
    rows: list[tuple[str, int, int]] = []

    def walk(node: dict) -> None:
        args = node.get("args", {})
        details = " ".join(str(args.get("Details", "")).split())[:90]
        name = node["operatorType"].partition("@")[0]
        rows.append((f"{name} {details}".strip(), int(args.get("Rows", 0)), int(args.get("DbHits", 0))))
        for child in node.get("children", ()):
            walk(child)

    walk(plan)
    total = sum(hits for _, _, hits in rows)
    # The three hops have the same operators: they count as one.
    same: dict[str, tuple[int, int]] = {}
    for name, n, hits in rows:
        before = same.get(name, (0, 0))
        same[name] = (before[0] + n, before[1] + hits)
    top = sorted(((name, n, hits) for name, (n, hits) in same.items()), key=lambda row: -row[2])[:25]
    return {
        "profile": {"operators": len(rows), "database hits": total},
        "rows, hits": {name: f"{n:,} rows {hits:,} hits" for name, n, hits in top},
    }
