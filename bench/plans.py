"""What a recall costs in a bank of many memories: rows and database hits of each step, and time beside a bare search.

Memories are made here from a seed: invented words and names by Zipf's law, one name in every tenth memory, vectors in
clusters beside vectors of no cluster, sessions of twenty turns, relations. They are loaded by a statement of the
bench's own, for reading and embedding texts is not what is measured. `--take` says how many thousand there are; the
default, 1, is for a quick look.
"""

import argparse
import dataclasses
import random
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import neo4j
import numpy as np

import retrograph
from retrograph import Memory, cypher
from retrograph.graph import open_bank_space
from retrograph.graph.records import digest, session_key
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

SEED = 11
WORDS, NAMES, CLUSTERS, TURNS = 4_000, 3_000, 200, 20
HUB, HUB_SHARE, CLUSTERED, RELATED = "Hubble 0", 0.1, 0.8, 0.3
BATCH, WARMING, ASKED = 500, 600, 100
_HAN = 0x4E00
QUIET = {"notifications_min_severity": "OFF"}
_HEADING = "// --- "
"""Begins each part of `recall.cypher`."""
THREE_FILTERS = "x.bank = $bank AND x.audience IN $visible AND x.status IN $statuses"
BARE = f"""CYPHER 25
MATCH (x:EmbeddingA)
SEARCH x IN (
  VECTOR INDEX embedding_a FOR $vector
  WHERE {THREE_FILTERS}
  LIMIT $pool
) SCORE AS score
MATCH (m:Memory {{id: x.id}})
RETURN m.id, score"""
LOAD = """CYPHER 25
UNWIND $rows AS row
CREATE (m:Memory:Semantic)
SET m = row.properties, m.identity_key = row.identity_key, m.source_keys = [row.source_key], m.source_count = 1
CREATE (x:EmbeddingA)
SET x = row.embedding.properties, x.vector = toFloatList(row.embedding.vector)
MERGE (s:Session {bank: $bank, key: row.session.key})
ON CREATE SET s.id = row.session.id, s.name = row.session.id
CREATE (m)-[:IN_SESSION]->(s)
WITH m, row
UNWIND row.mentions AS mention
MERGE (e:Entity {bank: $bank, key: mention.key})
ON CREATE SET e.name = mention.name, e.type = mention.type, e.is_name = true
CREATE (m)-[:MENTIONS {weight: 1.0, surface: mention.name}]->(e)"""
CHAIN = """CYPHER 25
UNWIND $pairs AS pair
MATCH (a:Memory {id: pair[0]}) MATCH (b:Memory {id: pair[1]})
CREATE (a)-[:NEXT]->(b)"""
RELATE = """CYPHER 25
UNWIND $rows AS row
MATCH (a:Entity {bank: $bank, key: row.pair[0]}) MATCH (b:Entity {bank: $bank, key: row.pair[1]})
MERGE (a)-[r:RELATES {predicate: 'knows', audience: row.audience, negated: false}]->(b)
ON CREATE SET r.weight = 0.8, r.is_current = true, r.memory_ids = [row.id]"""


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Fills a bank up to the size asked for, profiles one recall and times many."""
    del folder
    count = 1_000 * max(1, arguments.take)
    with retrograph.open() as memory:
        memory.warm()
        # Of one name for all runs: it is the same each time, and long to fill.
        bank = memory.for_identity(dataclasses.replace(memory.identity, bank=f"bench-plans-{count}"))
        world = World(count, dimensions=bank._resources.encoder.dimensions)
        settings = memory.settings
        if not settings.uri:
            raise SystemExit("set RETROGRAPH_URI and RETROGRAPH_PASSWORD: the profile is read from the driver itself")
        secret = settings.password.get_secret_value() if settings.password else ""
        with neo4j.GraphDatabase.driver(settings.uri, auth=(settings.username, secret), **QUIET) as driver:
            if bank.stats().memories < count:
                fill(bank, world, driver)
            return {"memories": {"in the bank": bank.stats().memories}} | measured(bank, world, driver)


class World:
    """Invented words, names and directions; the same for every run of one size."""

    def __init__(self, count: int, *, dimensions: int, label: str = "plans", mixed: bool = False) -> None:
        self.count, self.dimensions, self.label, self.mixed = count, dimensions, label, mixed
        self.draw = random.Random(f"{label} {SEED}" if mixed else SEED)
        letters = "bdfgklmnprstvz"
        self.words = [
            "".join(self.draw.choice(letters) + self.draw.choice("aeiou") for _ in range(self.draw.randint(2, 4)))
            for _ in range(WORDS)
        ]
        # More names in a larger bank, as in any text (Heaps' law, exponent one half).
        amount = int(NAMES * (count / 10_000) ** 0.5) + 1
        self.names = [f"{self.draw.choice(self.words).capitalize()} {n}" for n in range(1, amount)]
        self.frequent = np.cumsum(1 / np.arange(1, len(self.names) + 1))
        self.rng = np.random.default_rng(SEED)
        self.centres = self.rng.normal(size=(CLUSTERS, dimensions))

    def vector(self) -> np.ndarray:
        """Near one of the centres, as texts of one topic are; one in five is near nothing."""
        made = self.rng.normal(size=self.dimensions)
        if self.draw.random() < CLUSTERED:
            made += self.centres[self.rng.integers(CLUSTERS)]
        return (made / np.linalg.norm(made)).astype(np.float32)

    def text(self, *, chinese: bool = False) -> str:
        """A dozen words; low numbers far more often, as in any language."""
        numbers = [int(WORDS * self.draw.random() ** 3) for _ in range(12)]
        if chinese:
            return "".join(chr(_HAN + n // 64) + chr(_HAN + 200 + n % 64) for n in numbers)
        return " ".join(self.words[n] for n in numbers)

    def name(self) -> str:
        """A name, the n-th with a frequency of 1/n."""
        return self.names[int(np.searchsorted(self.frequent, self.draw.random() * self.frequent[-1]))]

    def mentions(self) -> list[str]:
        """One to four names, and the hub in one of ten."""
        hub = [HUB] if self.draw.random() < HUB_SHARE else []
        return sorted({self.name() for _ in range(self.draw.randint(1, 4))}) + hub

    def items(self, identity: Identity) -> Iterator[Item]:
        """All memories, sessions one after another."""
        start = datetime(2025, 1, 1, tzinfo=UTC)
        for number in range(self.count):
            names = self.mentions()
            at = start + timedelta(minutes=13 * number)
            chinese = self.mixed and number % 2 == 1
            said = (
                f"{'和'.join(names)}{self.text(chinese=True)}。" if chinese else f"{' and '.join(names)} {self.text()}."
            )
            draft = Draft(
                said,
                type=MemoryType.FACT,
                importance=0.5,
                scope=Scope.GLOBAL,
                session=f"session {number // TURNS}",
                domain="rare" if number % 100 == 0 else "common",
                tags=("seldom",) if number % 1000 == 0 else (),
                occurred_at=at,
            )
            memory_id = f"{self.label}-{self.count}-{number}"
            audience = identity.audience(Scope.GLOBAL)
            yield Item(
                number=number % BATCH,
                draft=draft,
                id=memory_id,
                at=at,
                audience=audience,
                language=Language.CHINESE if chinese else Language.ENGLISH,
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


def fill(bank: Memory, world: World, driver: neo4j.Driver) -> list[float]:
    """Loads all memories, some hundred a transaction; seconds of each transaction."""
    seconds: list[float] = []
    graph, encoder, identity = bank._resources.graph, bank._resources.encoder, bank.identity
    space = open_bank_space(graph, identity.bank, encoder=encoder.name, dimensions=encoder.dimensions)
    load = LOAD.replace("EmbeddingA", f"Embedding{space.slot.upper()}")
    last: tuple[str, str] | None = None
    with driver.session() as session:
        made = world.items(identity)
        while items := list(islice(made, BATCH)):
            rows = [memory_row(item, identity, encoder=encoder.name, timezone=ZoneInfo("UTC")) for item in items]
            for row in rows:
                row["properties"]["context"] = f"{row['properties']['date_words']}\n{row['properties']['content']}"
            told = ([last] if last else []) + [(session_key(identity, i.draft.session or ""), i.id) for i in items]
            last = told[-1]
            pairs = [[a[1], b[1]] for a, b in pairwise(told) if a[0] == b[0]]
            related = [
                {
                    "pair": [m["key"] for m in row["mentions"][:2]],
                    "audience": row["properties"]["audience"],
                    "id": row["id"],
                }
                for row in rows
                if len(row["mentions"]) > 1 and world.draw.random() < RELATED
            ]
            started = time.perf_counter()
            session.run(load, rows=rows, bank=identity.bank).consume()
            session.run(CHAIN, pairs=pairs).consume()
            session.run(RELATE, rows=related, bank=identity.bank).consume()
            seconds.append(time.perf_counter() - started)
    return seconds


class Recalled(NamedTuple):
    """A recall as the product asks for it, without its encoder and its Python.

    Args:
        seconds: Of both its queries, as they were waited for.
        database_ms: What the database says of its share, whole milliseconds a query.
        statement: Text and parameters of the second query.
    """

    seconds: float
    database_ms: int
    statement: tuple[str, dict[str, Any]]


def recall_by(
    session: neo4j.Session,
    bank: Memory,
    question: str,
    *,
    where: SearchFilter | None = None,
    vector: Sequence[float] | None = None,
) -> Recalled:
    """Asks the database for a recall, with another vector than the question's where one is given."""
    slot, seeds, rest = _prepared(bank, question, where, vector)
    started = time.perf_counter()
    found = session.run(*cypher.load("find_seeds").in_slot(slot).bind(seeds))
    begun = [seed for row in found for seed in row["seeds"]]
    statement = cypher.load("recall").in_slot(slot).bind(rest | {"seeds": begun})
    answered = session.run(*statement)
    answered.data()
    seconds = time.perf_counter() - started
    told = [result.consume() for result in (found, answered)]
    database_ms = sum((s.result_available_after or 0) + (s.result_consumed_after or 0) for s in told)
    return Recalled(seconds, database_ms, statement)


