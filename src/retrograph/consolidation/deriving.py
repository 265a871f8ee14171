"""Writes a memory that is made of others, and waits until recall finds it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from retrograph.consolidation.reflecting import LESSON
from retrograph.consolidation.report import Change
from retrograph.consolidation.work import Work, chunks
from retrograph.errors import GraphError
from retrograph.graph.records import NEVER_MS, digest, filter_token
from retrograph.memory.administering import restoring
from retrograph.memory.drafts import Draft
from retrograph.memory.items import Item
from retrograph.memory.rows import embedded_text, memory_row
from retrograph.models import (
    EntityMention,
    EntityType,
    Experience,
    Extraction,
    Identity,
    Language,
    MemoryType,
    Scope,
    Source,
    Status,
)

SUMMARY = "summary"
RULE = "rule"
KINDS = {SUMMARY: "summarised", RULE: "distilled", LESSON: "reflected"}

STALE = {SUMMARY: "stale summary", RULE: "stale rule"}
"""Why what was derived leaves recall: one of its sources was replaced or forgotten."""

_NAMESPACE = UUID("5a3c1a52-5a0d-5a0e-9d0b-7b1f6b1f6d01")
_LOOK_S = (0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
_NEAREST = 200
_SHARED = ("audience", "scope", "agent_id", "user_id", "domain", "confidence")


@dataclass(frozen=True, slots=True)
class Derived:
    """A memory to be made of others.

    Args:
        kind: `summary` or `rule`.
        content: Its words, all of them its sources' but for what introduces them.
        type: What kind of statement it is.
        members: What it is made of, as `read_members` gives it; not empty, all of one audience. What a new memory
            takes over of it is kept.
        sources: Ids of these, and of what had been merged into them.
        about: Entities it mentions, as `read_members` gives them.
        importance: [0, 1].
        occurred_at: When the last of its sources happened.
        language: Language of its words.
        experience: The value of a rule.
        worded_by: The model that worded it; None where its words are its sources'.
    """

    kind: str
    content: str
    type: MemoryType
    members: Sequence[dict[str, Any]]
    sources: tuple[str, ...]
    about: Sequence[dict[str, Any]]
    importance: float
    occurred_at: datetime
    language: Language
    experience: Experience | None = None
    worded_by: str | None = None

    def __post_init__(self) -> None:
        # Many wait to be written together: what is not needed any more, vectors above all, does not wait with them.
        kept = [{name: member["memory"].get(name) for name in _SHARED} for member in self.members]
        object.__setattr__(self, "members", kept)

    @property
    def id(self) -> str:
        """The same for the same sources, so that a run that is taken up again makes it once."""
        return str(uuid5(_NAMESPACE, "\0".join([self.kind, *sorted(self.sources)])))


def write_derived(work: Work, found: Sequence[Derived]) -> None:
    """Writes memories with their sources in one transaction, then waits until every index finds them.

    Raises:
        GraphError: An index does not find one; nothing was archived for it.
    """
    if not found:
        return
    work.note(Change(KINDS[d.kind], d.id, tuple(sorted(d.sources)), d.kind) for d in found)
    if work.dry_run:
        work.plan.derived += [_planned(derived, work) for derived in found]
        return
    encoder = work.encoder()
    vectors = encoder.encode_documents([embedded_text(d.content, speaker=None) for d in found])
    rows = [
        _row(work, d, number, vector, encoder.name)
        for number, (d, vector) in enumerate(zip(found, vectors, strict=True))
    ]
    linked = [{"id": d.id, "sources": list(d.sources)} for d in found]
    work.write(
        [
            (work.query("write_memories"), {"bank": work.bank, "rows": rows}),
            ("link_derived", {"bank": work.bank, "run": work.run, "rows": linked}),
            ("refresh_contexts", {"ids": [d.id for d in found]}),
        ]
    )
    _await_indexed(work, found)


def retire_stale(work: Work, kind: str) -> None:
    """Archives summaries or rules of which a source was replaced or forgotten: what is made anew is there by now.

    What had left recall for one of them, and was too little for another, comes back first.
    """
    stale = [row for rows in work.pages("page_stale", derived=kind) for row in rows]
    if not stale:
        return
    waiting = {source["id"]: source["audience"] for row in stale for source in row["waiting"]}
    if not work.dry_run:
        for part in chunks(sorted(waiting), work.batch):
            audiences = sorted({waiting[memory_id] for memory_id in part})
            work.write(restoring(work.bank, part, audiences=audiences, slot=work.slot))
        # A recall under way may have looked before the new one was there.
        work.settle()
    work.archive([row["memory"] for row in stale], STALE[kind])


def _planned(derived: Derived, work: Work) -> dict[str, Any]:
    """What later jobs of a dry run need to know of it."""
    return {
        "id": derived.id,
        "audience": derived.members[0]["audience"],
        "type": derived.type.value,
        "status": Status.ACTIVE.value,
        "importance": derived.importance,
        "created_at": work.now,
        "updated_at": work.now,
        "derived": derived.kind,
    }


def _row(work: Work, derived: Derived, number: int, vector: Any, encoder: str) -> dict[str, Any]:
    memories = derived.members
    first = memories[0]
    identity = Identity(work.bank, agent=_shared(memories, "agent_id"), user=_shared(memories, "user_id"))
    mentions = tuple(
        EntityMention(e["name"], EntityType(e["type"]), e["name"], weight=e["weight"] or 1.0) for e in derived.about
    )
    key = digest(work.bank, "derived", derived.id)
    item = Item(
        number=number,
        draft=Draft(
            derived.content,
            type=derived.type,
            domain=_shared(memories, "domain"),
            importance=derived.importance,
            confidence=min(memory["confidence"] for memory in memories),
            source=Source.INFERENCE,
            scope=Scope(first["scope"]),
            occurred_at=derived.occurred_at,
            experience=derived.experience,
        ),
        id=derived.id,
        at=work.now,
        audience=first["audience"],
        language=derived.language,
        times=(),
        identity_key=key,
        source_key=key,
        flags=(),
        status=Status.ACTIVE,
        vector=vector,
        type=derived.type,
    )
    item.extraction = Extraction(derived.language, mentions)
    row = memory_row(item, identity, encoder=encoder, timezone=work.timezone)
    # A time that one of the sources speaks of is no end of what all of them say.
    lasting = {"valid_from": None, "valid_until": None}
    tokens = f"{row['properties']['filter_tokens']} {_token(derived.id)}"
    row["properties"] |= {"worded_by": derived.worded_by} if derived.worded_by else {}
    row["properties"] |= {"derived": derived.kind, "derived_by": work.run, "filter_tokens": tokens, **lasting}
    row["embedding"]["properties"]["until_ms"] = NEVER_MS
    return row


def _shared(memories: Sequence[dict[str, Any]], name: str) -> str | None:
    values = {memory.get(name) for memory in memories}
    return values.pop() if len(values) == 1 else None


def _token(memory_id: str) -> str:
    """A word of the full-text index that no other memory has."""
    return filter_token("i", memory_id)


def _await_indexed(work: Work, found: Sequence[Derived]) -> None:
    rows = [
        {"id": d.id, "audience": d.members[0]["audience"], "words": f"+filter_tokens:{_token(d.id)}"} for d in found
    ]
    left: set[str] = set()
    for pause_s in _LOOK_S:
        time.sleep(pause_s)
        seen = work.graph.run(work.query("find_indexed"), bank=work.bank, rows=rows, k=_NEAREST)
        left = {d.id for d in found} - {row["id"] for row in seen if row["by_vector"] and row["by_words"]}
        if not left:
            return
    raise GraphError(
        f"an index does not find the new memory {min(left)!r}; its sources were not archived",
        cure="Run it again; `retrograph doctor` checks the indexes.",
    )
