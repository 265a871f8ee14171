"""What a memory offers beside writing and recall: versions, entities, review and jobs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from retrograph.errors import RetrographError
from retrograph.memory import entities, jobs, reviewing, versions
from retrograph.memory.acting import acts
from retrograph.models import (
    EntityDetail,
    Identity,
    JobView,
    MemoryVersion,
    MergeResult,
    PendingList,
    RestoreReport,
    ReviewResult,
    SameAsList,
    Scope,
    Turn,
    VersionChange,
    WriteResult,
)
from retrograph.settings import Settings

if TYPE_CHECKING:
    from retrograph.memory.facade import Resources


class Curated:
    """The half of `Memory` that looks after what is stored."""

    settings: Settings
    identity: Identity
    _resources: "Resources"

    def history(self, memory_id: str) -> tuple[MemoryVersion, ...]:
        """The chain of versions that a memory stands in, oldest first; one version where nothing replaced it.

        Raises:
            NotFound: There is no such memory, or none for this identity.
        """
        return versions.history_of(self._resources.graph, memory_id, identity=self.identity)

    @acts
    def undo_supersede(self, newer_id: str, older_id: str) -> VersionChange:
        """Takes back that one memory replaces another; both are settled anew. Doing it twice changes nothing.

        Raises:
            NotFound: One of the two is not there, or not for this identity.
        """
        return versions.undo_supersede(self._resources.graph, newer_id, older_id, identity=self.identity)

    @acts
    def update(
        self,
        memory_id: str,
        *,
        content: str | None = None,
        occurred_at: datetime | None = None,
        summary: str | None = None,
        domain: str | None = None,
        tags: Sequence[str] | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        pinned: bool | None = None,
        expires_at: datetime | None = None,
        half_life_days: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        clear: Sequence[str] = (),
    ) -> WriteResult:
        """Writes a new version of a memory where the content changes, else changes its fields in place.

        A new version goes the way of every write and replaces the old one, which stays in the history; what is not
        given is taken over, but for the summary. The same update again changes nothing.

        Args:
            memory_id: Which; the current version.
            content: The new words; None changes fields only.
            occurred_at: Since when the new words hold; only with content. None is now, but for events and turns of a
                session, which stay where they happened.
            summary: A short form to show.
            domain: The field or task type it serves.
            tags: Labels to filter by, instead of those it has.
            importance: [0, 1].
            confidence: [0, 1].
            pinned: Never decays, never expires.
            expires_at: When to forget it.
            half_life_days: Half-life of its recency, days.
            metadata: Anything JSON can say, instead of what it has.
            clear: Names of fields to empty: domain, expires_at, half_life_days, metadata, summary, tags.

        Returns:
            What became of it; a new version that is held back for review leaves the old one current.

        Raises:
            NotFound: There is no such memory, or none for this identity.
            InvalidInput: A value cannot work, or nothing is to be changed.
            Conflict: It is superseded, archived, or waits for review.
        """
        changes = versions.MemoryChanges(
            content=content,
            occurred_at=occurred_at,
            summary=summary,
            domain=domain,
            tags=tags,
            importance=importance,
            confidence=confidence,
            pinned=pinned,
            expires_at=expires_at,
            half_life_days=half_life_days,
            metadata=metadata,
            clear=clear,
        )
        return versions.update_memory(
            self._resources.graph,
            self._resources.writer,
            memory_id,
            changes,
            identity=self.identity,
            max_chars=self.settings.safety.max_chars,
        )

    @acts
    def restore(self, memory_ids: Sequence[str]) -> RestoreReport:
        """Brings memories back from the archive, with the status that their chain of versions gives them.

        Raises:
            NotFound: An id is not there, or not for this identity; nothing is done.
        """
        return versions.restore_memories(self._resources.graph, memory_ids, identity=self.identity)

    def entity(self, name: str, *, limit: int = 10) -> EntityDetail:
        """An entity under all its names: who mentions it, what it is related to, what may be the same.

        Args:
            name: Any of its names, or its key.
            limit: Most entries of each list, 1 to 1,000; the totals say how many there are.

        Raises:
            NotFound: No memory that this identity may see mentions it.
        """
        return entities.explore_entity(self._resources.graph, name, identity=self.identity, limit=limit)

    def entity_candidates(self, *, limit: int = 50) -> SameAsList:
        """Pairs of names that may be one entity and are not, surest first; they are never merged unasked."""
        return entities.entity_candidates(self._resources.graph, identity=self.identity, limit=limit)

    @acts
    def merge_entities(
        self, alias: str, canonical: str, *, reason: str = "", scope: Scope | None = None
    ) -> MergeResult:
        """Accepts that one name is another name of the same: a recall by either finds what mentions the other.

        Nothing is moved, so that `unmerge_entities` restores what was.

        Args:
            alias: The other name.
            canonical: The name to show.
            reason: Why, up to 500 characters; kept with the merge.
            scope: For whom; None is private where the identity names a user or an agent, else global.

        Raises:
            NotFound: One of the two is not there, or not for this identity.
            Conflict: They are merged the other way round.
        """
        return entities.merge_entities(
            self._resources.graph, alias, canonical, identity=self.identity, scope=scope, reason=reason
        )

    @acts
    def unmerge_entities(self, alias: str, canonical: str) -> MergeResult:
        """Takes a merge back, and an alias that a memory states: both are apart again.

        Raises:
            NotFound: One of the two is not there, or not for this identity.
        """
        return entities.unmerge_entities(self._resources.graph, alias, canonical, identity=self.identity)

    def pending(self, *, limit: int = 50) -> PendingList:
        """Memories that wait for review, newest first, each with why and with what it contradicts."""
        return reviewing.pending_memories(self._resources.graph, identity=self.identity, limit=limit)

    @acts
    def review(self, memory_id: str, *, approve: bool) -> ReviewResult:
        """Approves a memory that waits for review, or rejects it into the archive. Doing it twice changes nothing.

        An approved memory is what it would have been had it not been held back: its relations and aliases are
        written, and where it contradicts another the later of the two stays current.

        Raises:
            NotFound: There is no such memory, or none for this identity.
            Conflict: It does not wait for review, or the last review said otherwise.
        """
        return reviewing.review_memory(self._resources.graph, memory_id, approve=approve, identity=self.identity)

    @acts
    def ingest_later(
        self, turns: Iterable[Turn], *, scope: Scope | None = None, force: bool = True, batch_size: int = 64
    ) -> JobView:
        """Takes many turns into the graph as a job and answers at once; `run_jobs` of any process does it.

        Args:
            turns: In the order in which they happened; all are checked now.
            scope: Who may recall them; as in `write`.
            force: Store every turn; False lets the gate refuse greetings and the like.
            batch_size: Turns a transaction, 1 to 1,000.

        Raises:
            InvalidInput: A turn cannot work; nothing is queued.
            Refused: The bank's queue is full (`ingest.queue_turns`); nothing is queued.
        """
        return jobs.queue_turns(
            self._resources.graph,
            self._resources.writer,
            turns,
            identity=self.identity,
            scope=scope,
            force=force,
            batch_size=batch_size,
            most=self.settings.ingest.queue_turns,
            max_chars=self.settings.safety.max_chars,
        )

    def job(self, job_id: str) -> JobView:
        """How far a job is.

        Raises:
            NotFound: There is no such job, or none for this identity.
        """
        return jobs.get_job(self._resources.graph, job_id, identity=self.identity)

    def jobs(self, *, limit: int = 50) -> tuple[JobView, ...]:
        """Jobs, newest first, finished ones too."""
        return jobs.list_jobs(self._resources.graph, identity=self.identity, limit=limit)

    @acts
    def cancel_job(self, job_id: str) -> JobView:
        """Ends a job after the batch it is at; what it has written stays.

        Raises:
            NotFound: There is no such job, or none for this identity.
        """
        return jobs.cancel_job(self._resources.graph, job_id, identity=self.identity)

    @acts
    def retry_job(self, job_id: str) -> JobView:
        """Puts a failed job back into the queue, to go on where it stopped.

        Raises:
            NotFound: There is no such job, or none for this identity.
            Conflict: It was cancelled.
        """
        return jobs.retry_job(self._resources.graph, job_id, identity=self.identity)

    def run_jobs(
        self,
        *,
        progress: Callable[[JobView], None] | None = None,
        limit: int | None = None,
        everybody: bool = False,
        trouble: Callable[[str, RetrographError], None] | None = None,
    ) -> tuple[JobView, ...]:
        """Works on the jobs that wait, oldest first, until none is left that nobody else works on.

        A job that a killed process left goes on where it stopped, a minute later; no turn is stored twice.

        Args:
            progress: Called with the job after each of its batches.
            limit: At most so many jobs.
            everybody: The jobs of all identities and banks, each under the identity that queued it: for a server.
            trouble: Told of a database whose jobs could not be worked on, by its name in `Resources.name`; without
                it the first such error is raised, after all other databases had their turn.

        Returns:
            The jobs as they ended.

        Raises:
            GraphError: The database does not answer; run it again.
        """
        done: tuple[JobView, ...] = ()
        failed: list[RetrographError] = []
        for place in self._resources.everywhere() if everybody else [self._resources]:
            try:
                done += jobs.run_jobs(
                    place.graph,
                    lambda at=place: at.writer,
                    identity=None if everybody else self.identity,
                    progress=progress,
                    limit=None if limit is None else limit - len(done),
                )
            except RetrographError as error:
                # What one database cannot do is no reason for those behind it to wait.
                if trouble:
                    trouble(place.name, error)
                failed.append(error)
        if failed and not trouble:
            raise failed[0]
        return done
