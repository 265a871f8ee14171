"""The closed vocabularies."""

from enum import StrEnum


class Layer(StrEnum):
    """Cognitive layer of a memory; also its second label in the graph."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class MemoryType(StrEnum):
    """What kind of statement a memory is."""

    PREFERENCE = "preference"
    FACT = "fact"
    EVENT = "event"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    TASK_STATE = "task_state"
    SKILL = "skill"
    LESSON = "lesson"
    REFLECTION = "reflection"
    NOTE = "note"

    @property
    def layer(self) -> Layer:
        """The layer a memory of this type lives in."""
        return _LAYER_OF_TYPE[self]


_LAYER_OF_TYPE = {
    MemoryType.PREFERENCE: Layer.SEMANTIC,
    MemoryType.FACT: Layer.SEMANTIC,
    MemoryType.EVENT: Layer.EPISODIC,
    MemoryType.DECISION: Layer.EPISODIC,
    MemoryType.CONSTRAINT: Layer.SEMANTIC,
    MemoryType.TASK_STATE: Layer.EPISODIC,
    MemoryType.SKILL: Layer.PROCEDURAL,
    MemoryType.LESSON: Layer.PROCEDURAL,
    MemoryType.REFLECTION: Layer.SEMANTIC,
    MemoryType.NOTE: Layer.EPISODIC,
}


class Scope(StrEnum):
    """Who may recall a memory inside its bank."""

    PRIVATE = "private"
    TEAM = "team"
    GLOBAL = "global"


class Source(StrEnum):
    """Who a memory comes from; sets its default confidence and how far it is trusted."""

    USER = "user"
    SYSTEM = "system"
    TOOL = "tool"
    INFERENCE = "inference"

    @property
    def default_confidence(self) -> float:
        """Confidence of a memory whose writer gave none."""
        return {"user": 0.9, "system": 0.9, "tool": 0.8, "inference": 0.6}[self.value]


class Status(StrEnum):
    """Whether a memory is current."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    PENDING_REVIEW = "pending_review"


class EntityType(StrEnum):
    """What kind of thing an entity is."""

    PERSON = "person"
    ORGANISATION = "organisation"
    PLACE = "place"
    PRODUCT = "product"
    TOOL = "tool"
    FILE = "file"
    CONCEPT = "concept"
    IDENTIFIER = "identifier"


class Language(StrEnum):
    """Language of a text, as far as the extraction tells them apart."""

    ENGLISH = "en"
    CHINESE = "zh"
    MIXED = "mixed"
    OTHER = "other"


class LinkType(StrEnum):
    """Memory→memory links with a meaning of their own; a caller may use any other word as well."""

    CAUSES = "causes"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    REFINES = "refines"
    SIMILAR = "similar"
    FOLLOWS = "follows"
    PART_OF = "part_of"


class Outcome(StrEnum):
    """What became of a write; `merged` reinforces an earlier memory, `unchanged` is the same source told again."""

    STORED = "stored"
    MERGED = "merged"
    UNCHANGED = "unchanged"
    BORDERLINE = "borderline"
    REFUSED = "refused"
    QUARANTINED = "quarantined"


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
