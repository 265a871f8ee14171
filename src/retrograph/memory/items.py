"""One draft on its way through the write pipeline, and how it is compared with others."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np

from retrograph.extraction import entity_key
from retrograph.extraction.conflicts import Claim
from retrograph.extraction.duplicates import Statement, asks, content_hash
from retrograph.extraction.times import read_times
from retrograph.graph.records import Vector, digest, relation_json, relation_of
from retrograph.graph.store import StoredStatement
from retrograph.memory.drafts import Draft
from retrograph.models import Extraction, GateScores, Language, MemoryType, Source, Status, TimeSpan, WriteResult

_UNSCORED = GateScores(0, 0, 0, 0, 0, 0, "nothing yet")


@dataclass(slots=True)
class Item:
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
    name_keys: Sequence[str] = ()
    """Keys under which the bank, or what came before in its batch, may know a name in its text."""
    extraction: Extraction = field(default_factory=lambda: Extraction(Language.OTHER))
    vector: Vector = field(default_factory=lambda: np.empty(0, np.float32))
    claim_keys: list[str] = field(default_factory=list[str])
    type: MemoryType = MemoryType.NOTE
    scores: GateScores = _UNSCORED
    said_again_at: datetime | None = None
    """When its batch says the same later."""
    rivals: frozenset[str] = frozenset()
    """Ids of the memories that it was weighed against."""
    result: WriteResult | None = None

    @property
    def entity_keys(self) -> frozenset[str]:
        """Keys of the entities it mentions."""
        return frozenset(entity_key(e.name) for e in self.extraction.entities)

    @property
    def occurred_at(self) -> datetime:
        """When it happened, or was told."""
        return self.draft.occurred_at or self.at

    @property
    def said_at(self) -> datetime:
        """When it was said last."""
        return self.said_again_at or self.occurred_at

    @property
    def confidence(self) -> float:
        """The caller's, or its source's."""
        given = self.draft.confidence
        return self.draft.source.default_confidence if given is None else given

    def statement(self) -> Statement:
        """It as a text to compare."""
        return Statement(
            text=self.draft.content,
            language=self.language,
            entities=self.entity_keys,
            times=self.times,
        )

    def claim(self) -> Claim:
        """It as a claim to weigh."""
        return Claim(
            text=self.draft.content,
            relations=self.extraction.relations,
            occurred_at=self.said_at,
            created_at=self.at,
            confidence=self.confidence,
            source=self.draft.source,
            entities=self.entity_keys,
            language=self.language,
            owner=self.draft.speaker or "",
        )

    def stored(self) -> StoredStatement:
        """The same as if it had been read from the graph: for the later drafts of its batch."""
        return StoredStatement(
            id=self.id,
            content=self.draft.content,
            speaker=self.draft.speaker,
            occurred_at=self.occurred_at,
            said_at=self.said_at,
            created_at=self.at,
            confidence=self.confidence,
            source=self.draft.source.value,
            language=self.language.value,
            type=self.type.value,
            entities=tuple(sorted(self.entity_keys)),
            relations=tuple(relation_json(r) for r in self.extraction.relations),
            status=self.status.value,
        )


def identity_key(bank: str, audience: str, *, speaker: str | None, content: str, times: tuple[TimeSpan, ...]) -> str:
    """The key that two tellings of the same words share: by one speaker, about the same dates, for one audience.

    A question has another key than the statement of its words.
    """
    words = content_hash(content, times=times)
    return digest(bank, audience, speaker or "", f"{words}?" if asks(content) else words)


@lru_cache(maxsize=4096)
def statement_of(stored: StoredStatement, timezone: ZoneInfo) -> Statement:
    """A stored memory as a text to compare; its times are read in the time zone of the one beside it."""
    language = Language(stored.language)
    times = read_times(stored.content, reference=stored.occurred_at, timezone=timezone, language=language)
    return Statement(stored.content, language, frozenset(stored.entities), times)


@lru_cache(maxsize=4096)
def claim_of(stored: StoredStatement) -> Claim:
    """A stored memory as a claim to weigh: as old as when it was said last."""
    return Claim(
        text=stored.content,
        relations=tuple(relation_of(text) for text in stored.relations),
        occurred_at=stored.said_at,
        created_at=stored.created_at,
        confidence=stored.confidence,
        source=Source(stored.source),
        entities=frozenset(stored.entities),
        language=Language(stored.language),
        owner=stored.speaker or "",
    )