def search_by(
    session: neo4j.Session,
    bank: Memory,
    question: str,
    *,
    filters: str = THREE_FILTERS,
    vector: Sequence[float] | None = None,
) -> float:
    """Seconds of a bare filtered vector search, for what a recall would be asked for.

    As before a recall, a question is read and encoded just before: what comes after that finds the processor's caches
    emptied, and what comes after another search finds them full, which makes it take a third of the time.
    """
    slot, seeds, _ = _prepared(bank, question, None, vector)
    text = BARE.replace(THREE_FILTERS, filters)
    text = text.replace("EmbeddingA", f"Embedding{slot.upper()}").replace("_a ", f"_{slot} ")
    given = {name: seeds[name] for name in ("vector", "bank", "visible", "statuses", "pool")}
    started = time.perf_counter()
    session.run(text, given).data()
    return time.perf_counter() - started


def _prepared(
    bank: Memory, question: str, where: SearchFilter | None, vector: Sequence[float] | None
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The slot and the parameters of both queries of a recall."""
    recaller, options, where = bank._resources.recaller, SearchOptions(limit=5), where or SearchFilter()
    slot = recaller._space(bank.identity.bank).slot
    seeds, rest = recaller._parameters(
        recaller._read(question, where, options), identity=bank.identity, options=options
    )
    if vector is not None:
        seeds["vector"] = rest["vector"] = list(vector)
    return slot, seeds, rest


def measured(bank: Memory, world: World, driver: neo4j.Driver) -> dict:
    """Profiles one recall and times many beside bare searches, one after the other."""
    full_s, bare_s, asked, result = [], [], [], {}
    with driver.session() as session:
        for number in range(WARMING + ASKED):
            questions = (f"{HUB if number % 10 == 0 else world.name()} {world.text()}?" for _ in range(2))
            recalled = recall_by(session, bank, next(questions), vector=world.vector().tolist())
            full_s.append(recalled.seconds)
            asked.append(recalled.statement)
            bare_s.append(search_by(session, bank, next(questions), vector=world.vector().tolist()))
        steps = _steps(session, asked[-ASKED:])
        # After the timing, for the plan is made anew for it.
        text, given = asked[-1]
        result = _profile(session.run(f"PROFILE {text}", given).consume().profile)
    full_s, bare_s = full_s[WARMING:], bare_s[WARMING:]
    full, least = 1000 * percentile(full_s, 0.5), 1000 * percentile(bare_s, 0.5)
    return {
        "time": {
            "recall query p50 ms": full,
            "recall query p95 ms": 1000 * percentile(full_s, 0.95),
            "bare vector search p50 ms": least,
            "recall / bare": round(full / least, 2),
        },
        "second query, to the end of each part, p50 ms": steps,
    } | result


def _steps(session: neo4j.Session, asked: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, float]:
    """Median milliseconds to the end of each part of the recall's second query.

    Only the last brings an answer, the others a count. They take turns; the first half of the rounds is for their
    plans.
    """
    text = asked[0][0]
    parts, counted = text.split(_HEADING), "\nRETURN count(*) AS rows"
    until = {"nothing: the way there and back": f"CYPHER 25{counted}"}
    for number in range(1, len(parts) - 1):
        until[parts[number].partition(" ---")[0].partition(":")[0]] = _HEADING.join(parts[: number + 1]) + counted
    until["the blend and the answer"] = text
    times: dict[str, list[float]] = {title: [] for title in until}
    for _, given in asked:
        for title, statement in until.items():
            started = time.perf_counter()
            session.run(statement, given).data()
            times[title].append(time.perf_counter() - started)
    return {title: 1000 * percentile(seconds[len(seconds) // 2 :], 0.5) for title, seconds in times.items()}


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
