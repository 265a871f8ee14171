"""Items as rows of the write queries."""

import json
import re
from dataclasses import asdict
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from retrograph.extraction import entity_key
from retrograph.extraction.candidates import bare_key
from retrograph.extraction.duplicates import content_hash
from retrograph.extraction.identifiers import NAME_WEIGHT
from retrograph.extraction.keys import aliases_in
from retrograph.extraction.kinds import propose_importance
from retrograph.extraction.times import validity
from retrograph.graph.records import filter_tokens, packed, relation_json, session_key, until_ms, visible_as
from retrograph.memory.drafts import Draft, metadata_json
from retrograph.memory.items import Item
from retrograph.models import EntityMention, EntityType, Identity, Language, Scope, Status

_PART_WEIGHT = 0.5
_SENTENCE = re.compile(r"[^.!?。！？…]+[.!?。！？…]*")


def embedded_text(content: str, *, speaker: str | None) -> str:
    """What is embedded of a memory: a turn as a sentence with its speaker in it, anything else as it is.

    The speaker and the quotation marks both help recall much (docs/recall.md).
    """
    return f'{speaker} said, "{content}"' if speaker else content


def share_of_questions(text: str) -> float:
    """Share of a text's sentences that ask; recall prefers turns that tell."""
    sentences = [s.strip() for s in _SENTENCE.findall(text[:4_000]) if any(c.isalnum() for c in s)]
    return sum(s.endswith(("?", "？")) for s in sentences) / len(sentences) if sentences else 0.0


def date_in_words(at: datetime, language: Language) -> str:
    """A date as people write it, in the language of the text beside it, so that a question's words match it."""
    if language in (Language.CHINESE, Language.MIXED):
        return f"{at.year}年{at.month}月{at.day}日 星期{'一二三四五六日'[at.weekday()]}"
    return f"{at:%A} {at.day} {at:%B} {at.year}"


def memory_row(item: Item, identity: Identity, *, encoder: str, timezone: ZoneInfo) -> dict[str, Any]:
    """What `write_memories` writes of one memory: the node, its session, its mentions, its vector."""
    draft = item.draft
    session = draft.session
    importance = draft.importance
    if importance is None:
        importance = propose_importance(draft.content, item.type, item.scores)
    start, end = validity(draft.content, reference=item.occurred_at, timezone=timezone, language=item.language)
    key = session_key(identity, session) if session else None
    valid_until = draft.valid_until or end
    properties: dict[str, Any] = {
        "id": item.id,
        "name": _caption(draft),
        "bank": identity.bank,
        "agent_id": identity.agent,
        "user_id": identity.user,
        "session_id": session,
        "session_key": key,
        "scope": (draft.scope or Scope.GLOBAL).value,
        "audience": item.audience,
        "domain": draft.domain,
        "content": draft.content,
        "summary": draft.summary,
        "speaker": draft.speaker,
        "speaker_key": entity_key(draft.speaker) if draft.speaker else None,
        "asks": share_of_questions(draft.content),
        "more_words": _more_words(draft),
        "date_words": date_in_words(item.occurred_at.astimezone(timezone), item.language),
        "type": item.type.value,
        "layer": item.type.layer.value,
        "tags": list(draft.tags),
        "importance": importance,
        "confidence": item.confidence,
        "source": draft.source.value,
        "language": item.language.value,
        "occurred_at": item.occurred_at,
        "occurred_until": draft.occurred_until,
        "valid_from": draft.valid_from or start,
        "valid_until": valid_until,
        "created_at": item.at,
        "updated_at": item.at,
        "last_accessed_at": None,
        "access_count": 0,
        "feedback": 0,
        "half_life_days": draft.half_life_days,
        "expires_at": draft.expires_at,
        "pinned": draft.pinned,
        "status": item.status.value,
        "version": 1,
        "content_hash": content_hash(draft.content),
        "schema_version": 1,
        "embedding_model": encoder,
        "experience": _experience_json(draft),
        "metadata": metadata_json(draft.metadata),
        "relations": [relation_json(relation) for relation in item.extraction.relations],
        "claim_keys": item.claim_keys,
        "flags": list(item.flags),
        "source_key": item.source_key,
        "own_key": item.identity_key,
        "superseded_at": None,
        "filter_tokens": filter_tokens(
            bank=identity.bank,
            audience=item.audience,
            status=item.status.value,
            type=item.type.value,
            source=draft.source.value,
            domain=draft.domain,
            session=session,
            tags=draft.tags,
            metadata=draft.metadata,
            claim_keys=item.claim_keys,
        ),
    }
    return {
        "row": item.number,
        "id": item.id,
        "identity_key": item.identity_key,
        "source_key": item.source_key,
        "layer": item.type.layer.value.capitalize(),
        "properties": properties,
        "session": {"key": key, "id": session} if session else None,
        "mentions": _mention_rows(item),
        "parts": _part_rows(item),
        "bare": _bare_rows(item),
        "embedding": _embedding_row(item, identity, valid_until=valid_until),
    }


