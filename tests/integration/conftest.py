"""Planting: memories put straight into the graph, with vectors a test chooses, and the graph read back."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from numpy.typing import NDArray
from uuid_utils import uuid7

from retrograph.cypher import CypherQuery
from retrograph.encoders.calibration import Calibration
from retrograph.engine import Engine
from retrograph.extraction import entity_key
from retrograph.graph import Connection, Graph, open_bank_space
from retrograph.graph.records import digest
from retrograph.graph.store import Batch, NewLink, Supersession, write_batch
from retrograph.memory.administering import forget_memories, get_memory
from retrograph.memory.drafts import Draft
from retrograph.memory.items import Item
from retrograph.memory.reading import TextReader
from retrograph.memory.rows import memory_row
from retrograph.models import (
    EntityMention,
    EntityType,
    Explanation,
    Extraction,
    ForgetReport,
    Identity,
    Language,
    MemoryDetail,
    MemoryType,
    Scope,
    SearchFilter,
    SearchResult,
    Source,
    Status,
)
from retrograph.retrieval import Recaller
from retrograph.settings import EngineSettings, Settings

DIMENSIONS = 16
_DRAFT_FIELDS = {field.name for field in fields(Draft)}
EPOCH = datetime(2026, 3, 1, 9, tzinfo=UTC)

Vectors = NDArray[np.float32]


class PlannedEncoder:
    """An encoder whose vectors a test plans; a text that is not planned gets one of its own, unlike all others."""

    name = "test-planned"
    dimensions = DIMENSIONS
    calibration = Calibration(floor=0.2, ceiling=0.95)

    def __init__(self) -> None:
        self.plan: dict[str, Sequence[float]] = {}

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(len(texts), DIMENSIONS)

    def encode_query(self, text: str) -> Vectors:
        return self._vector(text)

    def warm(self) -> None:
        """Nothing to load."""

    def _vector(self, text: str) -> Vectors:
        planned = self.plan.get(text)
        vector = np.array(planned if planned is not None else noise(text), dtype=np.float32)
        return vector / np.linalg.norm(vector)


def noise(text: str) -> Vectors:
    """A unit vector that depends on the text alone, orthogonal to the first axis."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    vector = np.random.default_rng(seed).normal(size=DIMENSIONS).astype(np.float32)
    vector[0] = 0
    return vector / np.linalg.norm(vector)


def toward(share: float, text: str = "") -> list[float]:
    """A unit vector at this cosine to the first axis."""
    return [float(x) for x in noise(text) * np.sqrt(1 - share**2) + share * np.eye(DIMENSIONS)[0]]


def ask(graph: Graph, text: str, *, write: bool = False, **params: Any) -> list[dict[str, Any]]:
    """Runs a test's own statement."""
    query = CypherQuery(
        name="test",
        purpose="",
        text=f"CYPHER 25 {text}",
        mode="write" if write else "read",
        params=dict.fromkeys(params, "ANY"),
        returns={},
    )
    return graph.run(query, **params)


