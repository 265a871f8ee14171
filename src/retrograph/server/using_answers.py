"""What the tools about the use of a memory answer; see `answers`."""

from dataclasses import dataclass
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from retrograph import models
from retrograph.server.answers import NOTICE, HitAnswer, copied, search_answer
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
