"""What is read in a text."""

from dataclasses import dataclass
from datetime import datetime

from retrograph.models.words import EntityType, Language


@dataclass(frozen=True, slots=True)
class EntityMention:
    """An entity as a text mentions it.

    Args:
        name: The entity's name, in the form to show.
        type: What kind of thing it is.
        surface: The words of the text.
        start: Offset of the first character of `surface` in the text; -1 where a caller named it.
        end: Offset after the last character.
        weight: How central the entity is to the text.
    """

    name: str
    type: EntityType
    surface: str
    start: int = -1
    end: int = -1
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class RelationMention:
    """Subject, predicate, object as a text states them; subject and object are entity names.

    Args:
        subject: Name of the subject entity.
        predicate: Normalised predicate (`works_at`), or the surface in snake case.
        object: Name of the object entity, or the words of a value (a number, a date, a colour).
        surface: The words of the predicate in the text.
        negated: The text says that it is not so.
        confidence: How sure the extraction is.
        object_is_literal: The object is a value and no entity: it serves to compare facts and is never a node.
    """

    subject: str
    predicate: str
    object: str
    surface: str = ""
    negated: bool = False
    confidence: float = 1.0
    object_is_literal: bool = False


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time a text speaks of, resolved against a reference instant: [start, end), UTC; None is open."""

    start: datetime | None
    end: datetime | None
    surface: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What the extraction read in one text, offline and deterministic."""

    language: Language
    entities: tuple[EntityMention, ...] = ()
    relations: tuple[RelationMention, ...] = ()
    times: tuple[TimeSpan, ...] = ()
    parts: tuple[str, ...] = ()
    """Names inside and beside the entities, that recall walks and nothing else reads."""
