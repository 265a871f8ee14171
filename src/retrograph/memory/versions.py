"""Versions of a memory: its history, a new version, what can be changed in place, undo and restore."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from retrograph import cypher
from retrograph.errors import Conflict, InvalidInput
from retrograph.extraction.duplicates import content_hash
from retrograph.graph import Graph, bank_space
from retrograph.graph.driver import Call
from retrograph.graph.records import filter_token, metadata_tokens, reader, record_of
from retrograph.graph.store import settle
from retrograph.memory.administering import get_memory, not_found, restoring
from retrograph.memory.drafts import Draft, checked, metadata_json
from retrograph.memory.writing import Writer
from retrograph.models import (
    Identity,
    MemoryRecord,
    MemoryType,
    MemoryVersion,
    Outcome,
    RestoreReport,
    Status,
    VersionChange,
    WriteResult,
)

CLEARABLE = ("domain", "expires_at", "half_life_days", "metadata", "summary", "tags")
"""Fields that `update` can empty."""
_MOST_IDS = 10_000
_LETTERS = {"domain": "d", "tags": "g", "metadata": "k"}
"""The first letter of the filter words of a field; see `records.filter_tokens`."""


@dataclass(frozen=True, slots=True)
class MemoryChanges:
    """What an update changes; None leaves a field as it is."""

    content: str | None = None
    occurred_at: datetime | None = None
    summary: str | None = None
    domain: str | None = None
    tags: Sequence[str] | None = None
    importance: float | None = None
    confidence: float | None = None
    pinned: bool | None = None
    expires_at: datetime | None = None
    half_life_days: float | None = None
    metadata: Mapping[str, Any] | None = None
    clear: Sequence[str] = ()

    @property
    def fields(self) -> dict[str, Any]:
        """What is given besides the content and its time; None for what is cleared."""
        names = (*CLEARABLE, "importance", "confidence", "pinned")
        given = {name: value for name in names if (value := getattr(self, name)) is not None}
        return given | dict.fromkeys(self.clear)


def history_of(graph: Graph, memory_id: str, *, identity: Identity) -> tuple[MemoryVersion, ...]:
    """The chain of versions a memory stands in, oldest first; `Memory.history`.

    Raises:
        NotFound: There is no such memory, or none for this identity.
    """
    rows = graph.run("read_history", id=memory_id, **reader(identity))
    if not rows:
        raise not_found(memory_id)
    return tuple(_version(row["memory"], row["ended_by"]) for row in rows)


def undo_supersede(graph: Graph, newer_id: str, older_id: str, *, identity: Identity) -> VersionChange:
    """Takes back that one memory replaces another; `Memory.undo_supersede`.

    Raises:
        NotFound: One of the two is not there, or not for this identity.
    """
    for memory_id in (newer_id, older_id):
        get_memory(graph, memory_id, identity=identity)
    remove: Call = ("remove_supersession", {"newer": newer_id, "older": older_id})
    answers = graph.run_all([remove, *settle([newer_id, older_id], slot=_slot(graph, identity))])
    newer, older = (get_memory(graph, i, identity=identity).memory.status for i in (newer_id, older_id))
    return VersionChange(newer_id, older_id, bool(answers[0][0]["removed"]), newer, older)


def update_memory(
    graph: Graph, writer: Writer, memory_id: str, changes: MemoryChanges, *, identity: Identity, max_chars: int
) -> WriteResult:
    """Writes a new version, or changes fields in place; `Memory.update`.

    Raises:
        NotFound: There is no such memory, or none for this identity.
        InvalidInput: A value cannot work, or nothing is to be changed.
        Conflict: It is not the current version.
    """
    _check(changes)
    memory = get_memory(graph, memory_id, identity=identity).memory
    draft = checked(_draft(memory, changes), identity=identity, timezone=writer.timezone, max_chars=max_chars)
    if changes.occurred_at is None and changes.content in (None, memory.content):
        if memory.archived:
            raise Conflict(f"memory {memory_id!r} is archived", cure="Restore it first.")
        return _edit(graph, memory, draft, changes, identity=identity)
    done = _written_before(graph, memory, draft.content, identity=identity)
    if done:
        return done
    owner = replace(identity, user=memory.user, agent=memory.agent, session=memory.session)
    try:
        result = writer.write([draft], identity=owner, force=True)[0]
    except Conflict:
        # Two who correct a memory at the same moment: the later one is told of the other's version.
        latest = get_memory(graph, memory_id, identity=identity).memory
        done = _written_before(graph, latest, draft.content, identity=identity)
        if done:
            return done
        raise
    if result.outcome is Outcome.MERGED:
        return replace(result, superseded=(memory_id,), reason="the new words are those of another memory")
    if result.outcome is Outcome.STORED:
        return replace(result, superseded=tuple(dict.fromkeys((memory_id, *result.superseded))))
    return result


def restore_memories(graph: Graph, memory_ids: Sequence[str], *, identity: Identity) -> RestoreReport:
    """Brings memories back from the archive; `Memory.restore`.

    Raises:
        NotFound: An id is not there, or not for this identity; nothing is done.
        InvalidInput: There is no id, or there are too many.
    """
    ids = list(dict.fromkeys(memory_ids))
    if not 1 <= len(ids) <= _MOST_IDS:
        raise InvalidInput(f"{len(ids)} ids to restore, not between 1 and {_MOST_IDS:,}", field="memory_ids")
    found = {row["id"]: row["archived"] for row in graph.run("find_by_ids", **reader(identity), ids=ids)}
    missing = [memory_id for memory_id in ids if memory_id not in found]
    if missing:
        raise not_found(missing[0])
    archived = [memory_id for memory_id in ids if found[memory_id]]
    if not archived:
        return RestoreReport(unchanged=tuple(ids))
    slot = _slot(graph, identity)
    calls = restoring(identity.bank, archived, audiences=identity.audiences, slot=slot)
    rows = graph.run_all(calls)[1]
    return RestoreReport(
        restored=tuple(row["id"] for row in rows if not row["twin"]),
        unchanged=tuple(memory_id for memory_id in ids if not found[memory_id]),
        twins={row["id"]: row["twin"] for row in rows if row["twin"]},
    )


def _version(memory: dict[str, Any], ended_by: Mapping[str, Any] | None) -> MemoryVersion:
    record = record_of(memory)
    if ended_by is None:
        return MemoryVersion(record)
    return MemoryVersion(record, memory.get("superseded_at"), ended_by["id"], ended_by["reason"] or "")


def _check(changes: MemoryChanges) -> None:
    unknown = set(changes.clear) - set(CLEARABLE)
    if unknown:
        raise InvalidInput(
            f"the field {min(unknown)!r} cannot be cleared", cure=f"These can: {', '.join(CLEARABLE)}.", field="clear"
        )
    both = [name for name in changes.clear if getattr(changes, name) is not None]
    if both:
        raise InvalidInput(f"{both[0]} is both given and cleared", field="clear")
    if changes.content is None and changes.occurred_at is not None:
        raise InvalidInput(
            "occurred_at is given without content",
            cure="A new version has both; give the content again if it is the same.",
            field="occurred_at",
        )
    if changes.content is None and not changes.fields:
        raise InvalidInput("nothing is to be changed", cure="Give content, or a field such as tags or importance.")


def _draft(memory: MemoryRecord, changes: MemoryChanges) -> Draft:
    """The new version as a draft; what is not changed is as it was, but for what described the old words."""
    draft = Draft(
        content=memory.content if changes.content is None else changes.content,
        type=memory.type,
        summary=memory.summary if changes.content is None else None,
        domain=memory.domain,
        tags=memory.tags,
        importance=memory.importance,
        confidence=memory.confidence,
        source=memory.source,
        scope=memory.scope,
        speaker=memory.speaker,
        session=memory.session,
        occurred_at=changes.occurred_at or _occurred_at(memory),
        expires_at=memory.expires_at,
        half_life_days=memory.half_life_days,
        pinned=memory.pinned,
        experience=memory.experience,
        metadata=memory.metadata,
        replaces=memory.id,
    )
    given = changes.fields
    if given.get("tags", ()) is None:
        given["tags"] = ()
    if "tags" in given:
        given["tags"] = tuple(given["tags"])
    return replace(draft, **given)


def _occurred_at(memory: MemoryRecord) -> datetime:
    """An event, or a turn of a conversation, stays where it happened; another statement holds from now on."""
    if memory.type is MemoryType.EVENT or memory.session:
        return memory.occurred_at
    # After the one that it replaces even where the clock was set back meanwhile.
    return max(memory.occurred_at + timedelta(microseconds=1), datetime.now(UTC))


def _written_before(graph: Graph, memory: MemoryRecord, content: str, *, identity: Identity) -> WriteResult | None:
    """The answer to an update that was made before; an error where another version is the current one."""
    if memory.archived:
        raise Conflict(f"memory {memory.id!r} is archived", cure="Restore it first.")
    if memory.status is Status.PENDING_REVIEW:
        raise Conflict(f"memory {memory.id!r} waits for review", cure="Approve or reject it first.")
    if memory.status is Status.ACTIVE:
        return None
    for version in history_of(graph, memory.id, identity=identity):
        if version.memory.status is Status.ACTIVE:
            if content_hash(version.memory.content) == content_hash(content):
                reason = "this version was written before; nothing changed"
                return WriteResult(Outcome.UNCHANGED, version.memory.id, reason, type=version.memory.type)
            raise Conflict(
                f"memory {memory.id!r} was superseded by {version.memory.id!r}", cure="Update that one instead."
            )
    raise Conflict(f"memory {memory.id!r} was superseded", cure="`history` shows its versions.")


def _edit(
    graph: Graph, memory: MemoryRecord, draft: Draft, changes: MemoryChanges, *, identity: Identity
) -> WriteResult:
    """Changes fields in place, and the words that the full-text indexes filter by."""
    given = changes.fields
    if not given:
        return WriteResult(Outcome.UNCHANGED, memory.id, "it says so already; nothing changed", type=memory.type)
    properties: dict[str, Any] = {name: getattr(draft, name) for name in given}
    if "metadata" in properties:
        properties["metadata"] = metadata_json(draft.metadata)
    if "tags" in properties:
        properties["tags"] = list(draft.tags)
    dropped = [letter for name, letter in _LETTERS.items() if name in given]
    added = [filter_token("d", draft.domain)] if "domain" in given and draft.domain else []
    added += [filter_token("g", tag) for tag in draft.tags] if "tags" in given else []
    added += metadata_tokens(draft.metadata) if "metadata" in given else []
    row = {"id": memory.id, "properties": properties, "dropped": dropped, "added": added, "at": datetime.now(UTC)}
    edit = cypher.load("edit_memories").in_slot(_slot(graph, identity))
    if not graph.run(edit, bank=identity.bank, audiences=identity.audiences, rows=[row]):
        raise not_found(memory.id)
    return WriteResult(Outcome.STORED, memory.id, f"changed in place: {', '.join(sorted(given))}", type=memory.type)


def _slot(graph: Graph, identity: Identity) -> str:
    space = bank_space(graph, identity.bank)
    return space.slot if space else "a"
