"""The write pipeline: normalise → safety → gate → duplicates → extraction → conflicts → one transaction.

It works on batches; a single write is a batch of one. Every answer says what decided.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from uuid_utils import uuid7

from retrograph.encoders import Encoder
from retrograph.extraction import Extractor, detect_language, entity_key
from retrograph.extraction.candidates import candidate_keys
from retrograph.extraction.conflicts import Claim, Judgement, Verdict, claim_subjects, judge
from retrograph.extraction.duplicates import (
    Statement,
    content_hash,
    is_similar,
    normalise,
    novelty_against,
    same_statement,
)
from retrograph.extraction.gate import decide, score_gate
from retrograph.extraction.keys import aliases_in
from retrograph.extraction.kinds import propose_importance, propose_type
from retrograph.extraction.safety import Throttle, screen, verdict
from retrograph.extraction.times import read_times, validity
from retrograph.graph import Graph, open_bank_space
from retrograph.graph.records import (
    digest,
    filter_token,
    filter_tokens,
    relation_json,
    relation_of,
    session_key,
    until_ms,
)
from retrograph.graph.store import (
    Batch,
    Known,
    NewLink,
    StoredStatement,
    Supersession,
    find_claims,
    find_neighbours,
    look_up,
    write_batch,
)
from retrograph.memory.drafts import Draft, checked, metadata_json
from retrograph.models import (
    EntityMention,
    EntityType,
    Extraction,
    GateScores,
    Identity,
    Language,
    MemoryType,
    Outcome,
    RelationMention,
    Scope,
    Source,
    Status,
    TimeSpan,
    WriteResult,
)
from retrograph.settings import Settings

_NEIGHBOURS = 8
_UNSCORED = GateScores(0, 0, 0, 0, 0, 0, "nothing yet")
_CLAIMS = 50
_MENTIONED_BY_CALLER = 1.0


@dataclass(slots=True)
class _Item:
    """One draft on its way through the pipeline."""

    number: int
    draft: Draft
    id: str
    at: datetime
    audience: str
    language: Language
    times: tuple[TimeSpan, ...]
    identity_key: str
    source_key: str
    flags: tuple[str, ...]
    status: Status
    extraction: Extraction = field(default_factory=lambda: Extraction(Language.OTHER))
    vector: NDArray[np.float32] | None = None
    claim_keys: list[str] = field(default_factory=list[str])
    type: MemoryType = MemoryType.NOTE
    scores: GateScores = _UNSCORED
    result: WriteResult | None = None

    @property
    def occurred_at(self) -> datetime:
        return self.draft.occurred_at or self.at

    @property
    def entity_keys(self) -> frozenset[str]:
        return frozenset(entity_key(e.name) for e in self.extraction.entities)

    def statement(self) -> Statement:
        return Statement(
            text=self.draft.content,
            language=self.language,
            entities=self.entity_keys,
            times=self.times,
        )

    def claim(self, confidence: float) -> Claim:
        return Claim(
            text=self.draft.content,
            relations=self.extraction.relations,
            occurred_at=self.occurred_at,
            created_at=self.at,
            confidence=confidence,
            source=self.draft.source,
            entities=self.entity_keys,
            language=self.language,
            owner=self.draft.speaker or "",
        )


class Writer:
    """Writes drafts into a bank. Thread-safe.

    Args:
        graph: The database.
        encoder: Gives the vectors.
        extractor: Reads entities and relations.
        settings: Gate, safety, time zone.
    """

    def __init__(self, graph: Graph, encoder: Encoder, extractor: Extractor, *, settings: Settings) -> None:
        self._graph = graph
        self._encoder = encoder
        self._extractor = extractor
        self._settings = settings
        self._timezone = ZoneInfo(settings.timezone)
        self._throttle = Throttle(per_minute=settings.safety.flood_per_minute)

    @property
    def graph(self) -> Graph:
        """The database written to."""
        return self._graph

    @property
    def timezone(self) -> ZoneInfo:
        """The time zone of naive times."""
        return self._timezone

    def warm(self) -> None:
        """Loads the language models."""
        self._extractor.warm()

    def write(
        self, drafts: Sequence[Draft], *, identity: Identity, force: bool, throttle: bool = True
    ) -> list[WriteResult]:
        """Writes a batch in one transaction.

        Args:
            drafts: What to write.
            identity: Who writes.
            force: Store whatever the gate says; safety still has its word.
            throttle: Count the drafts against floods.

        Returns:
            What became of each, in order.

        Raises:
            InvalidInput: A draft cannot work; nothing of the batch is stored.
            EncoderError: No vectors; nothing is stored.
            GraphError: The database does not answer; nothing is stored.
        """
        now = datetime.now(UTC)
        items = [self._item(number, draft, identity, now) for number, draft in enumerate(drafts)]
        for item in items:
            self._screen(item, identity, throttle=throttle)
        going = [item for item in items if item.result is None]
        if going:
            space = open_bank_space(
                self._graph, identity.bank, encoder=self._encoder.name, dimensions=self._encoder.dimensions
            )
            known = self._look_up(going, identity)
            going = [item for item in going if not self._was_told(item, known)]
            self._extract(going, known)
            self._encode(going)
            batch = Batch()
            kept = self._judge(going, batch, identity=identity, slot=space.slot, force=force)
            if kept or batch.reinforcements:
                self._commit(kept, batch, identity=identity, slot=space.slot, now=now)
        return [item.result for item in items if item.result is not None]

    def _item(self, number: int, draft: Draft, identity: Identity, now: datetime) -> _Item:
        draft = checked(draft, identity=identity, timezone=self._timezone, max_chars=self._settings.safety.max_chars)
        occurred_at = draft.occurred_at or now
        language = detect_language(draft.content)
        times = read_times(draft.content, reference=occurred_at, timezone=self._timezone, language=language)
        audience = identity.audience(draft.scope or Scope.GLOBAL)
        words = content_hash(draft.content, times=times)
        memory_id = str(uuid7())
        return _Item(
            number=number,
            draft=draft,
            id=memory_id,
            at=now,
            audience=audience,
            language=language,
            times=times,
            identity_key=digest(identity.bank, audience, draft.speaker or "", words),
            source_key=digest(identity.bank, audience, draft.source_id or memory_id),
            flags=(),
            status=Status.ACTIVE,
        )

    def _screen(self, item: _Item, identity: Identity, *, throttle: bool) -> None:
        draft = item.draft
        findings = screen(draft.content, settings=self._settings.safety, source=draft.source)
        item.flags = tuple(dict.fromkeys(f"{f.kind}: {f.reason}" for f in findings))
        action = verdict(findings)
        writer = f"{identity.bank}/{identity.agent}/{identity.user}/{draft.source}"
        if action == "refuse":
            item.result = WriteResult(
                Outcome.REFUSED, None, f"refused by the safety policy: {item.flags[0]}", flags=item.flags
            )
        elif throttle and not self._throttle.admit(writer, draft.content):
            item.result = WriteResult(
                Outcome.REFUSED,
                None,
                "refused: too many near-equal texts a minute from one source (RETROGRAPH_SAFETY_FLOOD_PER_MINUTE)",
                flags=item.flags,
            )
        elif action == "quarantine":
            item.status = Status.PENDING_REVIEW

    def _look_up(self, items: Sequence[_Item], identity: Identity) -> Known:
        keys = sorted({key for item in items for key in candidate_keys(item.draft.content)})
        return look_up(
            self._graph,
            identity.bank,
            keys=keys,
            identity_keys=[item.identity_key for item in items],
            source_keys=[item.source_key for item in items if item.draft.source_id],
        )

    def _was_told(self, item: _Item, known: Known) -> bool:
        """The very same source again (a repeated ingest): nothing changes, and the answer says so."""
        told = known.source_keys.get(item.source_key)
        if told:
            item.result = WriteResult(Outcome.UNCHANGED, told, "told before by the same source; nothing changed")
        return told is not None

    def _extract(self, items: Sequence[_Item], known: Known) -> None:
        names = {key: (name, EntityType(kind)) for key, (name, kind) in known.entities.items()}
        found = self._extractor.extract_many(
            [item.draft.content for item in items],
            speakers=[item.draft.speaker for item in items],
            known_names=names,
        )
        for item, extraction in zip(items, found, strict=True):
            item.extraction = _with_callers_own(extraction, item.draft)
            item.type = item.draft.type or propose_type(
                item.draft.content, language=item.language, speaker=item.draft.speaker
            )
            item.claim_keys = [
                filter_token("c", f"{item.audience}\0{subject}")
                for subject in claim_subjects(item.extraction.relations)
            ]

    def _encode(self, items: Sequence[_Item]) -> None:
        vectors = self._encoder.encode_documents(
            [embedded_text(item.draft.content, speaker=item.draft.speaker) for item in items]
        )
        for item, vector in zip(items, vectors, strict=True):
            item.vector = vector

    def _judge(
        self, items: Sequence[_Item], batch: Batch, *, identity: Identity, slot: str, force: bool
    ) -> list[_Item]:
        """Decides what becomes of each; what is kept is returned, what is reinforced goes into the batch."""
        neighbours = self._neighbours(items, identity=identity, slot=slot)
        kept: list[_Item] = []
        for item in items:
            near = _nearest(item, neighbours[item.number], kept)
            self._gate(item, near, force=force)
            if item.result is not None:
                continue
            twin = self._near_duplicate(item, near)
            if twin is not None:
                batch.reinforcements.append({"id": twin.id, "source_key": item.source_key, "at": item.at})
                item.result = WriteResult(
                    Outcome.MERGED,
                    twin.id,
                    "says the same as an earlier memory, which was reinforced",
                    scores=item.scores,
                    type=MemoryType(twin.type),
                    flags=item.flags,
                )
                continue
            kept.append(item)
            self._link_similar(item, near, batch)
        self._resolve_conflicts(kept, neighbours, batch, identity=identity)
        return kept

    def _neighbours(self, items: Sequence[_Item], *, identity: Identity, slot: str) -> dict[int, list[StoredStatement]]:
        found: dict[int, list[StoredStatement]] = {}
        for audience in sorted({item.audience for item in items}):
            mine = [item for item in items if item.audience == audience]
            vectors = [item.vector.tolist() for item in mine if item.vector is not None]
            answers = find_neighbours(self._graph, identity.bank, audience, vectors, slot=slot, k=_NEIGHBOURS)
            found |= {item.number: answer for item, answer in zip(mine, answers, strict=True)}
        return found

    def _gate(self, item: _Item, near: Sequence[StoredStatement], *, force: bool) -> None:
        nearest = near[0] if near else None
        novelty = novelty_against(
            item.statement(),
            _statement_of(nearest) if nearest else None,
            cosine=nearest.cosine or 0.0 if nearest else 0.0,
            floor=self._encoder.calibration.floor,
        )
        item.scores = score_gate(
            item.draft.content,
            settings=self._settings.gate,
            novelty=novelty,
            language=item.language,
            entities=len(item.extraction.entities),
            source=item.draft.source,
        )
        outcome, reason = decide(item.scores, settings=self._settings.gate, force=force)
        if outcome is not Outcome.STORED:
            item.result = WriteResult(outcome, None, reason, scores=item.scores, type=item.type, flags=item.flags)

    def _near_duplicate(self, item: _Item, near: Sequence[StoredStatement]) -> StoredStatement | None:
        if item.status is not Status.ACTIVE:
            return None
        for other in near:
            same_speaker = (other.speaker or None) == item.draft.speaker
            if same_speaker and same_statement(item.statement(), _statement_of(other), cosine=other.cosine or 0.0)[0]:
                # Equal words are left to the identity key, which no two writers can get past.
                is_equal = normalise(other.content) == normalise(item.draft.content)
                return None if is_equal else other
        return None

    def _link_similar(self, item: _Item, near: Sequence[StoredStatement], batch: Batch) -> None:
        for other in near[:3]:
            cosine = other.cosine or 0.0
            if is_similar(item.statement(), _statement_of(other), cosine=cosine)[0]:
                strength = self._encoder.calibration.relevance(cosine)
                batch.links.append(NewLink(item.id, other.id, "similar", strength))

    def _resolve_conflicts(
        self,
        kept: Sequence[_Item],
        neighbours: Mapping[int, list[StoredStatement]],
        batch: Batch,
        *,
        identity: Identity,
    ) -> None:
        by_claim: dict[int, list[StoredStatement]] = {}
        for audience in sorted({item.audience for item in kept}):
            mine = [item for item in kept if item.audience == audience]
            found = find_claims(self._graph, identity.bank, audience, [i.claim_keys for i in mine], limit=_CLAIMS)
            by_claim |= {item.number: claims for item, claims in zip(mine, found, strict=True)}
        earlier: list[_Item] = []
        for item in kept:
            if item.status is Status.ACTIVE:
                rivals = {s.id: s for s in (*by_claim[item.number], *neighbours[item.number])}
                rivals |= {
                    other.id: _stored(other)
                    for other in earlier
                    if other.audience == item.audience and set(other.claim_keys) & set(item.claim_keys)
                }
                self._weigh(item, list(rivals.values()), batch)
            earlier.append(item)

    def _weigh(self, item: _Item, rivals: Sequence[StoredStatement], batch: Batch) -> None:
        mine = item.claim(self._confidence(item))
        judged = [(rival, judge(mine, _claim_of(rival))) for rival in rivals]
        if any(j.verdict is Verdict.PENDING for _, j in judged):
            item.status = Status.PENDING_REVIEW
            batch.links += [
                NewLink(item.id, rival.id, "contradicts", 1.0) for rival, j in judged if j.verdict is Verdict.PENDING
            ]
            return
        older = _latest([(r, j) for r, j in judged if j.verdict is Verdict.SUPERSEDES])
        newer = _earliest([(r, j) for r, j in judged if j.verdict is Verdict.SUPERSEDED_BY])
        if older:
            batch.supersessions.append(Supersession(item.id, older[0].id, older[1].reason))
        if newer:
            batch.supersessions.append(Supersession(newer[0].id, item.id, newer[1].reason))

    def _confidence(self, item: _Item) -> float:
        given = item.draft.confidence
        return item.draft.source.default_confidence if given is None else given

    def _commit(self, kept: Sequence[_Item], batch: Batch, *, identity: Identity, slot: str, now: datetime) -> None:
        for item in kept:
            batch.rows.append(self._row(item, identity))
            batch.relations += _relation_rows(item)
            batch.aliases += _alias_rows(item)
        # Writers that lock shared nodes in one order do not deadlock.
        for row in batch.rows:
            row["mentions"].sort(key=itemgetter("key"))
        batch.relations.sort(key=lambda row: (row["subject"], row["object"], row["predicate"]))
        outcomes = write_batch(self._graph, identity.bank, batch, slot=slot, at=now)
        written = {row["row"]: row for row in outcomes}
        for item in kept:
            item.result = self._answer(item, batch, written[item.number])

    def _row(self, item: _Item, identity: Identity) -> dict[str, Any]:
        draft = item.draft
        session = draft.session
        importance = draft.importance
        if importance is None:
            importance = propose_importance(draft.content, item.type, item.scores)
        start, end = validity(
            draft.content, reference=item.occurred_at, timezone=self._timezone, language=item.language
        )
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
            "date_words": date_in_words(item.occurred_at.astimezone(self._timezone), item.language),
            "type": item.type.value,
            "layer": item.type.layer.value,
            "tags": list(draft.tags),
            "importance": importance,
            "confidence": self._confidence(item),
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
            "embedding_model": self._encoder.name,
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
            "embedding": {
                "id": item.id,
                "bank": identity.bank,
                "audience": item.audience,
                "status": item.status.value,
                "type": item.type.value,
                "domain": draft.domain or "",
                "session": session or "",
                "source": draft.source.value,
                "occurred_ms": int(item.occurred_at.timestamp() * 1000),
                "until_ms": until_ms(int(valid_until.timestamp() * 1000) if valid_until else None),
                "vector": item.vector.tolist() if item.vector is not None else [],
            },
        }

    def _answer(self, item: _Item, batch: Batch, written: Mapping[str, Any]) -> WriteResult:
        if written["outcome"] != "stored":
            told = written["outcome"] == "told"
            reason = (
                "told before by the same source; nothing changed"
                if told
                else "the same words are stored already; that memory was reinforced"
            )
            outcome = Outcome.UNCHANGED if told else Outcome.MERGED
            return WriteResult(outcome, written["id"], reason, item.scores, item.type, flags=item.flags)
        quarantined = item.status is Status.PENDING_REVIEW
        newer = next((s.newer for s in batch.supersessions if s.older == item.id), None)
        return WriteResult(
            Outcome.QUARANTINED if quarantined else Outcome.STORED,
            item.id,
            _stored_reason(item, newer),
            scores=item.scores,
            type=item.type,
            entities=tuple(dict.fromkeys(e.name for e in item.extraction.entities)),
            relations=tuple(_in_words(r) for r in item.extraction.relations),
            superseded=tuple(s.older for s in batch.supersessions if s.newer == item.id),
            superseded_by=newer,
            similar=tuple(link.to_id for link in batch.links if link.from_id == item.id and link.type == "similar"),
            flags=item.flags,
        )


def embedded_text(content: str, *, speaker: str | None) -> str:
    """What is embedded of a memory: a turn as a sentence with its speaker in it, anything else as it is.

    The speaker and the quotation marks both help recall much (docs/recall.md).
    """
    return f'{speaker} said, "{content}"' if speaker else content


_SENTENCE = re.compile(r"[^.!?。！？…]+[.!?。！？…]*")


def share_of_questions(text: str) -> float:
    """Share of a text's sentences that ask; recall prefers turns that tell."""
    sentences = [s.strip() for s in _SENTENCE.findall(text[:4_000]) if any(c.isalnum() for c in s)]
    return sum(s.endswith(("?", "？")) for s in sentences) / len(sentences) if sentences else 0.0


