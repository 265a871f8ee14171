"""Tool arguments: the annotated types that teach a model what to send, and how they are read.

Descriptions are paid for by every conversation that lists the tools, so each says only what the name and the
type do not.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field

from retrograph.errors import InvalidInput
from retrograph.models import (
    EntityInput,
    EntityType,
    Experience,
    MemoryType,
    RelationInput,
    SearchFilter,
    Source,
    Turn,
)

Name = Annotated[str, Field(min_length=1, max_length=200)]
Fraction = Annotated[float, Field(ge=0, le=1)]

Time = str | None

MemoryId = Annotated[str, Field(min_length=1, max_length=100, description="Id from a search or a write")]
Session = Annotated[Name | None, Field(description="Conversation or task run")]
Domain = Annotated[Name | None, Field(description="Field or task type, e.g. csv-parsing, billing")]
Tags = Annotated[list[Name] | None, Field(max_length=50)]
Types = Annotated[list[MemoryType] | None, Field(description="Only these types")]


def moment(meaning: str) -> Any:
    """What a time argument means; read it with `read_time`."""
    return Field(max_length=40, description=f"{meaning}, ISO 8601")


class _Argument(BaseModel):
    # An unknown key is an error: a misspelt one would otherwise be lost without a word.
    model_config = ConfigDict(extra="forbid", frozen=True)


class EntityArgument(_Argument):
    """An entity that the caller hands over."""

    name: Name
    type: EntityType = EntityType.CONCEPT
    aliases: list[Name] = Field(default_factory=list[str], max_length=50)

    def read(self) -> EntityInput:
        """The entity as the facade takes it."""
        return EntityInput(self.name, self.type, tuple(self.aliases))


class RelationArgument(_Argument):
    """A relation that the caller hands over."""

    subject: Name
    predicate: Name
    object: Name

    def read(self) -> RelationInput:
        """The relation as the facade takes it."""
        return RelationInput(self.subject, self.predicate, self.object)


class ExperienceArgument(_Argument):
    """The structured value of a lesson."""

    problem: str
    root_cause: str = ""
    solution: str = ""
    verified: bool = False
    outcome: str = ""

    def read(self) -> Experience:
        """The experience as the facade takes it."""
        return Experience(self.problem, self.root_cause, self.solution, self.verified, self.outcome)


class TurnArgument(_Argument):
    """One turn of a conversation, or a note."""

    content: str = Field(min_length=1)
    speaker: Name | None = None
    session: Name | None = None
    occurred_at: Annotated[Time, moment("When it was said; default: now")] = None
    type: MemoryType | None = None
    source: Source = Source.USER
    id: Name | None = Field(None, description="Your own id for it")
    domain: Name | None = None
    tags: list[Name] = Field(default_factory=list[str], max_length=50)
    metadata: dict[str, Any] | None = None

    def read(self, zone: ZoneInfo, *, session: str | None) -> Turn:
        """The turn as the facade takes it.

        Args:
            zone: Zone of times that name none.
            session: The session of turns that name none.
        """
        return Turn(
            content=self.content,
            speaker=self.speaker,
            session=self.session or session,
            occurred_at=read_time("occurred_at", self.occurred_at, zone),
            type=self.type,
            source=self.source,
            id=self.id,
            domain=self.domain,
            tags=tuple(self.tags),
            metadata=self.metadata,
        )


def read_time(field: str, value: str | None, zone: ZoneInfo) -> datetime | None:
    """An ISO 8601 time as an aware UTC datetime; a date alone is its first instant.

    Args:
        field: Name of the argument, for the error.
        value: The text; None passes.
        zone: Zone of a time that names none.

    Raises:
        InvalidInput: It is not ISO 8601, or outside what a calendar can say.
    """
    if value is None:
        return None
    try:
        read = datetime.fromisoformat(value.strip())
        return (read if read.tzinfo else read.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"{field} {value!r} is not a time.",
            cure="Write it as ISO 8601, e.g. 2026-03-05 or 2026-03-05T14:30:00+08:00.",
            field=field,
        ) from None


def read_filter(
    zone: ZoneInfo,
    *,
    types: Sequence[MemoryType] | None = None,
    domain: str | None = None,
    tags: Sequence[str] | None = None,
    session: str | None = None,
    source: Source | None = None,
    since: str | None = None,
    until: str | None = None,
    as_of: str | None = None,
    deep: bool = False,
) -> SearchFilter | None:
    """What narrows a recall or chooses what to forget; None where nothing does."""
    chosen = SearchFilter(
        types=tuple(types) if types else None,
        domain=domain,
        tags=tuple(tags or ()),
        session=session,
        source=source,
        since=read_time("since", since, zone),
        until=read_time("until", until, zone),
        as_of=read_time("as_of", as_of, zone),
        deep=deep,
    )
    return None if chosen == SearchFilter() else chosen


def given(**options: Any) -> dict[str, Any]:
    """Those options that a caller gave; the others keep the facade's default."""
    return {name: value for name, value in options.items() if value is not None}


def screen(arguments: Mapping[str, Any]) -> None:
    """Passes arguments that are text through and through.

    Raises:
        InvalidInput: A string holds half of a surrogate pair, which neither JSON nor the database can carry.
    """
    for name, value in arguments.items():
        if not _is_sound(value):
            raise InvalidInput(
                f"{name!a} holds half of a surrogate pair (U+D800 to U+DFFF).",
                cure="Send whole characters; the text was cut inside one, or decoded wrongly.",
                field=name,
            )


def _is_sound(value: Any) -> bool:
    # A stack, not recursion: how deep a caller nests must not matter.
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            try:
                item.encode("utf-8")
            except UnicodeEncodeError:
                return False
        elif isinstance(item, Mapping):
            waiting += [*item.keys(), *item.values()]  # pyright: ignore[reportUnknownMemberType,reportUnknownArgumentType,reportUnknownVariableType]
        elif isinstance(item, list | tuple):
            waiting += item  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
    return True