@dataclass
class Garden:
    """A bank in which a test plants memories and recalls them."""

    graph: Graph
    encoder: PlannedEncoder
    settings: Settings
    identity: Identity
    slot: str
    rows: list[dict[str, Any]] = field(default_factory=list)

    def seen_by(self, **who: Any) -> "Garden":
        """The same bank, or another, seen by somebody else."""
        return replace(self, identity=replace(self.identity, **who), rows=[])

    def row(
        self,
        content: str,
        *,
        vector: Sequence[float] | None = None,
        mentions: Mapping[str, float] | Sequence[str] = (),
        at: datetime = EPOCH,
        session: str | None = None,
        scope: Scope | str = Scope.GLOBAL,
        status: Status | str = Status.ACTIVE,
        type: MemoryType | str = MemoryType.FACT,
        source: Source | str = Source.USER,
        domain: str | None = None,
        tags: tuple[str, ...] = (),
        **more: Any,
    ) -> dict[str, Any]:
        """A row of `write_memories`, as the write pipeline makes it; `more` are fields of a draft, or properties."""
        memory_id, bank = str(uuid7()), self.identity.bank
        of_draft = {name: more.pop(name) for name in tuple(more) if name in _DRAFT_FIELDS}
        draft = Draft(
            content,
            type=MemoryType(type),
            source=Source(source),
            scope=Scope(scope),
            domain=domain,
            tags=tags,
            session=session,
            occurred_at=at,
            **({"importance": 0.5} | of_draft),
        )
        weights = mentions if isinstance(mentions, Mapping) else dict.fromkeys(mentions, 1.0)
        entities = [EntityMention(name, EntityType.CONCEPT, name, weight=w) for name, w in sorted(weights.items())]
        audience = self.identity.audience(Scope(scope))
        item = Item(
            number=0,
            draft=draft,
            id=memory_id,
            at=at,
            audience=audience,
            language=Language.ENGLISH,
            times=(),
            identity_key=digest(bank, audience, memory_id),
            source_key=digest(bank, memory_id),
            flags=(),
            status=Status(status),
            extraction=Extraction(Language.ENGLISH, tuple(entities)),
            vector=np.array(noise(memory_id) if vector is None else vector, dtype=np.float32),
            type=MemoryType(type),
        )
        row = memory_row(item, self.identity, encoder=self.encoder.name, timezone=ZoneInfo("UTC"))
        return row | {"properties": row["properties"] | {"date_words": ""} | more}

    def plant(self, content: str, **more: Any) -> str:
        """Plants one memory."""
        return self.plant_all([self.row(content, **more)])[0]

    def plant_all(
        self,
        rows: Sequence[dict[str, Any]],
        *,
        links: Sequence[NewLink] = (),
        supersessions: Sequence[Supersession] = (),
        relations: Sequence[dict[str, Any]] = (),
    ) -> list[str]:
        """Plants many in one transaction; returns their ids."""
        numbered = [row | {"row": number} for number, row in enumerate(rows)]
        batch = Batch(rows=numbered, links=list(links), supersessions=list(supersessions), relations=list(relations))
        write_batch(self.graph, self.identity.bank, batch, slot=self.slot, at=EPOCH)
        return [row["id"] for row in numbered]

    def link(self, from_id: str, to_id: str, type: str = "supports", strength: float = 1.0) -> None:
        """Links two memories."""
        self.plant_all([], links=[NewLink(from_id, to_id, type, strength)])

    def relate(self, subject: str, predicate: str, object_: str, *, memory_id: str, **more: Any) -> None:
        """Makes a relation between two planted entities, backed by a memory."""
        relation = {
            "subject": entity_key(subject), "object": entity_key(object_), "predicate": predicate, "surface": predicate,
            "negated": False, "audience": self.identity.audience(Scope.GLOBAL), "weight": 1.0, "memory_id": memory_id,
            "valid_from": None, "valid_until": None,
        }  # fmt: skip
        self.plant_all([], relations=[relation | more])

    @property
    def recaller(self) -> Recaller:
        """Recall as the facade builds it."""
        return Recaller(self.graph, self.encoder, TextReader(ZoneInfo("UTC")), settings=self.settings)

    def search(self, query: str, **more: Any) -> SearchResult:
        """Recalls at a fixed time."""
        return self.recaller.search(query, identity=self.identity, **({"now": EPOCH + timedelta(days=1)} | more))

    def found(self, query: str, **more: Any) -> list[str]:
        """Ids recalled, best first."""
        return [hit.memory.id for hit in self.search(query, **more).hits]

    def explain(self, query: str, memory_id: str, **more: Any) -> Explanation:
        """Explains at the same fixed time."""
        more = {"now": EPOCH + timedelta(days=1)} | more
        return self.recaller.explain(query, memory_id, identity=self.identity, **more)

    def get(self, memory_id: str) -> MemoryDetail:
        """One memory."""
        return get_memory(self.graph, memory_id, identity=self.identity)

    def forget(
        self, *ids: str, where: SearchFilter | None = None, hard: bool = False, dry_run: bool = False
    ) -> ForgetReport:
        """Forgets."""
        return forget_memories(self.graph, ids, identity=self.identity, where=where, hard=hard, dry_run=dry_run)