def _embedding_row(item: Item, identity: Identity, *, valid_until: datetime | None) -> dict[str, Any]:
    """What the vector index filters by, and the vector."""
    draft = item.draft
    properties = {
        "id": item.id,
        "bank": identity.bank,
        "audience": visible_as(identity.bank, item.audience, item.status.value),
        "status": item.status.value,
        "type": item.type.value,
        "domain": draft.domain or "",
        "session": draft.session or "",
        "source": draft.source.value,
        "occurred_ms": int(item.occurred_at.timestamp() * 1000),
        "until_ms": until_ms(int(valid_until.timestamp() * 1000) if valid_until else None),
    }
    return {"properties": properties, "vector": packed(item.vector)}


def relation_rows(item: Item) -> list[dict[str, Any]]:
    """What `write_relations` writes of one memory: relations between two entities it mentions."""
    if item.status is not Status.ACTIVE:
        return []
    keys = item.entity_keys
    return [
        {
            "subject": entity_key(relation.subject),
            "object": entity_key(relation.object),
            "predicate": relation.predicate,
            "surface": relation.surface,
            "negated": relation.negated,
            "audience": item.audience,
            "weight": relation.confidence,
            "memory_id": item.id,
            "valid_from": item.draft.valid_from,
            "valid_until": item.draft.valid_until,
        }
        for relation in item.extraction.relations
        if not relation.object_is_literal
        and {entity_key(relation.subject), entity_key(relation.object)} <= keys
        and entity_key(relation.subject) != entity_key(relation.object)
    ]


def alias_rows(item: Item) -> list[dict[str, Any]]:
    """What `write_aliases` writes of one memory: other names that its text or its caller gives."""
    if item.status is not Status.ACTIVE:
        return []
    pairs = list(aliases_in(item.draft.content))
    pairs += [(alias, entity.name) for entity in item.draft.entities for alias in entity.aliases]
    kinds = {entity_key(e.name): e.type.value for e in item.extraction.entities}
    return [
        {
            "alias": alias,
            "alias_key": entity_key(alias),
            "canonical": canonical,
            "canonical_key": entity_key(canonical),
            "type": kinds.get(entity_key(canonical), EntityType.CONCEPT.value),
            "audience": item.audience,
            "memory_id": item.id,
            "at": item.at,
        }
        for alias, canonical in pairs
        if entity_key(alias) != entity_key(canonical)
    ]


def _mention_rows(item: Item) -> list[dict[str, Any]]:
    speaker = entity_key(item.draft.speaker) if item.draft.speaker else None
    return [
        {
            "key": entity_key(e.name),
            "name": e.name,
            "type": e.type.value,
            "surface": e.surface,
            "weight": e.weight,
            "speaks": entity_key(e.name) == speaker,
            "is_name": _has_a_name(e),
        }
        for e in item.extraction.entities
    ]


def _has_a_name(mention: EntityMention) -> bool:
    return mention.type is not EntityType.CONCEPT or mention.weight >= NAME_WEIGHT


def _part_rows(item: Item) -> list[dict[str, Any]]:
    """Names that names hold: "Steve Hillage" of "Green (Steve Hillage album)"."""
    named = {entity_key(e.name) for e in item.extraction.entities}
    parts = {key: part for part in item.extraction.parts if (key := entity_key(part)) not in named}
    return [{"key": key, "name": name, "weight": _PART_WEIGHT} for key, name in sorted(parts.items())]


def _bare_rows(item: Item) -> list[dict[str, Any]]:
    """Names without their accents and article, as a question may say them. They are no entities: Zoë is not Zoe."""
    names = {entity_key(e.name): e.name for e in item.extraction.entities if _has_a_name(e)}
    names |= {entity_key(part): part for part in item.extraction.parts}
    bare = {key: name for known, name in names.items() if (key := bare_key(known)) not in names}
    return [{"key": key, "name": name, "weight": _PART_WEIGHT} for key, name in sorted(bare.items())]


def _caption(draft: Draft) -> str:
    text = " ".join((draft.summary or draft.content).split())
    return text if len(text) <= 60 else text[:59] + "…"


def _more_words(draft: Draft) -> str | None:
    """Words of the summary and the experience: a lesson is found by its root cause too."""
    lesson = draft.experience
    parts = [draft.summary]
    parts += [lesson.problem, lesson.root_cause, lesson.solution, lesson.outcome] if lesson else []
    return "\n".join(part for part in parts if part) or None


def _experience_json(draft: Draft) -> str | None:
    return json.dumps(asdict(draft.experience), ensure_ascii=False) if draft.experience else None
