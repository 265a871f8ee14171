"""Tools about task runs: record them, draw lessons from them, summarise."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

from fastmcp.tools import ToolResult
from pydantic import BaseModel, ConfigDict, Field

from retrograph.memory.trajectories import Step, StepKind, TaskStatus
from retrograph.models import Scope
from retrograph.server import learning_answers
from retrograph.server.arguments import Session, Time, moment, read_time
from retrograph.server.curating import answered
from retrograph.server.identity import require_scope

if TYPE_CHECKING:
    from retrograph.memory import Memory

_RunId = Annotated[str, Field(min_length=1, max_length=100)]
_Part = Annotated[str, Field(max_length=10_000)]


class StepArgument(BaseModel):
    """A step of a task run; give what it has."""

    model_config = ConfigDict(extra="forbid")

    kind: StepKind
    text: Annotated[str, Field(max_length=100_000, description="What was thought, decided or said")] = ""
    reason: Annotated[str, Field(max_length=100_000, description="Why, of a decision")] = ""
    tool: Annotated[str, Field(max_length=500)] = ""
    input: Annotated[str, Field(max_length=100_000)] = ""
    output: Annotated[str, Field(max_length=100_000)] = ""
    error: Annotated[str, Field(max_length=100_000)] = ""
    at: Time = None
    tokens: Annotated[int | None, Field(ge=0)] = None
    duration_ms: Annotated[float | None, Field(ge=0)] = None
    id: Annotated[str | None, Field(min_length=1, max_length=100, description="Yours: told again changes nothing")] = (
        None
    )

    def read(self, zone: ZoneInfo) -> Step:
        """It as the facade takes it."""
        fields: dict[str, Any] = self.model_dump(exclude={"kind", "at"})
        return Step(self.kind, at=read_time("at", self.at, zone), **fields)


class LearningTools:
    """The part of `Tools` that keeps task runs and makes lessons of them."""

    _zone: ZoneInfo

    @abstractmethod
    def _seen_by_caller(self, session: str | None = None) -> "Memory": ...

    @abstractmethod
    def _changed_by_caller(self, session: str | None = None) -> "Memory": ...

    def trajectory_record(
        self,
        task: Annotated[
            str | None, Field(min_length=1, max_length=10_000, description="What is to be done; begins a run")
        ] = None,
        steps: Annotated[list[StepArgument] | None, Field(max_length=200, description="New steps, in order")] = None,
        trajectory_id: Annotated[_RunId | None, Field(description="Go on with this run")] = None,
        status: Annotated[TaskStatus | None, Field(description="success or failure ends it")] = None,
        task_type: Annotated[
            str | None, Field(min_length=1, max_length=200, description="Kind of task; the domain of its lessons")
        ] = None,
        scope: Scope | None = None,
    ) -> ToolResult:
        """Record a task run step by step: decisions with reasons, tool calls, errors, retries, the user's corrections.

        Call it with a task to begin, with trajectory_id to go on, with status to end. Steps are kept apart from
        memories. When it has ended, memory_reflect draws the lesson.
        """
        memory = self._changed_by_caller()
        require_scope(memory.identity, scope)
        run = memory.record_trajectory(
            task,
            [step.read(self._zone) for step in steps or ()],
            trajectory_id=trajectory_id,
            status=status,
            task_type=task_type,
            scope=scope,
        )
        return answered(learning_answers.run_answer(run))

    def memory_reflect(
        self,
        trajectory_id: _RunId,
        happened: Annotated[_Part, Field(description="What happened; each sentence names its steps: [3]")] = "",
        why: Annotated[_Part, Field(description="The deciding step; the same form")] = "",
        next_time: Annotated[_Part, Field(description="What to do next time; the same form")] = "",
        draft: Annotated[bool, Field(description="Only show what the run's own words make")] = False,
    ) -> ToolResult:
        """Store the lesson of a task run that has ended, in three parts, each sentence traced to steps.

        Each sentence names the numbers of its steps in brackets, [2] or [steps 2, 3]; one that they do not bear out is
        dropped and the answer says why. Without words of yours the run's own are taken; draft=true shows them first.
        """
        if draft:
            found = self._seen_by_caller().draft_reflection(trajectory_id)
        else:
            found = self._changed_by_caller().reflect(trajectory_id, happened=happened, why=why, next_time=next_time)
        return answered(learning_answers.reflection_answer(found))

    def memory_summarize(
        self,
        session: Session = None,
        since: Annotated[Time, moment("What happened at or after")] = None,
        until: Annotated[Time, moment("What happened before")] = None,
        quotes: Annotated[int, Field(ge=1, le=50, description="Memories to quote")] = 5,
    ) -> ToolResult:
        """Tell what a session or a span of time was about, in its own words. Nothing is stored.

        Call it to catch up on a session or a week; for a question, memory_search.
        """
        found = self._seen_by_caller().summarise(
            session=session,
            since=read_time("since", since, self._zone),
            until=read_time("until", until, self._zone),
            quotes=quotes,
        )
        return answered(learning_answers.summary_answer(found, self._zone))
