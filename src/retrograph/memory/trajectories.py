"""Trajectories: raw task runs, step by step, kept apart from the memories that are derived from them."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, cast

from uuid_utils import uuid7

from retrograph.errors import InvalidInput, NotFound
from retrograph.graph import Graph
from retrograph.memory.drafts import check_text
from retrograph.models import Identity, Scope
from retrograph.settings import TrajectorySettings

_MOST_AT_ONCE = 1_000
_LONGEST = 1_000_000
_SCOPES = {"g": Scope.GLOBAL, "t": Scope.TEAM}
"""Who may see it, by the first letter of its audience; all others are somebody's own."""
_CUT = " … {left:,} characters left out … "


class StepKind(StrEnum):
    """What a step of a task run was."""

    THOUGHT = "thought"
    DECISION = "decision"
    TOOL = "tool"
    RETRY = "retry"
    ERROR = "error"
    CORRECTION = "correction"
    RESULT = "result"


class TaskStatus(StrEnum):
    """How a task run stands."""

    RUNNING = "running"
    SUCCESS = "success"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        kind: What it was; `correction` is what the user said against it.
        text: What was thought, decided, said.
        reason: Why, of a decision.
        tool: Name of the tool that was called.
        input: What it was given.
        output: What it answered.
        error: What went wrong.
        at: When; None is the time of recording.
        tokens: That it cost.
        duration_ms: That it took.
        id: The caller's own; the same one again changes nothing. None makes one.
        number: Its place, from 1; given when it is recorded.
        archived: A minor step that consolidation took out of an old run.
    """

    kind: StepKind
    text: str = ""
    reason: str = ""
    tool: str = ""
    input: str = ""
    output: str = ""
    error: str = ""
    at: datetime | None = None
    tokens: int | None = None
    duration_ms: float | None = None
    id: str | None = None
    number: int = 0
    archived: bool = False

    @property
    def failed(self) -> bool:
        """Whether something went wrong in it."""
        return bool(self.error) or self.kind is StepKind.ERROR

    @property
    def words(self) -> str:
        """All that it says."""
        return "\n".join(
            part for part in (self.text, self.reason, self.tool, self.input, self.output, self.error) if part
        )


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A task run as it was recorded.

    Attributes:
        id: Its id.
        task: What was to be done.
        task_type: The kind of task: it chooses the collection policy, and is the domain of the lessons.
        status: How it stands.
        started_at: When it was recorded first.
        ended_at: When it was said to have ended.
        steps: In order.
        left_out: Steps that the policy dropped.
        lessons: Ids of the memories derived from it.
        scope: Who may see it: its lessons are for the same.
        pinned: All its steps are kept, however old it is.
        archived_steps: Minor steps that consolidation took out of it; a deep look shows them.
        drafts: Those of the lessons that are made of its own words.
        reflections: The lessons sentence by sentence: by id, each sentence with its part and the numbers of its steps.
    """

    id: str
    task: str
    task_type: str | None
    status: TaskStatus
    started_at: datetime
    ended_at: datetime | None
    steps: tuple[Step, ...] = ()
    left_out: int = 0
    lessons: tuple[str, ...] = ()
    scope: Scope = Scope.GLOBAL
    pinned: bool = False
    archived_steps: int = 0
    drafts: tuple[str, ...] = ()
    reflections: Mapping[str, tuple[tuple[str, str, tuple[int, ...]], ...]] = field(
        default_factory=dict[str, tuple[tuple[str, str, tuple[int, ...]], ...]]
    )


_FIELDS = "kind, text, reason, tool, input, output, error, at, tokens, duration_ms, id"
_TEXTS = ("text", "reason", "tool", "input", "output", "error")


