"""What the write pipeline reads from and writes to the graph, a batch at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from uuid_utils import uuid7

from retrograph import cypher
from retrograph.graph.driver import Call, Graph
from retrograph.graph.records import NEVER_MS, Vector, filter_token, packed, visible_as

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Known:
    """What a bank knew before a batch: entities by key, tellings by identity and source key, and its last batch."""

    entities: dict[str, tuple[str, str]]
    identity_keys: dict[str, str]
    source_keys: dict[str, str]
    last_batch: str | None


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """An older memory, as far as a new one is compared with it."""

    id: str
    content: str
    speaker: str | None
    occurred_at: datetime
    said_at: datetime
    """When it was said last."""
    created_at: datetime
    confidence: float
    source: str
    language: str
    type: str
    entities: tuple[str, ...]
    relations: tuple[str, ...]
    status: str


class Near(NamedTuple):
    """An older memory, and the cosine of its vector and the new one's."""

    stored: StoredStatement
    cosine: float


@dataclass(frozen=True, slots=True)
class Supersession:
    """One memory replaces another."""

    newer: str
    older: str
    reason: str


@dataclass(frozen=True, slots=True)
class NewLink:
    """A memory→memory link to be made."""

    from_id: str
    to_id: str
    type: str
    strength: float


@dataclass(frozen=True, slots=True)
class NearNames:
    """Names that are new to a bank, with the words that near names find them by, and pairs that may be one."""

    names: list[dict[str, Any]]
    pairs: list[dict[str, Any]]


@dataclass(slots=True)
class Batch:
    """Everything one transaction writes: rows of `write_memories` and what hangs on them."""

    rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    relations: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    reinforcements: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    aliases: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    supersessions: list[Supersession] = field(default_factory=list[Supersession])
    links: list[NewLink] = field(default_factory=list[NewLink])
    replacements: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    near: NearNames | None = None


def look_up(
    graph: Graph, bank: str, *, keys: Sequence[str], identity_keys: Sequence[str], source_keys: Sequence[str]
) -> Known:
    """Looks up entities by key, and memories told before. One read."""
    row = graph.run(
        "prepare_writes",
        bank=bank,
        keys=list(keys),
        identity_keys=list(identity_keys),
        source_keys=list(source_keys),
    )[0]
    told: dict[str, str] = {}
    same: dict[str, str] = {}
    for twin in row["twins"]:
        if twin["identity_key"]:
            same[twin["identity_key"]] = twin["id"]
        if twin["source_key"]:
            told[twin["source_key"]] = twin["id"]
        for key in twin["source_keys"] or ():
            told.setdefault(key, twin["id"])
    return Known({e["key"]: (e["name"], e["type"]) for e in row["entities"]}, same, told, row["last_batch"])


def find_neighbours(
    graph: Graph,
    bank: str,
    audience: str,
    vectors: Sequence[Vector],
    *,
    slot: str,
    k: int,
    least: float,
    statuses: Sequence[str] = ("active",),
) -> list[list[Near]]:
    """The `k` nearest memories of each vector in the audience and each status, nearest first. One read.

    Args:
        graph: The database.
        bank: The bank.
        audience: Who the new memories are for.
        vectors: Unit vectors.
        slot: The embedding slot of the bank.
        k: Most for each vector.
        least: Least cosine; what is less alike is not read.
        statuses: The states of a memory to look among.
    """
    rows = [{"row": number, "vector": packed(vector)} for number, vector in enumerate(vectors)]
    query = cypher.load("find_neighbours").in_slot(slot)
    answers: list[list[Near]] = [[] for _ in vectors]
    visible = [visible_as(bank, audience, status) for status in statuses]
    for found in graph.run(query, visible=visible, rows=rows, k=k, least=least):
        stored = _statement(found["memory"])
        for near in found["near"]:
            row: int = near["row"]
            answers[row].append(Near(stored, near["cosine"]))
    return [sorted(near, key=lambda n: (-n.cosine, n.stored.id)) for near in answers]


def find_claims(
    graph: Graph, bank: str, audience: str, claim_keys: Sequence[Sequence[str]], *, limit: int
) -> list[list[StoredStatement]]:
    """Memories in the audience that make a claim under one of the same keys, superseded ones too. One read."""
    # Inside the index, for of all banks together only the first `limit` are looked at.
    here = f"+filter_tokens:{filter_token('b', bank)} +filter_tokens:{filter_token('a', audience)}"
    here += " +filter_tokens:(sactive ssuperseded)"
    rows = [
        {"row": number, "claim_keys": list(keys), "tokens": f"{here} +filter_tokens:({' '.join(keys)})"}
        for number, keys in enumerate(claim_keys)
        if keys
    ]
    if not rows:
        return [[] for _ in claim_keys]
    answers: list[list[StoredStatement]] = [[] for _ in claim_keys]
    for found in graph.run("find_claims", bank=bank, audience=audience, rows=rows, limit=limit):
        stored = _statement(found["memory"])
        rows_of: list[int] = found["rows"]
        for row in rows_of:
            answers[row].append(stored)
    return [sorted(claims, key=lambda s: s.id) for claims in answers]