@pytest.fixture
def plant(graph: Graph, database: Connection) -> Callable[..., Garden]:
    """Makes gardens, each a fresh bank unless one is named."""

    def make(bank: str | None = None, **who: Any) -> Garden:
        encoder = PlannedEncoder()
        name = bank or f"test-{uuid7()}"
        space = open_bank_space(graph, name, encoder=encoder.name, dimensions=DIMENSIONS)
        settings = Settings.load(uri=database.uri, username=database.username, password=database.password)
        return Garden(graph, encoder, settings, Identity(name, **who), space.slot)

    return make


@pytest.fixture
def garden(plant: Callable[..., Garden]) -> Garden:
    """A fresh bank."""
    return plant()


_VOLATILE = re.compile(
    r"^(?:id|own_key|created_at|updated_at|last_accessed_at|at|started_at|vector|bank|identity_key|source_keys?|filter_tokens"
    r"|claim_keys|near_tokens|session_key)$"
)


def dump(graph: Graph, bank: str, *, without: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """All nodes and edges of a bank, as text, without what two runs cannot share: ids and the time of writing."""
    nodes = ask(
        graph,
        "MATCH (n) WHERE n.bank = $bank AND NOT n:Audit "
        "RETURN elementId(n) AS e, labels(n) AS labels, properties(n) AS p",
        bank=bank,
    )
    edges = ask(
        graph,
        "MATCH (a)-[r]->(b) WHERE a.bank = $bank OR b.bank = $bank "
        "RETURN elementId(a) AS a, elementId(b) AS b, type(r) AS type, properties(r) AS p",
        bank=bank,
    )
    contents = {n["p"]["id"]: n["p"]["content"] for n in nodes if "content" in n["p"]}
    names = {n["e"]: _name(n["labels"], n["p"], contents) for n in nodes}
    lines = [f"{names[n['e']]} {_steady(n['p'], contents, without)}" for n in nodes]
    joined = [f"{names[e['a']]} -{e['type']} {_steady(e['p'], contents, without)}-> {names[e['b']]}" for e in edges]
    return sorted(lines), sorted(joined)


def _name(labels: Sequence[str], properties: Mapping[str, Any], contents: Mapping[str, str]) -> str:
    what = properties.get("content") or properties.get("name") or contents.get(properties.get("id", ""), "?")
    return f"{':'.join(sorted(labels))}({what!r}, {properties.get('speaker') or ''})"


def _steady(properties: Mapping[str, Any], contents: Mapping[str, str], without: Sequence[str]) -> dict[str, Any]:
    kept = {k: v for k, v in sorted(properties.items()) if not _VOLATILE.match(k) and k not in without}
    if "\x1f" in str(kept.get("audience")):  # of an embedding: two runs share all of it but the bank
        kept["audience"] = kept["audience"].split("\x1f")[1:]
    if "memory_ids" in kept:
        kept["memory_ids"] = sorted(contents.get(i, i) for i in kept["memory_ids"])
    return kept


@pytest.fixture(scope="session")
def spare_engine(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small engine of its own, for tests that empty, break or kill the database."""
    base = Settings.load(data_dir=tmp_path_factory.mktemp("spare"))
    small = EngineSettings(heap_mib=256, page_cache_mib=16, java_options=base.engine.java_options)
    engine = Engine(small, data_dir=base.data_dir, cache_dir=base.cache_dir)
    if not engine.is_installed():
        engine.install()
    lease = engine.lease()
    engine.start()
    yield engine
    lease.close()
    engine.stop(force=True)