def record_trajectory(
    graph: Graph,
    *,
    identity: Identity,
    settings: TrajectorySettings,
    task: str | None,
    steps: Sequence[Step],
    trajectory_id: str | None,
    status: TaskStatus | None,
    task_type: str | None,
    scope: Scope | None,
) -> Trajectory:
    """Begins a trajectory or goes on with one; `Memory.record_trajectory` says what the arguments mean."""
    now = datetime.now(UTC)
    if len(steps) > _MOST_AT_ONCE:
        raise InvalidInput(f"{len(steps):,} steps at once, at most {_MOST_AT_ONCE:,}", field="steps")
    if trajectory_id is None:
        if not (task or "").strip():
            raise InvalidInput("a new trajectory needs its task", cure="Say what is to be done.", field="task")
        known = None
    else:
        known = read_trajectory(graph, trajectory_id, identity=identity)
        if known.status is not TaskStatus.RUNNING and (steps or status not in (None, known.status)):
            raise InvalidInput(
                f"trajectory {trajectory_id!r} ended as {known.status}", cure="Record a new one.", field="trajectory_id"
            )
    kind = known.task_type if known else task_type
    for name, value in (("task", task), ("task_type", task_type)):
        check_text(value, field=name)
    kept = [_cut(_checked(step, number), settings.cut_chars) for number, step in enumerate(steps, 1)]
    dropped = set(settings.dropped_kinds(kind))
    run_id = trajectory_id or str(uuid7())
    rows = [_row(step, now, run_id) for step in kept if step.kind not in dropped]
    ended = (status or TaskStatus.RUNNING) is not TaskStatus.RUNNING
    properties = {
        "bank": identity.bank,
        "audience": identity.audience(scope or identity.default_scope),
        "agent_id": identity.agent,
        "user_id": identity.user,
        "task": (task or "").strip(),
        "task_type": task_type,
        "name": (task or "").strip()[:60],
        "status": TaskStatus.RUNNING.value,
        "started_at": now,
        "step_count": 0,
        "left_out": 0,
    }
    written = graph.run_all(
        [
            (
                "write_trajectory",
                {
                    "id": run_id,
                    "properties": properties,
                    "steps": rows,
                    "left_out": len(kept) - len(rows),
                    "status": status.value if status else None,
                    "ended_at": now if ended else None,
                },
            )
        ]
    )
    return read_trajectory(graph, written[0][0]["id"], identity=identity)


def step_of(told: Any) -> Step:
    """A step from parsed JSON.

    Raises:
        InvalidInput: It is no object, has no known kind, or a field has a value that cannot work.
    """
    if not isinstance(told, Mapping):
        raise InvalidInput("a step is no JSON object", field="steps")
    fields = dict(cast(Mapping[str, Any], told))
    known = {told.name for told in dataclasses.fields(Step)} - {"number", "archived"}
    unknown = fields.keys() - known
    if unknown:
        raise InvalidInput(f"a step has no {sorted(unknown)[0]!r}", cure=f"It has {_FIELDS}.", field="steps")
    try:
        kind = StepKind(fields.pop("kind", "thought"))
        at = fields.pop("at", None)
        when = datetime.fromisoformat(at) if isinstance(at, str) else None
    except ValueError as error:
        raise InvalidInput(f"{error}", cure=f"A kind is one of {', '.join(StepKind)}.", field="steps") from None
    for name in (*_TEXTS, "id"):
        if name in fields and not isinstance(fields[name], str):
            raise InvalidInput(f"{name} of a step is no text", field="steps")
    for name in ("tokens", "duration_ms"):
        if not isinstance(fields.get(name, 0), (int, float, type(None))):
            raise InvalidInput(f"{name} of a step is no number", field="steps")
    return Step(kind, at=when.astimezone(UTC) if when else None, **fields)


def read_trajectory(graph: Graph, trajectory_id: str, *, identity: Identity, deep: bool = False) -> Trajectory:
    """One trajectory with its steps; the archived ones too where it is `deep`.

    Raises:
        NotFound: There is none of this id for the identity.
    """
    rows = graph.run("read_trajectory", bank=identity.bank, audiences=identity.audiences, id=trajectory_id)
    if not rows:
        raise NotFound(
            f"there is no trajectory {trajectory_id!r} in this bank for this identity",
            cure="`retrograph trajectories` lists them.",
        )
    found = trajectory_of(rows[0])
    return found if deep else dataclasses.replace(found, steps=tuple(s for s in found.steps if not s.archived))


def pin_trajectory(graph: Graph, trajectory_id: str, *, identity: Identity, pinned: bool) -> Trajectory:
    """Pins a trajectory or lets go of it; `Memory.pin_trajectory`."""
    graph.run("pin_trajectory", bank=identity.bank, audiences=identity.audiences, id=trajectory_id, pinned=pinned)
    return read_trajectory(graph, trajectory_id, identity=identity)