def date_in_words(at: datetime, language: Language) -> str:
    """A date as people write it, in the language of the text beside it, so that a question's words match it."""
    if language in (Language.CHINESE, Language.MIXED):
        return f"{at.year}年{at.month}月{at.day}日 星期{'一二三四五六日'[at.weekday()]}"
    return f"{at:%A} {at.day} {at:%B} {at.year}"


def _in_words(relation: RelationMention) -> str:
    return f"{relation.subject} {'not ' if relation.negated else ''}{relation.predicate} {relation.object}"


def _stored_reason(item: _Item, newer: str | None) -> str:
    if item.status is Status.PENDING_REVIEW:
        return f"kept for review: {item.flags[0] if item.flags else 'it contradicts a memory that is trusted more'}"
    if newer:
        return "stored as history: a newer memory says otherwise"
    return f"stored: {item.scores.decided_by}"


def _with_callers_own(extraction: Extraction, draft: Draft) -> Extraction:
    """Adds what the caller handed over; the caller's word on a name's type wins."""
    named = {entity_key(e.name): e for e in extraction.entities}
    for entity in draft.entities:
        named[entity_key(entity.name)] = EntityMention(
            name=entity.name.strip(), type=entity.type, surface=entity.name, weight=_MENTIONED_BY_CALLER
        )
    relations = list(extraction.relations)
    for relation in draft.relations:
        relations.append(
            RelationMention(relation.subject.strip(), relation.predicate, relation.object.strip(), relation.predicate)
        )
        for name in (relation.subject, relation.object):
            named.setdefault(entity_key(name), EntityMention(name=name.strip(), type=EntityType.CONCEPT, surface=name))
    return replace(extraction, entities=tuple(named.values()), relations=tuple(relations))


