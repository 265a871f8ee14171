"""Ingest: many turns, in batches; doing it again stores nothing twice."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from retrograph.errors import InvalidInput
from retrograph.graph.records import digest
from retrograph.memory.drafts import Draft
from retrograph.memory.writing import Writer
from retrograph.models import Identity, IngestReport, Outcome, Scope, Turn, WriteResult

T = TypeVar("T")
R = TypeVar("R")

_LOOKED_AT_ONCE = 64


def ingest_turns(
    writer: Writer,
    turns: Iterable[Turn],
    *,
    identity: Identity,
    scope: Scope | None,
    force: bool,
    batch_size: int,
    progress: Callable[[int], None] | None,
) -> IngestReport:
    """Stores turns batch by batch; `Memory.ingest` says what the arguments mean.

    Raises:
        InvalidInput: A turn cannot work; its position is named, the batches before it are stored.
    """
    if not 1 <= batch_size <= 1000:
        raise InvalidInput(f"batch_size is {batch_size}, not between 1 and 1,000", field="batch_size")
    started = time.perf_counter()
    results: list[WriteResult] = []
    drafts = (draft_of(turn, identity=identity, scope=scope) for turn in turns)
    for prepared in _one_ahead(
        batches(drafts, batch_size), lambda b: writer.prepare(b, identity=identity, throttle=False)
    ):
        try:
            results += writer.store(prepared(), identity=identity, force=force)
        except InvalidInput as error:
            raise _placed(error, done=len(results), size=batch_size) from error
        if progress:
            progress(len(results))
    return _report(results, time.perf_counter() - started)


def preview_turns(
    writer: Writer, turns: Iterable[Turn], *, identity: Identity, scope: Scope | None, force: bool
) -> Iterator[WriteResult]:
    """What would become of turns, batch by batch; `Memory.preview` says what the arguments mean."""
    drafts = (draft_of(turn, identity=identity, scope=scope) for turn in turns)
    for number, batch in enumerate(batches(drafts, _LOOKED_AT_ONCE)):
        try:
            told = writer.preview(batch, identity=identity, force=force)
        except InvalidInput as error:
            raise _placed(error, done=number * _LOOKED_AT_ONCE, size=_LOOKED_AT_ONCE) from error
        yield from told


def _placed(error: InvalidInput, *, done: int, size: int) -> InvalidInput:
    """The same error, with where in the batches its turn is."""
    where = f"a turn among {done + 1} to {done + size}"
    return InvalidInput(f"{where}: {error.message}", cure=error.cure, field=error.field)


def _one_ahead(batches: Iterable[list[T]], prepare: Callable[[list[T]], R]) -> Iterator[Callable[[], R]]:
    """Prepares each batch in a thread while the one before is stored; what fails does so when its turn comes."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="retrograph-prepare") as worker:
        ahead: Future[R] | None = None
        for batch in batches:
            upcoming = worker.submit(prepare, batch)
            if ahead:
                yield ahead.result
            ahead = upcoming
        if ahead:
            yield ahead.result


def draft_of(turn: Turn, *, identity: Identity, scope: Scope | None) -> Draft:
    """A turn as a draft, with an id that the same turn has again."""
    session = turn.session or identity.session
    metadata = dict(turn.metadata or {})
    if turn.id is not None:
        metadata.setdefault("source_id", turn.id)
    return Draft(
        content=turn.content,
        type=turn.type,
        domain=turn.domain,
        tags=turn.tags,
        source=turn.source,
        scope=scope,
        speaker=turn.speaker,
        session=session,
        occurred_at=turn.occurred_at,
        entities=turn.entities,
        relations=turn.relations,
        valid_from=turn.valid_from,
        valid_until=turn.valid_until,
        metadata=metadata or None,
        source_id=_source_id(turn, session),
    )


def _source_id(turn: Turn, session: str | None) -> str:
    """The caller's id, or one that the same turn has again: of the words, the speaker, the session and the time."""
    at = turn.occurred_at.isoformat() if turn.occurred_at else ""
    return f"{session or ''}\0{turn.id}" if turn.id else digest(session or "", turn.speaker or "", at, turn.content)


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`, the last one shorter."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def _report(results: Sequence[WriteResult], seconds: float) -> IngestReport:
    counts = Counter(result.outcome for result in results)
    return IngestReport(
        total=len(results),
        stored=counts[Outcome.STORED],
        merged=counts[Outcome.MERGED],
        borderline=counts[Outcome.BORDERLINE],
        refused=counts[Outcome.REFUSED],
        quarantined=counts[Outcome.QUARANTINED],
        unchanged=counts[Outcome.UNCHANGED],
        seconds=seconds,
        ids=tuple(result.id for result in results),
    )
