"""Checks what has to hold of a bank's graph, and repairs what can be repaired without a loss.

Each check is a name under which faults are reported; what is repaired is worked out from what is there, never guessed.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from retrograph import cypher
from retrograph.cypher import CypherQuery
from retrograph.encoders import Encoder
from retrograph.extraction.duplicates import content_hash
from retrograph.graph import BankSpace, Graph, bank_space
from retrograph.graph.auditing import acting
from retrograph.graph.records import NEVER_MS, filter_token, packed, visible_as
from retrograph.graph.store import settle
from retrograph.memory.rows import embedded_text
from retrograph.models import Identity, Scope

ACTOR = "retrograph doctor"
"""On whose behalf the audit says a repair acts."""

CHECKS: dict[str, str] = {
    "layer": "a memory has the label of its layer and no other",
    "vector": "a memory has one vector, of its bank's encoder and length",
    "vector filters": "what the vector index filters on agrees with the memory",
    "words filters": "what the full-text indexes filter on agrees with the memory",
    "audience": "who may see a memory agrees with its scope, agent and user",
    "superseded": "what a current memory replaces is not current",
    "circle": "no memory replaces itself over others",
    "hash": "the hash of a memory is that of its words",
    "context": "the context of a memory has its words",
    "bank": "no edge leads into another bank",
    "relation": "the memories that back a relation are there",
    "orphan": "every entity is spoken of",
    "steps": "the steps of a task run are numbered without a gap",
    "leftover": "no vector is without its memory, no chunk without its job",
    "lease": "no lease of a dead process is left",
    "index": "all indexes are there and online",
    "indexed": "the full-text indexes have as many memories as the graph",
}
"""Every check and what it says, in the order of the report."""

_PAGE = 500
_MOST = 1_000
_LAYERS = frozenset({"Episodic", "Semantic", "Procedural"})
_TEXT_INDEXES = ("memory_text_english", "memory_text_cjk")
_MAKES = re.compile(r"\b(?:INDEX|CONSTRAINT)\s+(?P<name>\w+)\s+IF NOT EXISTS")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not as it has to be.

    Args:
        check: Which of `CHECKS` found it.
        id: The memory, entity, task run, lease or index.
        detail: What is wrong; no word of a memory.
        repaired: It was put right.
    """

    check: str
    id: str
    detail: str = ""
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was looked at and found.

    Args:
        bank: The bank.
        memories: Memories looked at, archived ones too.
        entities: Entities looked at.
        runs: Task runs looked at.
        faults: At most a thousand of each check, in the order of the checks.
        counts: All faults by check.
    """

    bank: str
    memories: int
    entities: int
    runs: int
    faults: tuple[Fault, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def left(self) -> int:
        """Faults that were not put right."""
        return sum(self.counts.values()) - sum(fault.repaired for fault in self.faults)


def check_bank(
    graph: Graph,
    bank: str,
    *,
    encoder: Callable[[], Encoder],
    repair: bool = False,
    now: datetime | None = None,
) -> CheckReport:
    """Checks a bank, and repairs it where asked; memory use does not grow with the bank.

    Repaired are labels, vectors and their filters, statuses, hashes, contexts, relations, orphans, leftovers, leases
    and indexes. An audience, a circle, an edge into another bank, words filters and gaps in a task run are only
    reported: nothing in the graph says which side is right.

    Args:
        graph: The database.
        bank: The bank.
        encoder: Gives the bank's encoder; asked only to make a vector that is missing.
        repair: Put right what is safe.
        now: The present.

    Raises:
        GraphError: The database does not answer.
        EncoderMismatch: A vector is missing, and the encoder is not the bank's.
    """
    space = bank_space(graph, bank) or BankSpace("", "a", 0)
    work = _Checking(graph, bank, space, encoder, repair, now or datetime.now(UTC))
    with acting(Identity(bank, agent=ACTOR)):
        work.check()
    order = {name: number for number, name in enumerate(CHECKS)}
    faults = tuple(sorted(work.faults, key=lambda fault: (order[fault.check], fault.id, fault.detail)))
    counts = {name: work.counts[name] for name in CHECKS if name in work.counts}
    return CheckReport(bank, work.memories, work.entities, work.runs, faults, counts)


@dataclass(slots=True)
class _Checking:
    """One check at work."""

    graph: Graph
    bank: str
    space: BankSpace
    encoder: Callable[[], Encoder]
    repair: bool
    now: datetime
    memories: int = 0
    entities: int = 0
    runs: int = 0
    faults: list[Fault] = field(default_factory=list[Fault])
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def check(self) -> None:
        """Looks at everything; indexes first, for the rest is read through them."""
        self._indexes()
        for rows in self._pages("page_checked"):
            self.memories += len(rows)
            self._memories(rows)
        for rows in self._pages("page_checked_entities"):
            self.entities += len(rows)
            self._entities(rows)
        for rows in self._pages("page_checked_runs"):
            self.runs += len(rows)
            wrong = [row for row in rows if row["numbers"] != list(range(1, row["count"] + 1))]
            self._found("steps", [(row["id"], f"{len(row['numbers'])} of {row['count']}") for row in wrong])
        self._leftovers()
        self._indexed()

    def _memories(self, rows: Sequence[Mapping[str, Any]]) -> None:
        space = self.space
        wrong: dict[str, list[tuple[str, str]]] = {}
        for row in rows:
            for check, detail in memory_faults(row, bank=self.bank, space=space):
                wrong.setdefault(check, []).append((row["id"], detail))
        ids = {check: [memory_id for memory_id, _ in found] for check, found in wrong.items()}
        told = {row["id"]: row["memory"] for row in rows}
        self._found("layer", wrong.get("layer", ()), lambda: self._run("repair_layers", ids=ids["layer"]))
        self._found("vector", wrong.get("vector", ()), lambda: self._encode({i: told[i] for i in ids["vector"]}))
        self._found("vector filters", wrong.get("vector filters", ()), lambda: self._place(ids["vector filters"]))
        self._found(
            "superseded",
            wrong.get("superseded", ()),
            lambda: self.graph.run_all(settle(ids["superseded"], slot=space.slot)),
        )
        self._found("hash", wrong.get("hash", ()), lambda: self._hash({i: told[i] for i in ids["hash"]}))
        self._found("context", wrong.get("context", ()), lambda: self.graph.run("refresh_contexts", ids=ids["context"]))
        for check in ("words filters", "audience", "circle", "bank"):
            self._found(check, wrong.get(check, ()))

    def _entities(self, rows: Sequence[Mapping[str, Any]]) -> None:
        faulty = [row for row in rows if row["faulty"]]
        keys = [row["id"] for row in faulty]
        self._found(
            "relation",
            [(row["id"], f"{len(row['faulty'])} relations") for row in faulty],
            lambda: self._run("repair_relations", keys=keys),
        )
        orphans = [row["id"] for row in rows if not row["used"]]
        self._found("orphan", [(key, "") for key in orphans], lambda: self._run("remove_orphans", keys=orphans))
        self._found("bank", [(row["id"], "an entity") for row in rows if row["crosses"]])

    def _leftovers(self) -> None:
        rows = self.graph.run(self._query("find_strays"), bank=self.bank, limit=_MOST)
        chunks = [row["id"] for row in rows if row["kind"] == "chunk"]

        def remove() -> None:
            self.graph.run(self._query("remove_strays"), bank=self.bank)
            self.graph.run("remove_chunks", ids=chunks)

        self._found("leftover", [(row["id"], row["kind"]) for row in rows], remove)
        dead = self.graph.run("list_dead_leases", before=self.now - timedelta(days=1))

        def release() -> None:
            for row in dead:
                self.graph.run("release_lease", **row)

        self._found("lease", [(row["name"], "") for row in dead], release)

    def _indexes(self) -> None:
        states = {row["name"]: row["state"] for row in self.graph.run_implicit("list_indexes")}
        made = {
            match["name"]: statement
            for migration in cypher.migrations()
            for statement in migration.statements
            if (match := _MAKES.search(statement))
        }
        missing = sorted(made.keys() - states.keys())

        def make() -> None:
            for name in missing:
                self.graph.run_statement(made[name], doing=f"index {name}")
            self.graph.run_implicit("await_indexes", timeout_s=300)

        self._found("index", [(name, "it is not there") for name in missing], make)
        mine = {*made, *_slot_indexes(self.space)}
        self._found(
            "index",
            [(name, state.lower()) for name, state in sorted(states.items()) if name in mine and state != "ONLINE"],
        )
        gone = sorted(_slot_indexes(self.space) - states.keys()) if self.space.encoder else []
        self._found("index", [(name, "it is not there; `retrograph reembed` makes it") for name in gone])

    def _indexed(self) -> None:
        words = f"+filter_tokens:{filter_token('b', self.bank)}"
        for index in _TEXT_INDEXES:
            if any(fault.id == index and not fault.repaired for fault in self.faults):
                continue
            found = self.graph.run("count_indexed", index=index, words=words)[0]["found"]
            if found != self.memories:
                self._found("indexed", [(index, f"{found} of {self.memories} memories")])

    def _encode(self, told: Mapping[str, Mapping[str, Any]]) -> None:
        """Makes the vectors that are missing or of another length."""
        encoder = self.encoder()
        ids = list(told)
        texts = [embedded_text(told[i]["content"], speaker=told[i].get("speaker")) for i in ids]
        vectors = encoder.encode_documents(texts)
        rows = [{"id": i, "vector": packed(vector)} for i, vector in zip(ids, vectors, strict=True)]
        self.graph.run(self._query("place_embeddings"), rows=rows, never_ms=NEVER_MS)

    def _place(self, ids: Sequence[str]) -> None:
        rows = [{"id": memory_id, "vector": None} for memory_id in ids]
        self.graph.run(self._query("place_embeddings"), rows=rows, never_ms=NEVER_MS)

    def _hash(self, told: Mapping[str, Mapping[str, Any]]) -> None:
        rows = [{"id": memory_id, "hash": content_hash(memory["content"])} for memory_id, memory in told.items()]
        self._run("repair_hashes", rows=rows)

    def _found(self, check: str, found: Sequence[tuple[str, str]], mend: Callable[[], object] | None = None) -> None:
        """Notes faults, and repairs them where that is asked for and safe."""
        if not found:
            return
        repaired = self.repair and mend is not None
        if repaired and mend is not None:
            mend()
        before = self.counts.get(check, 0)
        self.counts[check] = before + len(found)
        room = max(0, _MOST - before)
        self.faults += [Fault(check, fault_id, detail, repaired) for fault_id, detail in found[:room]]

    def _pages(self, name: str) -> Iterator[list[dict[str, Any]]]:
        after = ""
        while rows := self.graph.run(self._query(name), bank=self.bank, after=after, limit=_PAGE):
            yield rows
            after = rows[-1]["id"]

    def _run(self, name: str, **params: Any) -> None:
        self.graph.run(name, bank=self.bank, **params)

    def _query(self, name: str) -> CypherQuery:
        return cypher.load(name).in_slot(self.space.slot)


def memory_faults(row: Mapping[str, Any], *, bank: str, space: BankSpace) -> Iterator[tuple[str, str]]:
    """What is wrong with one memory, from a row of `page_checked`: the check, and what it found."""
    memory, embedding = row["memory"], row["embedding"]
    labels = set(row["labels"])
    if labels & _LAYERS != {str(memory["layer"]).capitalize()}:
        yield "layer", f"{', '.join(sorted(labels & _LAYERS)) or 'no label'} for {memory['layer']}"
    status = _status(memory["status"], archived="ArchivedMemory" in labels)
    if embedding is None or not embedding["size"]:
        yield "vector", "it has none"
    elif embedding["size"] != space.dimensions:
        yield "vector", f"{embedding['size']} numbers, not {space.dimensions}"
    else:
        wanted = {"bank": bank, "status": status, "type": memory["type"]}
        wanted |= {"audience": visible_as(bank, memory["audience"], status)}
        wanted |= {"domain": memory.get("domain") or ""}
        wrong = [name for name, value in wanted.items() if embedding[name] != value]
        if wrong:
            yield "vector filters", ", ".join(wrong)
    tokens = set((memory["filter_tokens"] or "").split())
    wanted_tokens = {
        "bank": filter_token("b", bank),
        "audience": filter_token("a", memory["audience"]),
        "status": f"s{status.replace('_', '')}",
        "type": f"t{memory['type'].replace('_', '')}",
    }
    missing = [name for name, word in wanted_tokens.items() if word not in tokens]
    if missing:
        yield "words filters", ", ".join(missing)
    if not _may_be(memory):
        yield "audience", f"not that of scope {memory['scope']}"
    if row["replaced"] and memory["status"] == "active":
        yield "superseded", "it is current, and so is what replaces it"
    if row["in_circle"]:
        yield "circle", ""
    if row["crosses"]:
        yield "bank", "a memory"
    if memory["content_hash"] != content_hash(memory["content"]):
        yield "hash", ""
    if memory["content"].strip() not in (memory["context"] or ""):
        yield "context", ""


def _status(status: str, *, archived: bool) -> str:
    """The status that indexes filter on."""
    if not archived:
        return status
    return "rejected" if status == "pending_review" else "archived"


def _may_be(memory: Mapping[str, Any]) -> bool:
    """Whether the audience is one that the scope gives; a team's name is not kept on the memory."""
    scope, audience = Scope(memory["scope"]), str(memory["audience"])
    if scope is Scope.TEAM:
        return audience.startswith("t")
    return audience == Identity("", agent=memory.get("agent_id"), user=memory.get("user_id")).audience(scope)


def _slot_indexes(space: BankSpace) -> frozenset[str]:
    return frozenset({f"embedding_{space.slot}", f"embedding_{space.slot}_id"})