def _mention_rows(item: _Item) -> list[dict[str, Any]]:
    return [
        {
            "key": entity_key(e.name),
            "name": e.name,
            "type": e.type.value,
            "surface": e.surface,
            "weight": e.weight,
        }
        for e in item.extraction.entities
    ]


def _relation_rows(item: _Item) -> list[dict[str, Any]]:
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


def _alias_rows(item: _Item) -> list[dict[str, Any]]:
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
            "memory_id": item.id,
            "at": item.at,
        }
        for alias, canonical in pairs
        if entity_key(alias) != entity_key(canonical)
    ]


def _nearest(item: _Item, stored: Sequence[StoredStatement], kept: Sequence[_Item]) -> list[StoredStatement]:
    """Stored neighbours and those of the same batch, nearest first."""
    near = list(stored)
    for other in kept:
        if other.audience == item.audience and other.vector is not None and item.vector is not None:
            near.append(replace(_stored(other), cosine=float(other.vector @ item.vector)))
    return sorted(near, key=lambda s: (-(s.cosine or 0.0), s.id))[:_NEIGHBOURS]


def _stored(item: _Item) -> StoredStatement:
    return StoredStatement(
        id=item.id,
        content=item.draft.content,
        speaker=item.draft.speaker,
        occurred_at=item.occurred_at,
        created_at=item.at,
        confidence=item.draft.source.default_confidence if item.draft.confidence is None else item.draft.confidence,
        source=item.draft.source.value,
        language=item.language.value,
        type=item.type.value,
        entities=tuple(sorted(item.entity_keys)),
        relations=tuple(relation_json(r) for r in item.extraction.relations),
        status=item.status.value,
        cosine=None,
    )


