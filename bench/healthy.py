"""Consolidation of banks of which it is known what is a duplicate, expired, faded, a cluster, a contradiction."""

import argparse
import json
import multiprocessing
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from retrograph.consolidation import Consolidator
from retrograph.cypher import CypherQuery
from retrograph.encoders.calibration import Calibration
from retrograph.graph import Graph, open_bank_space
from retrograph.graph.records import NEVER_MS, digest, filter_tokens, visible_as
from retrograph.memory import open_memory
from retrograph.settings import ConsolidationSettings, Settings

SIZES = (5_000, 20_000, 50_000)
NOW = datetime(2026, 6, 15, tzinfo=UTC)
DIMENSIONS = 384
_BATCH = 1_000
_OLD = NOW - timedelta(days=100)

_EN = ("warehouse", "gateway", "scheduler", "invoice run", "mail relay", "render farm", "payroll", "search index")
_ZH = ("仓库系统", "支付网关", "调度程序", "发票任务", "邮件中继", "渲染集群", "工资系统", "搜索索引")


class HashEncoder:
    """Vectors that depend on the text alone: what is measured is the consolidation, not an encoder."""

    name = "bench-hash"
    dimensions = DIMENSIONS
    calibration = Calibration(floor=0.2, ceiling=0.95)

    def encode_documents(self, texts):
        return np.stack([vector_of(text) for text in texts])

    def encode_query(self, text):
        return vector_of(text)

    def warm(self):
        """Nothing to load."""


def vector_of(text: str) -> np.ndarray:
    """A unit vector of a text."""
    seed = int(digest(text)[:15], 16)
    vector = np.random.default_rng(seed).normal(size=DIMENSIONS).astype(np.float32)
    return vector / np.linalg.norm(vector)


@dataclass
class Planted:
    """What a bank was planted with, by what has to become of it."""

    bank: str
    size: int
    duplicates: dict[str, str] = field(default_factory=dict)
    expired: set[str] = field(default_factory=set)
    faded: set[str] = field(default_factory=set)
    clusters: list[frozenset[str]] = field(default_factory=list)
    rules: list[frozenset[str]] = field(default_factory=list)
    links: set[tuple[str, str]] = field(default_factory=set)
    names: set[frozenset[str]] = field(default_factory=set)
    contradictions: int = 0
    look_alikes: int = 0


