"""Entities as people look at them: one under all its names, names that may be one, merge and its undo."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from retrograph.errors import Conflict, InvalidInput, NotFound
from retrograph.extraction import entity_key
from retrograph.graph import Graph
from retrograph.graph.records import record_of
from retrograph.memory.drafts import check_text
from retrograph.models import (
    EntityDetail,
    EntityRelation,
    EntityType,
    EntityView,
    Identity,
    MergeResult,
    SameAsList,
    SameAsView,
    Scope,
)

_MOST = 1_000
_MAX_REASON = 500


def explore_entity(graph: Graph, name: str, *, identity: Identity, limit: int) -> EntityDetail:
    """An entity under all its names; `Memory.entity`.

    Raises:
        NotFound: No memory that this identity may see mentions it.
        InvalidInput: The name is empty, or `limit` cannot work.
    """
    _check_limit(limit)
    key = _key(name, field="name")
    rows = graph.run("read_entity", bank=identity.bank, audiences=identity.audiences, key=key, limit=limit)
    if not rows:
        raise _unknown(name)
    row = rows[0]
    names = tuple(_view(entity) for entity in row["names"])
    return EntityDetail(
        entity=names[0],
        names=names,
        memories=tuple(record_of(memory) for memory in row["memories"]),
        memories_total=row["memories_total"],
        relations=tuple(EntityRelation(**relation) for relation in row["relations"]),
        relations_total=row["relations_total"],
        candidates=tuple(SameAsView(names[0], _view(c), c["confidence"], c["evidence"]) for c in row["candidates"]),
        candidates_total=row["candidates_total"],
    )


def entity_candidates(graph: Graph, *, identity: Identity, limit: int) -> SameAsList:
    """Names that may be one; `Memory.entity_candidates`.

    Raises:
        InvalidInput: `limit` cannot work.
    """
    _check_limit(limit)
    row = graph.run("list_candidates", bank=identity.bank, audiences=identity.audiences, limit=limit)[0]
    pairs = tuple(
        SameAsView(_view(p["first"]), _view(p["second"]), p["confidence"], p["evidence"]) for p in row["pairs"]
    )
    return SameAsList(pairs, row["total"])


def merge_entities(
    graph: Graph, alias: str, canonical: str, *, identity: Identity, scope: Scope | None, reason: str
) -> MergeResult:
    """Accepts that one name is another name of the same; `Memory.merge_entities`.

    Raises:
        NotFound: One of the two is not there, or not for this identity.
        InvalidInput: Both are one already, or the reason is too long.
        Conflict: The second is a name of the first.
    """
    check_text(reason, field="reason")
    if len(reason) > _MAX_REASON:
        raise InvalidInput(f"reason has {len(reason)} characters, at most {_MAX_REASON}", field="reason")
    one, other = _both(graph, alias, canonical, identity=identity)
    rows = graph.run(
        "merge_entities",
        bank=identity.bank,
        audiences=identity.audiences,
        audience=identity.audience(scope or identity.default_scope),
        alias=one.key,
        canonical=other.key,
        reason=reason,
        at=datetime.now(UTC),
    )
    if not rows:
        raise Conflict(
            f"{canonical!r} is a name of {alias!r} already",
            cure="Merge them the other way round, or unmerge them first.",
        )
    return MergeResult(one, other, merged=True, changed=rows[0]["created"])


def unmerge_entities(graph: Graph, alias: str, canonical: str, *, identity: Identity) -> MergeResult:
    """Takes a merge back, or an alias that a memory states; `Memory.unmerge_entities`.

    Raises:
        NotFound: One of the two is not there, or not for this identity.
        InvalidInput: Both names have one key.
    """
    one, other = _both(graph, alias, canonical, identity=identity)
    rows = graph.run(
        "unmerge_entities", bank=identity.bank, audiences=identity.audiences, alias=one.key, canonical=other.key
    )
    return MergeResult(one, other, merged=False, changed=bool(rows[0]["removed"]))


def _both(graph: Graph, alias: str, canonical: str, *, identity: Identity) -> tuple[EntityView, EntityView]:
    keys = _key(alias, field="alias"), _key(canonical, field="canonical")
    if keys[0] == keys[1]:
        raise InvalidInput(f"{alias!r} and {canonical!r} are one entity as it is", field="canonical")
    rows = graph.run("find_entities", bank=identity.bank, audiences=identity.audiences, keys=list(keys))
    found = {row["key"]: _view(row) for row in rows}
    for name, key in ((alias, keys[0]), (canonical, keys[1])):
        if key not in found:
            raise _unknown(name)
    return found[keys[0]], found[keys[1]]


def _key(name: str, *, field: str) -> str:
    check_text(name, field=field)
    if not name.strip():
        raise InvalidInput(f"{field} is empty", cure="Give the name of an entity, or its key.", field=field)
    return entity_key(name)


def _view(entity: Mapping[str, Any]) -> EntityView:
    return EntityView(entity["key"], entity["name"], EntityType(entity["type"]))


def _unknown(name: str) -> NotFound:
    return NotFound(
        f"there is no entity {name!r} in this bank for this identity",
        cure="Names come from the entities of memories: `retrograph get ID` shows them.",
    )


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= _MOST:
        raise InvalidInput(f"limit is {limit!r}, not between 1 and {_MOST:,}", field="limit")
