"""Asking a bank questions and measuring the answers."""

import dataclasses
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import uuid4

from retrograph import Memory
from retrograph.memory.evaluating import hit_at, mean, ndcg_at, percentile, recall_at
from retrograph.models import IngestReport, Turn

DEPTHS = (1, 5, 10, 20)
_RUN = uuid4().hex[:8]


@dataclass(frozen=True)
class Question:
    """A question and the ids of the turns that answer it; `group` gets a row of its own."""

    text: str
    gold: frozenset[str]
    group: str = ""


def bank_of(memory: Memory, name: str) -> Memory:
    """The same memory, seen in a bank that no run before has used."""
    return memory.for_identity(dataclasses.replace(memory.identity, bank=f"{name}-{_RUN}"))


def ingest(memory: Memory, turns: Sequence[Turn], *, label: str) -> tuple[IngestReport, dict[str, str]]:
    """Ingests with a line of progress; answers the report and the turn of each memory id."""

    def progress(done: int) -> None:
        print(f"\r{label}: {done:,} of {len(turns):,} turns", end="", file=sys.stderr, flush=True)

    report = memory.ingest(turns, progress=progress)
    print(file=sys.stderr)
    return report, {memory_id: turn.id or "" for memory_id, turn in zip(report.ids, turns, strict=True) if memory_id}


def clear(memory: Memory) -> None:
    """Deletes a bank that was measured: full text weighs words over all banks, the next one would suffer from it."""
    slot = memory._resources.recaller._space(memory.identity.bank).slot.upper()
    memories = f"MATCH (n:Memory {{bank: $bank}}) WITH n LIMIT 1000 OPTIONAL MATCH (x:Embedding{slot} {{id: n.id}}) "
    for statement in (
        memories + "DETACH DELETE x, n",
        "MATCH (n:Entity {bank: $bank}) WITH n LIMIT 1000 DETACH DELETE n",
        "MATCH (n:Session {bank: $bank}) WITH n LIMIT 1000 DETACH DELETE n",
    ):
        counted = f"CYPHER 25 {statement} RETURN count(*) AS deleted"
        while memory._resources.graph.run_statement(counted, {"bank": memory.identity.bank}, doing="clear")[0][
            "deleted"
        ]:
            pass


@dataclass
class Scores:
    """Measures of many questions, in per cent, by group."""

    values: defaultdict[str, list[float]] = dataclasses.field(default_factory=lambda: defaultdict(list))
    seconds: list[float] = dataclasses.field(default_factory=list)

    def add(self, question: Question, ranked: Sequence[str], seconds: float) -> None:
        self.seconds.append(seconds)
        for depth in DEPTHS:
            value = recall_at(ranked, question.gold, depth)
            self.values[f"R@{depth}"].append(value)
            if question.group:
                self.values[f"{question.group} R@{depth}"].append(value)
        self.values["Hit@5"].append(hit_at(ranked, question.gold, 5))
        self.values["nDCG@10"].append(ndcg_at(ranked, question.gold))

    def rows(self) -> dict[str, float]:
        return {name: round(100 * mean(values), 1) for name, values in sorted(self.values.items())}

    def latency(self) -> dict[str, float]:
        return {
            "recall p50 ms": round(1000 * percentile(self.seconds, 0.50), 1),
            "recall p95 ms": round(1000 * percentile(self.seconds, 0.95), 1),
        }


def ask(memory: Memory, questions: Iterable[Question], turn_of: dict[str, str], scores: Scores, *, preset: str) -> None:
    """Asks each question and adds its scores."""
    for question in questions:
        started = time.perf_counter()
        found = memory.search(question.text, limit=max(DEPTHS), diversity=False, preset=preset)
        ranked = [turn_of.get(hit.memory.id, "") for hit in found.hits]
        scores.add(question, ranked, time.perf_counter() - started)