def _statement_of(stored: StoredStatement) -> Statement:
    language = Language(stored.language)
    times = read_times(stored.content, reference=stored.occurred_at, timezone=ZoneInfo("UTC"), language=language)
    return Statement(stored.content, language, frozenset(stored.entities), times)


def _claim_of(stored: StoredStatement) -> Claim:
    return Claim(
        text=stored.content,
        relations=tuple(relation_of(text) for text in stored.relations),
        occurred_at=stored.occurred_at,
        created_at=stored.created_at,
        confidence=stored.confidence,
        source=Source(stored.source),
        entities=frozenset(stored.entities),
        language=Language(stored.language),
        owner=stored.speaker or "",
    )


def _latest(found: list[tuple[StoredStatement, Judgement]]) -> tuple[StoredStatement, Judgement] | None:
    return max(found, key=lambda pair: (pair[0].occurred_at, pair[0].id), default=None)


def _earliest(found: list[tuple[StoredStatement, Judgement]]) -> tuple[StoredStatement, Judgement] | None:
    return min(found, key=lambda pair: (pair[0].occurred_at, pair[0].id), default=None)


def _caption(draft: Draft) -> str:
    text = " ".join((draft.summary or draft.content).split())
    return text if len(text) <= 60 else text[:59] + "…"


def _experience_json(draft: Draft) -> str | None:
    return json.dumps(asdict(draft.experience), ensure_ascii=False) if draft.experience else None
