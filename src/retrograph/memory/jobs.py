"""Jobs: an ingest that is promised now and done later, by whichever process gets to it."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from uuid_utils import uuid7

from retrograph.errors import Conflict, EncoderMismatch, InvalidInput, NotFound, Refused, RetrographError
from retrograph.graph import Graph, hold_lease
from retrograph.graph.auditing import acting
from retrograph.memory.drafts import Draft, checked
from retrograph.memory.ingesting import draft_of
from retrograph.memory.writing import Writer
from retrograph.models import (
    EntityInput,
    EntityType,
    Identity,
    JobState,
    JobView,
    MemoryType,
    Outcome,
    RelationInput,
    Scope,
    Source,
    Turn,
)

_MOST_JOBS = 1_000
_LEASE_S = 60
_WAIT_S = 30
_COUNTED = tuple(outcome.value for outcome in Outcome)

Progress = Callable[[JobView], None]


def queue_turns(
    graph: Graph,
    writer: Writer,
    turns: Iterable[Turn],
    *,
    identity: Identity,
    scope: Scope | None,
    force: bool,
    batch_size: int,
    most: int,
    max_chars: int,
) -> JobView:
    """Puts turns into the queue; `Memory.ingest_later`.

    Raises:
        InvalidInput: A turn cannot work, or there is none; nothing is queued.
        Refused: The bank's queue is full; nothing is queued.
    """
    if not 1 <= batch_size <= 1000:
        raise InvalidInput(f"batch_size is {batch_size}, not between 1 and 1,000", field="batch_size")
    now = datetime.now(UTC)
    given = list(islice(turns, most + 1))
    if not given:
        raise InvalidInput("there is no turn to ingest", cure="Give at least one.", field="turns")
    drafts: list[Draft] = []
    for number, turn in enumerate(given, 1):
        draft = draft_of(turn, identity=identity, scope=scope)
        # When it is told is now, not when a process gets to it.
        draft = replace(draft, occurred_at=draft.occurred_at or now)
        try:
            drafts.append(checked(draft, identity=identity, timezone=writer.timezone, max_chars=max_chars))
        except InvalidInput as error:
            raise InvalidInput(f"turn {number}: {error.message}", cure=error.cure, field=error.field) from error
    job, chunks = job_rows(drafts, identity=identity, force=force, batch_size=batch_size, now=now)
    # Two that queue at once would each see room for themselves alone.
    with hold_lease(graph, f"queue:{identity.bank}", seconds=_LEASE_S, wait_s=_WAIT_S):
        waiting = graph.run("count_queue", bank=identity.bank)[0]["turns"]
        if waiting + len(drafts) > most:
            size = f"{len(drafts):,}" if len(drafts) <= most else f"more than {most:,}"
            raise Refused(
                f"the queue of bank {identity.bank!r} is full: {waiting:,} turns wait, {size} were to be added, "
                f"at most {most:,} may wait",
                cure="Wait for the jobs to finish, send fewer turns, or raise RETROGRAPH_INGEST_QUEUE_TURNS.",
            )
        rows = graph.run("create_job", job=job, chunks=chunks)
    return _view(rows[0]["job"])


def get_job(graph: Graph, job_id: str, *, identity: Identity) -> JobView:
    """One job; `Memory.job`.

    Raises:
        NotFound: There is no such job, or none for this identity.
    """
    rows = graph.run("list_jobs", bank=identity.bank, audiences=identity.audiences, id=job_id, limit=1)
    if not rows:
        raise NotFound(
            f"there is no job {job_id!r} in this bank for this identity", cure="`retrograph jobs` lists them."
        )
    return _view(rows[0]["job"])


def list_jobs(graph: Graph, *, identity: Identity, limit: int) -> tuple[JobView, ...]:
    """Jobs, newest first; `Memory.jobs`.

    Raises:
        InvalidInput: `limit` cannot work.
    """
    if not 1 <= limit <= _MOST_JOBS:
        raise InvalidInput(f"limit is {limit!r}, not between 1 and {_MOST_JOBS:,}", field="limit")
    rows = graph.run("list_jobs", bank=identity.bank, audiences=identity.audiences, id=None, limit=limit)
    return tuple(_view(row["job"]) for row in rows)


def cancel_job(graph: Graph, job_id: str, *, identity: Identity) -> JobView:
    """Ends a job; what it has written stays; `Memory.cancel_job`.

    Raises:
        NotFound: There is no such job, or none for this identity.
    """
    job = get_job(graph, job_id, identity=identity)
    if job.state in (JobState.DONE, JobState.CANCELLED):
        return job
    return _set_state(graph, job_id, JobState.CANCELLED) or job


def retry_job(graph: Graph, job_id: str, *, identity: Identity) -> JobView:
    """Puts a failed job back into the queue, to go on where it stopped; `Memory.retry_job`.

    Raises:
        NotFound: There is no such job, or none for this identity.
        Conflict: It was cancelled.
    """
    job = get_job(graph, job_id, identity=identity)
    if job.state is JobState.CANCELLED:
        raise Conflict(f"job {job_id!r} was cancelled", cure="Ingest the turns again: nothing is stored twice.")
    if job.state is not JobState.FAILED:
        return job
    return _set_state(graph, job_id, JobState.QUEUED) or job


def run_jobs(
    graph: Graph,
    writer: Callable[[], Writer],
    *,
    identity: Identity | None,
    progress: Progress | None,
    limit: int | None,
) -> tuple[JobView, ...]:
    """Works on jobs, oldest first, one at a time; `Memory.run_jobs`.

    Args:
        graph: The database.
        writer: Gives what writes the turns, each job's under the identity that queued it; asked once there is a job.
        identity: Whose jobs; None is everybody's, for a server.
        progress: Called with the job after each of its batches.
        limit: At most so many jobs; None is all that wait.

    Returns:
        The jobs that were worked on, as they ended; those that another process is at work on are left out.

    Raises:
        GraphError: The database does not answer; the job goes on where it stopped when it is run again.
    """
    ended: list[JobView] = []
    passed: set[str] = set()
    while limit is None or len(ended) < limit:
        rows = graph.run(
            "find_runnable_jobs",
            bank=identity.bank if identity else None,
            audiences=identity.audiences if identity else None,
            limit=len(passed) + 1,
        )
        job_id = next((row["id"] for row in rows if row["id"] not in passed), None)
        if job_id is None:
            break
        passed.add(job_id)
        try:
            with hold_lease(graph, f"job:{job_id}", seconds=_LEASE_S):
                ended.append(_work(graph, writer(), job_id, progress))
        except Conflict:
            continue  # another process is at work on it, or its bank is on the move
    return tuple(ended)


def _work(graph: Graph, writer: Writer, job_id: str, progress: Progress | None) -> JobView:
    rows = graph.run("next_chunk", id=job_id)
    if not rows:
        raise Conflict(f"job {job_id!r} has gone to another database with its bank")
    with acting(_identity(rows[0]["job"])):
        return _work_in_its_name(graph, writer, rows[0], progress)


def _work_in_its_name(graph: Graph, writer: Writer, row: dict[str, Any], progress: Progress | None) -> JobView:
    job_id: str = row["job"]["id"]
    while row["job"]["state"] in (JobState.QUEUED, JobState.RUNNING):
        if row["chunk"] is None:
            _set_state(graph, job_id, JobState.DONE)
            break
        if row["job"]["state"] == JobState.QUEUED:
            _set_state(graph, job_id, JobState.RUNNING)
        try:
            counts = _write(writer, row["job"], row["chunk"])
        except EncoderMismatch as error:
            # Another process may have the bank's encoder: the job waits for it, and says so.
            _set_state(graph, job_id, JobState.QUEUED, error=str(error))
            break
        except RetrographError as error:
            if error.retryable:
                raise
            _set_state(graph, job_id, JobState.FAILED, error=str(error))
            break
        finished = graph.run("finish_chunk", id=row["chunk"]["id"], counts=counts, at=datetime.now(UTC))
        if progress and finished:
            progress(_view(finished[0]["job"]))
        row = graph.run("next_chunk", id=job_id)[0]
    return _view(graph.run("next_chunk", id=job_id)[0]["job"])


def _write(writer: Writer, job: Mapping[str, Any], chunk: Mapping[str, Any]) -> dict[str, int]:
    results = writer.write(queued_drafts(chunk), identity=_identity(job), force=job["force"], throttle=False)
    counts = Counter(result.outcome.value for result in results)
    return {name: counts[name] for name in _COUNTED}


def _identity(job: Mapping[str, Any]) -> Identity:
    """Who queued it."""
    return Identity(job["bank"], job.get("agent"), job.get("user"), job["team"], job.get("session"))


def _set_state(graph: Graph, job_id: str, state: JobState, *, error: str | None = None) -> JobView | None:
    rows = graph.run("set_job_state", id=job_id, state=state.value, error=error, at=datetime.now(UTC))
    return _view(rows[0]["job"]) if rows else None


def job_rows(
    drafts: Sequence[Draft], *, identity: Identity, force: bool, batch_size: int, now: datetime
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A job and its chunks as `create_job` writes them; the job is seen by whom its owner's private memories are."""
    job_id = str(uuid7())
    job: dict[str, Any] = {
        "id": job_id,
        "name": f"ingest of {len(drafts):,} turns",
        "bank": identity.bank,
        "audience": identity.audience(identity.default_scope),
        "agent": identity.agent,
        "user": identity.user,
        "team": identity.team,
        "session": identity.session,
        "force": force,
        "state": JobState.QUEUED.value,
        "total": len(drafts),
        "done": 0,
        "created_at": now,
        "updated_at": now,
        **dict.fromkeys(_COUNTED, 0),
    }
    chunks = [
        {
            "id": f"{job_id}/{start}",
            "bank": identity.bank,
            "number": start,
            "size": len(part),
            "turns": json.dumps([_draft_json(draft) for draft in part], ensure_ascii=False),
        }
        for start in range(0, len(drafts), batch_size)
        for part in (drafts[start : start + batch_size],)
    ]
    return job, chunks


