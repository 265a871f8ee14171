"""Reading one memory, forgetting, linking and counting: what is neither a write nor a recall."""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from retrograph import cypher
from retrograph.errors import InvalidInput, NotFound
from retrograph.graph import Graph, bank_space
from retrograph.graph.driver import Call
from retrograph.graph.records import reader, record_of, relation_of
from retrograph.graph.store import settle
from retrograph.memory.usage import bank_usage
from retrograph.models import (
    BankStats,
    EntityType,
    EntityView,
    ForgetReport,
    Identity,
    LinkResult,
    LinkView,
    Load,
    MemoryDetail,
    RelationView,
    SearchFilter,
)

_MAX_IDS = 1_000
_MAX_FORGET = 100_000
_DELETE_BATCH = 200
_MAX_LINK_TYPE = 64


def get_memory(graph: Graph, memory_id: str, *, identity: Identity) -> MemoryDetail:
    """One memory with all it is linked to; `Memory.get`.

    Raises:
        NotFound: There is none, or none for this identity.
    """
    rows = graph.run("get_memory", id=memory_id, **reader(identity))
    if not rows:
        raise not_found(memory_id)
    row = rows[0]
    relations = [relation_of(text) for text in row["memory"].get("relations") or ()]
    return MemoryDetail(
        memory=record_of(row["memory"]),
        entities=tuple(EntityView(e["key"], e["name"], EntityType(e["type"])) for e in row["entities"]),
        relations=tuple(RelationView(r.subject, r.predicate, r.object, r.negated) for r in relations),
        links=tuple(LinkView(v["id"], v["type"], v["direction"], v["strength"]) for v in row["links"]),
        supersedes=tuple(row["supersedes"]),
        superseded_by=tuple(row["superseded_by"]),
    )


def forget_memories(
    graph: Graph,
    memory_ids: Sequence[str],
    *,
    identity: Identity,
    where: SearchFilter | None,
    hard: bool,
    dry_run: bool,
) -> ForgetReport:
    """Archives or deletes; `Memory.forget`.

    Raises:
        NotFound: An id is not there; nothing is done.
        InvalidInput: Neither ids nor a filter, or both, or a filter that cannot be applied here.
    """
    if where is not None and (where.as_of is not None or where.deep):
        raise InvalidInput(
            "forgetting cannot be narrowed by as_of or deep", cure="Search with them, and forget by the ids found."
        )
    if bool(memory_ids) == (where is not None):
        raise InvalidInput("give either ids or a filter", cure="One of the two says what to forget.")
    ids = list(dict.fromkeys(memory_ids)) if where is None else _matching(graph, where, identity=identity)
    relics = _relics(graph, ids, bank=identity.bank) if hard else {}
    along = sorted(set(relics) - set(ids))
    rows = graph.run("find_by_ids", **reader(identity), ids=[*ids, *along])
    missing = set(ids) - {row["id"] for row in rows}
    if missing:
        raise not_found(min(missing))
    entities = len({key for row in rows for key in row["orphans"]}) if hard else 0
    if not dry_run and ids:
        space = bank_space(graph, identity.bank)
        slot = space.slot if space else "a"
        if hard:
            _bring_back(graph, relics, ids=[*ids, *along], bank=identity.bank, slot=slot)
            entities = sum(
                _delete(graph, rows[start : start + _DELETE_BATCH], bank=identity.bank, slot=slot)
                for start in range(0, len(rows), _DELETE_BATCH)
            )
        else:
            graph.run(
                cypher.load("archive_memories").in_slot(slot),
                bank=identity.bank,
                ids=ids,
                at=datetime.now(UTC),
                run=None,
            )
    return ForgetReport(
        dry_run=dry_run, hard=hard, ids=tuple(ids[:_MAX_IDS]), count=len(ids), entities=entities, along=len(along)
    )


def _relics(graph: Graph, ids: Sequence[str], *, bank: str) -> dict[str, list[dict[str, str]]]:
    """What has the words of memories: they, summaries and rules made of them, and duplicates merged into them.

    Returns:
        Their ids, each with what left recall for it.
    """
    found: dict[str, list[dict[str, str]]] = {}
    for start in range(0, len(ids), _DELETE_BATCH):
        part = list(ids[start : start + _DELETE_BATCH])
        found |= {row["id"]: row["waiting"] for row in graph.run("find_relics", bank=bank, ids=part)}
    return found


def _bring_back(
    graph: Graph, relics: Mapping[str, list[dict[str, str]]], *, ids: Sequence[str], bank: str, slot: str
) -> None:
    """Restores what was archived for a summary that is about to go, but is not to be deleted itself."""
    waiting = {source["id"]: source["audience"] for sources in relics.values() for source in sources}
    left = sorted(waiting.keys() - set(ids))
    for start in range(0, len(left), _DELETE_BATCH):
        part = left[start : start + _DELETE_BATCH]
        graph.run_all(restoring(bank, part, audiences=sorted({waiting[i] for i in part}), slot=slot))