def write_batch(
    graph: Graph, bank: str, batch: Batch, *, slot: str, at: datetime
) -> tuple[list[dict[str, Any]], str | None]:
    """Writes a batch in one transaction: all of it is there afterwards, or nothing.

    Returns:
        For each row of `batch.rows`: the id it has, and `stored`, `merged` or `told` (before). And the batch that was
        written into the bank before this one.
    """
    write = cypher.load("write_memories").in_slot(slot)
    # What is replaced gives its unique key up first, so that the new version may have the same words.
    released: list[Call] = [("release_identity_keys", {"rows": batch.replacements})] if batch.replacements else []
    calls: list[Call] = [*released, (write, {"bank": bank, "rows": batch.rows})]
    if batch.relations:
        calls.append(("write_relations", {"bank": bank, "rows": batch.relations}))
    if batch.aliases:
        calls.append(("write_aliases", {"bank": bank, "rows": batch.aliases}))
    chained = [{"id": row["id"], "session_key": row["session"]["key"]} for row in batch.rows if row["session"]]
    if chained:
        calls.append(("chain_sessions", {"bank": bank, "rows": chained}))
    calls.append(("refresh_contexts", {"ids": [row["id"] for row in batch.rows]}))
    if batch.reinforcements:
        calls.append(("reinforce_memories", {"rows": batch.reinforcements}))
    if batch.supersessions:
        calls += supersede(batch.supersessions, slot=slot, at=at)
    if batch.replacements:
        replaced = sorted(row["older"] for row in batch.replacements)
        calls += [("replace_memories", {"rows": batch.replacements}), *settle(replaced, slot=slot)]
    if batch.near and (batch.near.names or batch.near.pairs):
        calls.append(("write_near_names", {"bank": bank, "names": batch.near.names, "pairs": batch.near.pairs}))
    calls += _link(batch.links, at=at)
    calls.append(("mark_batch", {"bank": bank, "batch": str(uuid7())}))
    found = graph.run_all(calls)
    return found[len(released)], next((row["before"] for row in found[-1]), None)


def write_conflicts(graph: Graph, batch: Batch, *, slot: str, at: datetime) -> None:
    """Writes the supersessions and links of a batch whose memories are stored already, in one transaction."""
    settled = supersede(batch.supersessions, slot=slot, at=at) if batch.supersessions else []
    graph.run_all([*settled, *_link(batch.links, at=at)])


def supersede(pairs: Sequence[Supersession], *, slot: str, at: datetime) -> list[Call]:
    """The calls that make memories replace others and settle the consequences."""
    rows = [{"newer": s.newer, "older": s.older, "reason": s.reason, "at": at} for s in pairs]
    ids = sorted({memory_id for s in pairs for memory_id in (s.newer, s.older)})
    return [("supersede_memories", {"rows": rows}), *settle(ids, slot=slot)]


def settle(ids: Sequence[str], *, slot: str) -> list[Call]:
    """The calls that draw the consequences of a changed chain of versions for all who stand in it."""
    settled = cypher.load("settle_versions").in_slot(slot)
    return [("tidy_supersessions", {"ids": ids}), (settled, {"ids": ids, "never_ms": NEVER_MS})]


def _link(links: Sequence[NewLink], *, at: datetime) -> list[Call]:
    """The call that makes links; none where there are none."""
    rows = [_link_row(number, link, at) for number, link in enumerate(links)]
    return [("link_memories", {"rows": rows})] if rows else []


def _link_row(number: int, link: NewLink, at: datetime) -> dict[str, Any]:
    return {
        "row": number,
        "from_id": link.from_id,
        "to_id": link.to_id,
        "type": link.type,
        "strength": link.strength,
        "at": at,
    }


def _statement(item: dict[str, Any]) -> StoredStatement:
    """Of a query that tells times as microseconds since the epoch: a driver's time costs more than all the rest."""
    at = {f"{time}_at": _EPOCH + timedelta(microseconds=item[f"{time}_us"]) for time in ("occurred", "said", "created")}
    return statement_of_row(item | at)


def statement_of_row(item: dict[str, Any]) -> StoredStatement:
    """A memory's properties, with the keys of its entities, as a statement to compare."""
    return StoredStatement(
        id=item["id"],
        content=item["content"],
        speaker=item.get("speaker"),
        occurred_at=item["occurred_at"],
        said_at=item.get("said_at") or item["occurred_at"],
        created_at=item["created_at"],
        confidence=item["confidence"],
        source=item["source"],
        language=item["language"],
        type=item["type"],
        entities=tuple(item["entities"]),
        relations=tuple(item.get("relations") or ()),
        status=item.get("status", "active"),
    )