def queued_drafts(chunk: Mapping[str, Any]) -> list[Draft]:
    """The turns of a chunk, as they were queued."""
    return [_draft(row) for row in json.loads(chunk["turns"])]


def _draft_json(draft: Draft) -> dict[str, Any]:
    """What a turn can say, as JSON."""
    row = {name: value for name, value in asdict(draft).items() if value not in (None, ())}
    return row | ({"occurred_at": draft.occurred_at.isoformat()} if draft.occurred_at else {})


def _draft(row: Mapping[str, Any]) -> Draft:
    known: dict[str, Any] = dict(row)
    for name, read in _READ.items():
        if name in known:
            known[name] = read(known[name])
    return Draft(**known)


def _entities(rows: list[dict[str, Any]]) -> tuple[EntityInput, ...]:
    return tuple(EntityInput(row["name"], EntityType(row["type"]), tuple(row["aliases"])) for row in rows)


def _relations(rows: list[dict[str, Any]]) -> tuple[RelationInput, ...]:
    return tuple(RelationInput(**row) for row in rows)


_READ: dict[str, Callable[[Any], Any]] = {
    "type": MemoryType,
    "scope": Scope,
    "source": Source,
    "tags": tuple,
    "occurred_at": datetime.fromisoformat,
    "entities": _entities,
    "relations": _relations,
}


def _view(job: Mapping[str, Any]) -> JobView:
    return JobView(
        id=job["id"],
        bank=job["bank"],
        state=JobState(job["state"]),
        total=job["total"],
        done=job["done"],
        **{name: job[name] for name in _COUNTED},
        created_at=job["created_at"],
        updated_at=job["updated_at"],
        finished_at=job.get("finished_at"),
        error=job.get("error"),
    )
