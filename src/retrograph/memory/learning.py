"""What a memory offers to learn from task runs: trajectories, and the reflections on them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from retrograph.errors import InvalidInput
from retrograph.graph import bank_space, open_bank_space
from retrograph.memory import reflecting, summarising, trajectories
from retrograph.memory.acting import acts
from retrograph.memory.drafts import aware
from retrograph.memory.reflecting import Part, Reflection
from retrograph.memory.summarising import Summary
from retrograph.memory.trajectories import Step, TaskStatus, Trajectory
from retrograph.models import Identity, Scope
from retrograph.settings import Settings

if TYPE_CHECKING:
    from retrograph.memory.facade import Resources


class Learning:
    """The part of `Memory` that keeps task runs apart from memories, and makes lessons of them."""

    settings: Settings
    identity: Identity
    _resources: "Resources"

    @acts
    def record_trajectory(
        self,
        task: str | None = None,
        steps: Sequence[Step] = (),
        *,
        trajectory_id: str | None = None,
        status: TaskStatus | None = None,
        task_type: str | None = None,
        scope: Scope | None = None,
    ) -> Trajectory:
        """Records a task run, at once or as its steps come.

        What is kept, cut and dropped is up to the collection policy of the task's type (settings `trajectories`).

        Args:
            task: What is to be done; needed to begin one.
            steps: New steps, in order; up to 1,000 at once. A step with an id that was told before changes nothing.
            trajectory_id: Go on with this one; None begins one.
            status: success or failure ends it.
            task_type: The kind of task; it becomes the domain of the lessons.
            scope: Who may see it; default as for a memory.

        Returns:
            The trajectory as it stands.

        Raises:
            InvalidInput: A value cannot work, or the trajectory has ended; nothing is stored.
            NotFound: There is no such trajectory for this identity.
        """
        graph, bank = self._resources.graph, self.identity.bank
        if trajectory_id is None and bank_space(graph, bank) is None:
            # A bank that holds nothing but task runs is one all the same: it is consolidated and exported.
            encoder = self._resources.encoder
            open_bank_space(graph, bank, encoder=encoder.name, dimensions=encoder.dimensions)
        return trajectories.record_trajectory(
            graph,
            identity=self.identity,
            settings=self.settings.trajectories,
            task=task,
            steps=steps,
            trajectory_id=trajectory_id,
            status=status,
            task_type=task_type,
            scope=scope,
        )

    def trajectory(self, trajectory_id: str, *, deep: bool = False) -> Trajectory:
        """One task run with its steps.

        Args:
            trajectory_id: The run.
            deep: Show the minor steps too that consolidation took out of it.

        Raises:
            NotFound: There is no such trajectory for this identity.
        """
        return trajectories.read_trajectory(self._resources.graph, trajectory_id, identity=self.identity, deep=deep)

    @acts
    def pin_trajectory(self, trajectory_id: str, *, pinned: bool = True) -> Trajectory:
        """Keeps all steps of a task run, however old it gets; or lets go of it.

        Raises:
            NotFound: There is no such trajectory for this identity.
        """
        return trajectories.pin_trajectory(self._resources.graph, trajectory_id, identity=self.identity, pinned=pinned)

    def trajectories(
        self, *, task_type: str | None = None, status: TaskStatus | None = None, limit: int = 20
    ) -> tuple[Trajectory, ...]:
        """Task runs, newest first, without their steps; 1 to 1,000."""
        return trajectories.list_trajectories(
            self._resources.graph, identity=self.identity, task_type=task_type, status=status, limit=limit
        )

    @acts
    def forget_trajectory(self, trajectory_id: str) -> int:
        """Removes a task run and its steps for good; the lessons stay. Returns how many steps it had.

        Raises:
            NotFound: There is no such trajectory for this identity.
        """
        return trajectories.forget_trajectory(self._resources.graph, trajectory_id, identity=self.identity)

    def draft_reflection(self, trajectory_id: str) -> Reflection:
        """What a task run teaches, made of its own words; nothing is stored.

        Raises:
            NotFound: There is no such trajectory for this identity.
        """
        return reflecting.draft(self.trajectory(trajectory_id, deep=True))

    def summarise(
        self,
        *,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        quotes: int = 5,
    ) -> Summary:
        """What a session or a span of time was about, in its own words; nothing is stored.

        Args:
            session: The session.
            since: What happened at or after this.
            until: What happened before this.
            quotes: Memories to quote, 1 to 50: the most important, and those that speak of what the others do.

        Raises:
            InvalidInput: None of the first three is given, or a number is out of range.
        """
        zone = ZoneInfo(self.settings.timezone)
        since, until = (aware(time, timezone=zone) for time in (since, until))
        return summarising.summarise(
            self._resources.graph,
            identity=self.identity,
            session=session,
            since=since,
            until=until,
            quotes=quotes,
            timezone=zone,
        )

    @acts
    def reflect(self, trajectory_id: str, *, happened: str = "", why: str = "", next_time: str = "") -> Reflection:
        """Stores the lesson of a task run, linked to it, for those who may see the run.

        A text of the caller's replaces a lesson that was made of the run's own words.

        Args:
            trajectory_id: The run; it must have ended.
            happened: What happened. Each sentence names the steps that show it in brackets: `[3]`, `[steps 3, 4]`.
            why: Why: the deciding step.
            next_time: What to do next time. Without any of the three the run's own words are taken.

        Returns:
            The sentences that were taken, those that were dropped and why, and the id of the lesson; no lesson where
            the run teaches nothing, or where nothing of `why` or `next_time` is borne out by the steps.

        Raises:
            InvalidInput: The run has not ended.
            NotFound: There is no such trajectory for this identity.
        """
        run = self.trajectory(trajectory_id, deep=True)
        if run.status is TaskStatus.RUNNING:
            raise InvalidInput(
                f"trajectory {trajectory_id!r} still runs",
                cure="Record its end first: status success or failure.",
                field="trajectory_id",
            )
        texts: dict[Part, str] = {"happened": happened, "why": why, "next_time": next_time}
        drafted = not any(text.strip() for text in texts.values())
        if drafted and run.drafts:
            return replace(reflecting.draft(run), memory_id=run.drafts[0])
        found = reflecting.draft(run) if drafted else reflecting.checked(run, texts)
        if found.reason:
            return found
        lesson = replace(
            reflecting.lesson_draft(run, found),
            source_id=f"{'trajectory' if drafted else 'reflection'}\0{run.id}",
            replaces=run.drafts[0] if run.drafts else None,
        )
        written = self._resources.writer.write([lesson], identity=self.identity, force=True)[0]
        if written.id:
            row = reflecting.lesson_row(written.id, found, drafted=drafted)
            self._resources.graph.run("link_lesson", bank=self.identity.bank, rows=[row], at=datetime.now(UTC))
        return Reflection(run.id, found.sentences, found.dropped, written.id, "" if written.id else written.reason)
