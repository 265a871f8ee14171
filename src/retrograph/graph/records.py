"""Rows of the graph as the dataclasses of `models`, and back: the one place that knows the property names."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b, sha256
from typing import Any

import neo4j.vector
import numpy as np
from numpy.typing import NDArray

from retrograph.models import (
    Experience,
    Identity,
    Language,
    Layer,
    MemoryRecord,
    MemoryType,
    RelationMention,
    Scope,
    Source,
    Status,
)

Vector = NDArray[np.float32]
"""An embedding, a unit vector of 32-bit floats."""
NEVER_MS = 2**62
"""Milliseconds since the epoch that stand for "never" in `until_ms`."""
EARLIEST, LATEST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
"""Ends of a range of time that is open."""


def record_of(row: dict[str, Any]) -> MemoryRecord:
    """A memory node's properties as a record."""
    metadata, experience = row.get("metadata"), row.get("experience")
    return MemoryRecord(
        id=row["id"],
        bank=row["bank"],
        content=row["content"],
        type=MemoryType(row["type"]),
        layer=Layer(row["layer"]),
        scope=Scope(row["scope"]),
        status=Status(row["status"]),
        importance=row["importance"],
        confidence=row["confidence"],
        source=Source(row["source"]),
        language=Language(row["language"]),
        occurred_at=row["occurred_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        summary=row.get("summary"),
        domain=row.get("domain"),
        tags=tuple(row.get("tags") or ()),
        agent=row.get("agent_id"),
        user=row.get("user_id"),
        session=row.get("session_id"),
        speaker=row.get("speaker"),
        occurred_until=row.get("occurred_until"),
        valid_from=row.get("valid_from"),
        valid_until=row.get("valid_until"),
        last_accessed_at=row.get("last_accessed_at"),
        access_count=row.get("access_count") or 0,
        feedback=row.get("feedback") or 0,
        half_life_days=row.get("half_life_days"),
        expires_at=row.get("expires_at"),
        pinned=bool(row.get("pinned")),
        archived=row.get("archived_at") is not None,
        version=row.get("version") or 1,
        experience=Experience(**json.loads(experience)) if experience else None,
        metadata=json.loads(metadata) if metadata else None,
    )


def reader(identity: Identity) -> dict[str, Any]:
    """Parameters of queries that show a memory that waits for review to nobody but its writer."""
    return {
        "bank": identity.bank,
        "audiences": identity.audiences,
        "user": identity.user or "",
        "agent": identity.agent or "",
    }


def packed(vector: Vector) -> neo4j.vector.Vector:
    """A vector as a parameter of four bytes a number: sending it costs a quarter of the same as a list."""
    return neo4j.vector.Vector(vector.astype(">f4").tobytes(), "f32")


def visible_as(bank: str, audience: str, status: str) -> str:
    """The one word by which vector indexes filter, an embedding's `audience`: three filters cost much."""
    return f"{bank}\x1f{audience}\x1f{status}"


def filter_token(kind: str, value: str) -> str:
    """A word that stands for `value` in a full-text filter: a letter and digits, so that no analyzer changes it.

    Source: 128 bits of BLAKE2b; values never meet by chance.
    """
    return kind + str(int.from_bytes(blake2b(value.encode("utf-8"), digest_size=16).digest()))


def metadata_tokens(metadata: Mapping[str, Any] | None) -> list[str]:
    """A filter word for each top-level pair of some metadata."""
    return [
        filter_token("k", f"{key}\0{json.dumps(value, ensure_ascii=False, sort_keys=True)}")
        for key, value in sorted((metadata or {}).items())
    ]


def filter_tokens(
    *,
    bank: str,
    audience: str,
    status: str,
    type: str,
    source: str,
    domain: str | None,
    session: str | None,
    tags: tuple[str, ...],
    metadata: Mapping[str, Any] | None,
    claim_keys: list[str],
) -> str:
    """The words by which the full-text indexes filter a memory."""
    tokens = [filter_token("b", bank), filter_token("a", audience), f"s{status.replace('_', '')}"]
    tokens += [f"t{type.replace('_', '')}", f"o{source}"]
    tokens += [filter_token("d", domain)] if domain else []
    tokens += [filter_token("x", session)] if session else []
    tokens += [filter_token("g", tag) for tag in tags]
    return " ".join(tokens + metadata_tokens(metadata) + claim_keys)


def session_key(identity: Identity, session: str) -> str:
    """A session's key in its bank: two users' sessions of one name stay apart."""
    owner = identity.audience(Scope.PRIVATE)
    return sha256(f"{owner}\0{session}".encode()).hexdigest()[:32]


def digest(*parts: str) -> str:
    """A 128-bit key of some texts, as 32 hexadecimal digits."""
    return sha256("\0".join(parts).encode()).hexdigest()[:32]


def relation_json(relation: RelationMention) -> str:
    """A relation as the text a memory node keeps."""
    parts = [
        relation.subject,
        relation.predicate,
        relation.object,
        relation.negated,
        relation.object_is_literal,
    ]
    return json.dumps(parts, ensure_ascii=False)


def relation_of(text: str) -> RelationMention:
    """A relation as a memory node kept it."""
    subject, predicate, object_, negated, is_literal = json.loads(text)
    return RelationMention(subject, predicate, object_, negated=negated, object_is_literal=is_literal)


def until_ms(record_until_ms: int | None) -> int:
    """Milliseconds of the end of a validity; a very far instant where it has none."""
    return NEVER_MS if record_until_ms is None else record_until_ms