def list_trajectories(
    graph: Graph, *, identity: Identity, task_type: str | None, status: TaskStatus | None, limit: int
) -> tuple[Trajectory, ...]:
    """Trajectories, newest first, without their steps."""
    if not 1 <= limit <= 1000:
        raise InvalidInput(f"limit is {limit!r}, not between 1 and 1,000", field="limit")
    rows = graph.run(
        "list_trajectories",
        bank=identity.bank,
        audiences=identity.audiences,
        task_type=task_type,
        status=status.value if status else None,
        limit=limit,
    )
    return tuple(trajectory_of(row) for row in rows)


def forget_trajectory(graph: Graph, trajectory_id: str, *, identity: Identity) -> int:
    """Removes a trajectory and its steps for good; the memories derived from it stay. Returns the number of steps."""
    read_trajectory(graph, trajectory_id, identity=identity)
    return graph.run("delete_trajectory", bank=identity.bank, id=trajectory_id)[0]["steps"]


def _checked(step: Step, number: int) -> Step:
    for name in _TEXTS:
        value = getattr(step, name)
        check_text(value, field=f"steps[{number}].{name}")
        if len(value) > _LONGEST:
            raise InvalidInput(
                f"{name} of step {number} has {len(value):,} characters, at most {_LONGEST:,}", field="steps"
            )
    if not step.words.strip():
        raise InvalidInput(f"step {number} says nothing", field="steps")
    if step.tokens is not None and step.tokens < 0:
        raise InvalidInput(f"tokens of step {number} is {step.tokens}, below 0", field="steps")
    return step


def _cut(step: Step, most: int) -> Step:
    """Long texts lose their middle: what a tool was asked and how it ended are at the ends."""
    cut = {name: _shortened(value, most) for name in _TEXTS if len(value := getattr(step, name)) > most}
    return dataclasses.replace(step, **cut) if cut else step


def _shortened(text: str, most: int) -> str:
    note = _CUT.format(left=len(text) - most)
    return text[: most - most // 3] + note + text[-(most // 3) :]


def _row(step: Step, now: datetime, run_id: str) -> dict[str, Any]:
    properties = {name: getattr(step, name) or None for name in _TEXTS}
    said = step.text or step.error or step.output or step.input or step.tool
    properties |= {
        "kind": step.kind.value,
        "at": step.at if step.at and step.at.tzinfo else now,
        "tokens": step.tokens,
        "duration_ms": step.duration_ms,
        "name": f"{step.kind.value}: {' '.join(said.split())}"[:60],
    }
    # Callers number the steps of each task run anew: an id is one's own within its run alone.
    return {"id": f"{run_id}/{step.id}" if step.id else str(uuid7()), "properties": properties}


def trajectory_of(row: Mapping[str, Any]) -> Trajectory:
    """A row of `read_trajectory`, `read_run` or `list_trajectories` as the trajectory that it says."""
    told = row["trajectory"]
    steps = tuple(_step(step, told["id"]) for step in row.get("steps") or ())
    return Trajectory(
        id=told["id"],
        task=told["task"],
        task_type=told.get("task_type"),
        status=TaskStatus(told["status"]),
        started_at=told["started_at"],
        ended_at=told.get("ended_at"),
        steps=steps,
        left_out=told.get("left_out") or 0,
        lessons=tuple(row.get("lessons") or ()),
        scope=_SCOPES.get(told["audience"][0], Scope.PRIVATE),
        pinned=bool(told.get("pinned")),
        archived_steps=sum(step.archived for step in steps),
        drafts=tuple(row.get("drafts") or ()),
        reflections={r["id"]: _sentences(r["sentences"]) for r in row.get("reflections") or ()},
    )


def _sentences(text: str) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    return tuple((part, sentence, tuple(steps)) for part, sentence, steps in json.loads(text))


def _step(told: Mapping[str, Any], run_id: str) -> Step:
    return Step(
        StepKind(told["kind"]),
        **{name: told.get(name) or "" for name in _TEXTS},
        at=told["at"],
        tokens=told.get("tokens"),
        duration_ms=told.get("duration_ms"),
        id=told["id"].removeprefix(f"{run_id}/"),
        number=told["number"],
        archived=bool(told.get("archived")),
    )
