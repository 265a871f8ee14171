"""What the tools about task runs answer; see `answers`."""

from dataclasses import dataclass
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from retrograph.memory.reflecting import Reflection
from retrograph.memory.summarising import Summary
from retrograph.memory.trajectories import Trajectory
from retrograph.server.answers import NOTICE, written


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """A task run as it stands."""

    trajectory_id: str
    task: str
    status: str
    steps: Annotated[int, Field(description="Steps kept so far; the number of the last one")]
    left_out: Annotated[int, Field(description="Steps that the collection policy dropped")] = 0
    lessons: Annotated[tuple[str, ...], Field(description="Ids of the memories derived from it")] = ()
    task_type: str | None = None


@dataclass(frozen=True, slots=True)
class SentenceAnswer:
    """A sentence of a reflection, and the steps that show it."""

    part: Annotated[str, Field(description="happened, why or next_time")]
    text: str
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DroppedAnswer:
    """A sentence that was not taken."""

    part: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReflectionAnswer:
    """What a task run teaches."""

    notice: str
    trajectory_id: str
    sentences: tuple[SentenceAnswer, ...] = ()
    dropped: tuple[DroppedAnswer, ...] = ()
    memory_id: Annotated[str | None, Field(description="The lesson that was stored")] = None
    reason: Annotated[str | None, Field(description="Why there is no lesson")] = None


@dataclass(frozen=True, slots=True)
class SummaryAnswer:
    """What a session or a span of time was about."""

    notice: str
    text: str
    total: Annotated[int, Field(description="Memories it is made of")]
    names: tuple[str, ...] = ()
    sources: Annotated[tuple[str, ...], Field(description="Ids of the memories that are quoted")] = ()
    first_at: str | None = None
    last_at: str | None = None


def run_answer(run: Trajectory) -> RunAnswer:
    """The answer of trajectory_record."""
    return RunAnswer(run.id, run.task, run.status.value, len(run.steps), run.left_out, run.lessons, run.task_type)


def reflection_answer(found: Reflection) -> ReflectionAnswer:
    """The answer of memory_reflect."""
    return ReflectionAnswer(
        notice=NOTICE,
        trajectory_id=found.trajectory_id,
        sentences=tuple(SentenceAnswer(s.part, s.text, s.steps) for s in found.sentences),
        dropped=tuple(DroppedAnswer(d.part, d.text, d.reason) for d in found.dropped),
        memory_id=found.memory_id,
        reason=found.reason or None,
    )


def summary_answer(found: Summary, zone: ZoneInfo) -> SummaryAnswer:
    """The answer of memory_summarize."""
    return SummaryAnswer(
        notice=NOTICE,
        text=found.text,
        total=found.total,
        names=found.names,
        sources=found.sources,
        first_at=written(found.first_at, zone) if found.first_at else None,
        last_at=written(found.last_at, zone) if found.last_at else None,
    )
