"""What the tools about the use of a memory answer; see `answers`."""

from dataclasses import dataclass
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from retrograph import models
from retrograph.server.answers import NOTICE, HitAnswer, copied, search_answer, written
from retrograph.server.curated_answers import BriefAnswer


@dataclass(frozen=True, slots=True)
class FeedbackAnswer:
    """The memories that were marked, as they stand now: the sum of all feedback, uses, own half-life."""

    memories: tuple[models.FeedbackView, ...]


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """The working memory of a session, and what a query recalls beside it."""

    notice: str
    session: str
    turns_total: int
    tasks_total: int
    turns: Annotated[tuple[BriefAnswer, ...], Field(description="The newest, in the order in which they happened")] = ()
    tasks: Annotated[tuple[BriefAnswer, ...], Field(description="Open task states, this session's first")] = ()
    hits: Annotated[tuple[HitAnswer, ...], Field(description="Recalled beyond turns and tasks, best first")] = ()
    omitted: Annotated[int, Field(description="Relevant hits left out")] = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class ChangeAnswer:
    """A memory that somebody else wrote or changed, as it stands now."""

    kind: Annotated[str, Field(description="new, changed or restored")]
    at: str
    memory: BriefAnswer
    scope: str
    agent: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True)
class ChangesAnswer:
    """What others wrote since a cursor, oldest first."""

    notice: str
    cursor: Annotated[str, Field(description="Give it the next time")]
    changes: tuple[ChangeAnswer, ...] = ()
    more: Annotated[bool, Field(description="There is more: call again at once")] = False


def changes_answer(feed: models.ChangeFeed, zone: ZoneInfo) -> ChangesAnswer:
    """The answer of memory_changes."""
    found = tuple(
        ChangeAnswer(
            kind=change.kind,
            at=written(change.at, zone),
            memory=copied(BriefAnswer, change.memory, zone),
            scope=change.memory.scope.value,
            agent=change.memory.agent,
            user=change.memory.user,
        )
        for change in feed.changes
    )
    return ChangesAnswer(NOTICE, feed.cursor, found, feed.more)


def session_answer(context: models.SessionContext, zone: ZoneInfo) -> SessionAnswer:
    """The answer of session_context."""
    recalled = search_answer(context.recalled, zone, explain=False) if context.recalled else None
    return SessionAnswer(
        notice=NOTICE,
        session=context.session,
        turns=tuple(copied(BriefAnswer, turn, zone) for turn in context.turns),
        turns_total=context.turns_total,
        tasks=tuple(copied(BriefAnswer, task, zone) for task in context.tasks),
        tasks_total=context.tasks_total,
        hits=recalled.hits if recalled else (),
        omitted=recalled.omitted if recalled else 0,
        tokens=context.tokens,
    )