def restoring(bank: str, ids: Sequence[str], *, audiences: Sequence[str], slot: str) -> list[Call]:
    """The calls that bring memories back from the archive, with their counts and edges, and keep them out of it."""
    at = datetime.now(UTC)
    params: dict[str, Any] = {"bank": bank, "audiences": list(audiences), "ids": list(ids), "at": at}
    return [
        ("unmerge_memories", {"bank": bank, "ids": list(ids), "apart": True}),
        (cypher.load("restore_memories").in_slot(slot), params),
        ("keep_restored", {"bank": bank, "ids": list(ids), "at": at}),
        ("chain_restored", {"ids": list(ids)}),
        ("refresh_contexts", {"ids": list(ids)}),
        *settle(list(ids), slot=slot),
    ]


def _delete(graph: Graph, rows: Sequence[Mapping[str, Any]], *, bank: str, slot: str) -> int:
    """Deletes memories and what only they spoke of; returns how many entities went along."""
    ids = [row["id"] for row in rows]
    around = sorted({n for row in rows for n in row["neighbours"]} - set(ids))
    delete = cypher.load("delete_memories").in_slot(slot)
    calls: list[Call] = [
        # What it was merged into keeps its own counts and edges only.
        ("unmerge_memories", {"bank": bank, "ids": ids, "apart": False}),
        (delete, {"bank": bank, "ids": ids}),
        # The turns around them carry their words as context.
        ("refresh_contexts", {"ids": around}),
    ]
    return graph.run_all(calls)[1][0]["entities"]


def link_memories(
    graph: Graph, from_id: str, to_id: str, type: str, *, strength: float, identity: Identity
) -> LinkResult:
    """Links one memory to another; `Memory.link`.

    Raises:
        NotFound: One of the two is not there.
        InvalidInput: The type or the strength cannot work, or the two are one.
    """
    kind = type.strip()
    if not kind or len(kind) > _MAX_LINK_TYPE:
        raise InvalidInput(f"the link type {type!r} is empty or longer than {_MAX_LINK_TYPE} characters", field="type")
    if not (math.isfinite(strength) and 0 < strength <= 1):
        raise InvalidInput(f"strength is {strength!r}, not above 0 and up to 1", field="strength")
    if from_id == to_id:
        raise InvalidInput("a memory cannot be linked to itself", field="to_id")
    found = graph.run("find_by_ids", **reader(identity), ids=[from_id, to_id])
    missing = [i for i in (from_id, to_id) if i not in {r["id"] for r in found if not r["archived"]}]
    if missing:
        raise not_found(missing[0])
    row = {
        "row": 0,
        "from_id": from_id,
        "to_id": to_id,
        "type": kind,
        "strength": strength,
        "at": datetime.now(UTC),
    }
    written = graph.run("link_memories", rows=[row])
    if not written:
        raise not_found(from_id)
    return LinkResult(from_id, to_id, kind, written[0]["strength"], written[0]["created"])


def bank_stats(graph: Graph, *, identity: Identity) -> BankStats:
    """Counts of a bank; `Memory.stats`."""
    row = graph.run("bank_stats", **reader(identity))[0]
    by_type: dict[str, int] = {}
    by_status: dict[str, int] = {}
    for group in row["types"]:
        by_type[group["type"]] = by_type.get(group["type"], 0) + group["n"]
        by_status[group["status"]] = by_status.get(group["status"], 0) + group["n"]
    return BankStats(
        bank=identity.bank,
        memories=sum(by_type.values()),
        by_type=dict(sorted(by_type.items())),
        by_status=dict(sorted(by_status.items())),
        archived=row["archived"],
        entities=row["entities"],
        sessions=row["sessions"],
        encoder=row["encoder"],
        oldest_at=row["oldest_at"],
        newest_at=row["newest_at"],
        usage=bank_usage(graph, identity=identity),
    )


def read_load(graph: Graph) -> Load:
    """What passes through the database and waits in it; `Memory.load`."""
    row = graph.run("read_load")[0]
    traffic = graph.traffic
    return Load(
        **row,
        transactions=traffic.transactions,
        in_flight=traffic.in_flight,
        retries=traffic.retries,
        reconnects=traffic.reconnects,
    )


def not_found(memory_id: str) -> NotFound:
    """The error for a memory that is not there, or not for this identity: nobody is told which."""
    return NotFound(
        f"there is no memory {memory_id!r} in this bank for this identity",
        cure="Ids come from write and search; `retrograph search` finds memories by words.",
    )


def _matching(graph: Graph, where: SearchFilter, *, identity: Identity) -> list[str]:
    rows = graph.run(
        "find_memories",
        bank=identity.bank,
        audiences=identity.audiences,
        statuses=[status.value for status in where.statuses],
        types=[kind.value for kind in where.types] if where.types else None,
        domain=where.domain,
        session=where.session,
        source=where.source.value if where.source else None,
        tags=list(where.tags) or None,
        since=where.since,
        until=where.until,
        limit=_MAX_FORGET,
    )
    wanted = where.metadata or {}
    return [row["id"] for row in rows if _carries(row["metadata"], wanted)]


def _carries(metadata: str | None, wanted: Mapping[str, Any]) -> bool:
    if not wanted:
        return True
    found: dict[str, Any] = json.loads(metadata) if metadata else {}
    return all(name in found and found[name] == value for name, value in wanted.items())