class Planter:
    """Makes the memories of one bank in an order that no job relies on."""

    def __init__(self, bank: str, size: int) -> None:
        self.random = random.Random(size)
        self.planted = Planted(bank, size)
        self.rows: list[dict[str, Any]] = []
        self.links: list[dict[str, Any]] = []
        self.relations: list[dict[str, Any]] = []
        self.pairs: list[dict[str, Any]] = []
        self._count = 0

    def memory(self, content: str, *names: str, like: str | None = None, **more: Any) -> str:
        self._count += 1
        memory_id = f"{digest(self.planted.bank, str(self._count))}"
        kind = more.pop("type", "fact")
        layer = {"fact": "Semantic", "event": "Episodic", "lesson": "Procedural"}[kind]
        language = "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in content) else "en"
        at = more.pop("at", NOW - timedelta(days=5))
        properties = {
            "id": memory_id, "bank": self.planted.bank, "content": content, "name": content[:60], "type": kind,
            "layer": layer.lower(), "audience": "g", "scope": "global", "status": "active", "source": "user",
            "language": language, "importance": 0.5, "confidence": 0.9, "occurred_at": at, "created_at": at,
            "updated_at": at, "access_count": 1, "feedback": 0, "source_count": 1, "source_keys": [memory_id],
            "pinned": False, "version": 1, "identity_key": memory_id, "own_key": memory_id, "tags": [],
            "context": content, "date_words": "", "relations": [], "claim_keys": [], "asks": 0.0,
            "filter_tokens": filter_tokens(
                bank=self.planted.bank, audience="g", status="active", type=kind, source="user", domain=None,
                session=None, tags=(), metadata=None, claim_keys=[],
            ),
        }  # fmt: skip
        vector = vector_of(like or content)
        self.rows.append({"properties": properties | more, "layer": layer, "names": list(names), "vector": vector})
        return memory_id

    def plant(self) -> Planted:
        """Makes all of it; what is left of the size is filled with statements that nothing may touch."""
        size, planted = self.planted.size, self.planted
        for n in range(size // 50):
            text = self._statement(n)
            stays = self.memory(text, *self._names(n), importance=0.6)
            planted.duplicates[self.memory(self._said_again(text), *self._names(n), like=text)] = stays
        for n in range(size // 50):
            planted.expired.add(self.memory(f"{self._statement(n)} until {n}", expires_at=NOW - timedelta(hours=n + 1)))
        for n in range(3 * size // 100):
            planted.faded.add(self.memory(f"{self._statement(n)} by chance {n}", importance=0.1, at=_OLD))
        for n in range(size // 100):
            for port in (8_000 + n, 9_000 + n):
                self.memory(f"Service {n} listens on port {port}.", f"Service {n}", like=f"port of service {n}")
            planted.contradictions += 1
        self._clusters(size // 500)
        self._lessons(size // 1_000)
        self._entities(size // 1_000)
        self._weak_links(size // 200)
        while self._count < size:
            self.memory(f"{self._statement(self._count)} (entry {self._count})", *self._names(self._count))
        return planted

    def _statement(self, n: int) -> str:
        if n % 3 == 0:
            return f"The {_EN[n % 8]} of team {n} writes its reports to bucket b{n}."
        if n % 3 == 1:
            return f"第{n}组的{_ZH[n % 8]}把报告写到存储桶b{n}。"
        return f"第{n}组的 {_EN[n % 8]} 把 report 写到 bucket b{n}。"

    def _said_again(self, text: str) -> str:
        return text.replace("The ", "the ").rstrip(".。") + ("!" if text.isascii() else "！")

    def _names(self, n: int) -> tuple[str, ...]:
        entities = max(20, self.planted.size // 20)
        return tuple(f"Entity {int(entities * self.random.random() ** 3)}" for _ in range(3))

    def _clusters(self, count: int) -> None:
        for n in range(count):
            name = f"工程 {n}" if n % 2 else f"Project {n}"
            told = "第{k}次检查了{name}的进度。" if n % 2 else "Visit {k} looked at the progress of {name}."
            first = _OLD.replace(day=1) + timedelta(days=n % 20)
            ids = [
                self.memory(
                    told.format(k=k, name=name), name, f"Step {n} {k}", type="event", at=first + timedelta(hours=k)
                )
                for k in range(8)
            ]
            self.planted.clusters.append(frozenset(ids))

    def _lessons(self, count: int) -> None:
        for n in range(count):
            worker = f"worker w{n}"
            said = [
                f"Restart {worker} before the import.",
                f"Always restart {worker} before the import.",
                f"Restart the whole {worker} before an import.",
            ]
            ids = [
                self.memory(text, f"Worker {n}", type="lesson", session_id=f"task {n} {k}", like=f"lesson {n}")
                for k, text in enumerate(said)
            ]
            self.planted.rules.append(frozenset(ids))

    def _entities(self, count: int) -> None:
        """Names of one thing with two facts in common, and names that only look alike, with as many."""
        for n in range(count):
            for first, second, confidence in (
                (f"data forge{n}x", f"dataforge{n}x", 0.9),
                (f"marian{n}x", f"marion{n}x", 0.44),
            ):
                for name in (first, second):
                    for predicate in ("made_by", "runs_on"):
                        memory = self.memory(f"{name} {predicate} place {n}", name, f"Place {predicate} {n}")
                        self.relations.append({"s": name, "p": predicate, "o": f"place {predicate} {n}", "m": memory})
                self.pairs.append({"first": first, "second": second, "confidence": confidence})
                if confidence > 0.8:
                    self.planted.names.add(frozenset((first, second)))
                else:
                    self.planted.look_alikes += 1

    def _weak_links(self, count: int) -> None:
        for n in range(count):
            one = self.memory(f"Cause {n} of the outage.")
            other = self.memory(f"Effect {n} of the outage.")
            self.links.append({"a": one, "b": other, "strength": 0.1})
            self.links.append({"a": other, "b": one, "strength": 0.9})
            self.planted.links.add((one, other))


def _query(text: str, *params: str) -> CypherQuery:
    return CypherQuery("bench", "", f"CYPHER 25 {text}", "write", dict.fromkeys(params, "ANY"), {})


def _batches(rows: list[Any]) -> Iterator[list[Any]]:
    return (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))


def write(graph: Graph, planter: Planter, slot: str) -> None:
    """Puts a planted bank into the graph in bulk."""
    planter.random.shuffle(planter.rows)
    label = f"Embedding{slot.upper()}"
    bank = planter.planted.bank
    visible = visible_as(bank, "g", "active")
    embed = (
        f"UNWIND $rows AS row CREATE (m:Memory) SET m = row.properties, m:$(row.layer) CREATE (x:{label}) "
        "SET x = {id: m.id, bank: m.bank, audience: $visible, status: 'active', type: m.type, domain: '', session: '', "
        "source: 'user', occurred_ms: m.occurred_at.epochMillis, until_ms: $never, vector: row.vector} "
        "WITH row, m UNWIND row.names AS name MERGE (e:Entity {bank: m.bank, key: toLower(name)}) "
        "ON CREATE SET e.name = name, e.type = 'concept', e.is_name = true, e.created_at = m.created_at "
        "MERGE (m)-[r:MENTIONS]->(e) SET r.weight = 1.0, r.surface = name"
    )
    for rows in _batches(planter.rows):
        sent = [row | {"vector": row["vector"].tolist()} for row in rows]
        graph.run(_query(embed, "rows", "never", "visible"), rows=sent, never=NEVER_MS, visible=visible)
    relate = (
        "UNWIND $rows AS row MATCH (s:Entity {bank: $bank, key: row.s}) MATCH (o:Entity {bank: $bank, key: row.o}) "
        "MERGE (s)-[r:RELATES {predicate: row.p, audience: 'g', negated: false}]->(o) "
        "SET r.memory_ids = [row.m], r.weight = 1.0, r.is_current = true"
    )
    link = (
        "UNWIND $rows AS row MATCH (a:Memory {id: row.a}) MATCH (b:Memory {id: row.b}) WHERE a.bank = $bank "
        "CREATE (a)-[:LINKS {type: 'causes', strength: row.strength}]->(b)"
    )
    same = (
        "UNWIND $rows AS row MATCH (a:Entity {bank: $bank, key: row.first}) "
        "MATCH (b:Entity {bank: $bank, key: row.second}) "
        "CREATE (a)-[:SAME_AS {bank: $bank, confidence: row.confidence, evidence: 'planted'}]->(b)"
    )
    for text, rows in ((relate, planter.relations), (link, planter.links), (same, planter.pairs)):
        for part in _batches(rows):
            graph.run(_query(text, "rows", "bank"), rows=part, bank=bank)


def measure(data: Path, arguments: argparse.Namespace) -> dict:
    """Plants, consolidates and compares, a bank of each size, each in a process of its own."""
    result: dict[str, Any] = {}
    for size in (arguments.take,) if arguments.take > 1 else SIZES:
        bank = f"bench-healthy-{size}-{datetime.now(UTC):%H%M%S}"
        with open_memory(bank=bank) as memory:
            graph = memory.resources.graph
            space = open_bank_space(graph, bank, encoder=HashEncoder.name, dimensions=DIMENSIONS)
            planter = Planter(bank, size)
            planted = planter.plant()
            write(graph, planter, space.slot)
            del planter
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            figures = pool.apply(_consolidate, (bank,))
        with open_memory(bank=bank) as memory:
            result[f"{size:,} memories"] = _compare(figures["changes"], planted) | figures["costs"]
            result[f"{size:,} memories, seconds by job"] = figures["seconds"]
            print(f"{bank}: {json.dumps(figures['costs'] | figures['seconds'])}", file=sys.stderr, flush=True)
            if not arguments.keep:
                _empty(memory.resources.graph, bank)
    return result


def _consolidate(bank: str) -> dict[str, Any]:
    """Two runs in this process; what they changed and the most memory that it took."""
    with open_memory(bank=bank) as memory:
        graph = memory.resources.graph
        graph.verify()
        settings = Settings.load().model_copy(update={"consolidation": ConsolidationSettings(settle_s=0)})
        worker = Consolidator(graph, HashEncoder, settings)
        before = _peak_mb()
        first = worker.run(bank, now=NOW)
        peak = _peak_mb()
        second = worker.run(bank, now=NOW)
    return {
        "changes": [(job.job, c.kind, c.id, c.others, c.reason) for job in first.jobs for c in job.changes],
        "seconds": {job.job: job.seconds for job in first.jobs},
        "costs": {
            "seconds, first run": first.seconds,
            "seconds, second run": second.seconds,
            "changed by second run": second.changed,
            "peak RSS before, MB": before,
            "peak RSS of the run, MB": peak,
        },
    }


def _peak_mb() -> float:
    """The most memory this process has used; not `getrusage`, which tells of the process that started it too."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return round(int(status.partition("VmHWM:")[2].split()[0]) / 1024, 1)


def _compare(changes: list[tuple[str, str, str, tuple[str, ...], str]], planted: Planted) -> dict[str, Any]:
    """How much of what was planted was found, and what else was touched."""
    found: dict[str, set[Any]] = defaultdict(set)
    for job, kind, memory_id, others, _ in changes:
        if kind == "archived":
            found[job].add(memory_id)
        elif kind in ("summarised", "distilled"):
            found[job].add(frozenset(others))
        elif kind == "joined":
            found[job].add(frozenset((memory_id, *others)))
        elif kind != "noticed":
            found[job].add((memory_id, *others))
    wanted: dict[str, set[Any]] = {
        "expire": planted.expired,
        "decay": planted.faded,
        "deduplicate": set(planted.duplicates.items()),
        "summarise": set(planted.clusters),
        "distil": set(planted.rules),
        "resolve": set(planted.names),
        "prune": planted.links,
    }
    rows = {f"{job}: found of planted": f"{len(found[job] & want)}/{len(want)}" for job, want in wanted.items()}
    touched = sum(len(found[job] - wanted.get(job, set())) for job in found)
    return rows | {
        "else touched": touched,
        "contradicting pairs kept apart": planted.contradictions,
        "look-alike names kept apart": planted.look_alikes,
    }


def _empty(graph: Graph, bank: str) -> None:
    text = "MATCH (n) WHERE n.bank = $bank CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 2000 ROWS"
    graph.run_implicit(_query(text, "bank"), bank=bank)
