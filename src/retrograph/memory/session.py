"""The working memory of a session: its last turns, open tasks, and what a query recalls, in one bounded answer."""

import dataclasses
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from retrograph.errors import InvalidInput
from retrograph.graph import Graph
from retrograph.graph.records import record_of, session_key
from retrograph.models import (
    Hit,
    Identity,
    MemoryRecord,
    MemoryType,
    SearchFilter,
    SearchResult,
    SessionContext,
    Status,
)
from retrograph.retrieval.cut import payload_tokens
from retrograph.retrieval.query_text import full_text_query

_MAX_LAST = 200
_MAX_TASKS = 20
_MOST_OPEN = 1_000
"""Open tasks that are counted and ordered."""
_MOST_TOKENS = 10_000_000


def read_session_context(
    graph: Graph,
    *,
    identity: Identity,
    recall: Callable[[], SearchResult] | None,
    last: int,
    max_tokens: int | None,
    now: datetime | None = None,
) -> SessionContext:
    """Reads the context of the identity's session; `Memory.session_context`.

    Args:
        graph: The database.
        identity: Who is asking, in which session.
        recall: Recalls what bears on the query, without a budget; None where there is no query.
        last: Turns, newest, 1 to 200.
        max_tokens: Most tokens of the whole answer, estimated.
        now: The instant at which tasks are open; None is the present.

    Raises:
        InvalidInput: The identity names no session, or a number is out of range.
    """
    if not identity.session:
        raise InvalidInput(
            "the identity names no session", cure="Set session (RETROGRAPH_SESSION, --session).", field="session"
        )
    if not 1 <= last <= _MAX_LAST:
        raise InvalidInput(f"last is {last!r}, not between 1 and {_MAX_LAST}", field="last")
    if max_tokens is not None and not 1 <= max_tokens <= _MOST_TOKENS:
        raise InvalidInput(f"max_tokens is {max_tokens!r}, not between 1 and {_MOST_TOKENS:,}", field="max_tokens")
    open_tasks = full_text_query(
        "",
        identity=identity,
        where=SearchFilter(types=[MemoryType.TASK_STATE]),
        statuses=[Status.ACTIVE.value],
        content_weight=1.0,
    )["filters"]
    row = graph.run(
        "read_session",
        bank=identity.bank,
        audiences=identity.audiences,
        session_key=session_key(identity, identity.session),
        statuses=[Status.ACTIVE.value, Status.SUPERSEDED.value],
        now=now or datetime.now(UTC),
        last=last,
        tasks=_MAX_TASKS,
        open_tasks={"filters": open_tasks, "most": _MOST_OPEN},
    )[0]
    left = _MOST_TOKENS if max_tokens is None else max_tokens
    turns, left = _fitting(row["turns"], left)
    shown = {turn.id for turn in turns}
    tasks, left = _fitting([task for task in row["tasks"] if task["id"] not in shown], left)
    shown |= {task.id for task in tasks}
    recalled = _beside(recall(), shown, left) if recall else None
    tokens = sum(map(payload_tokens, (*turns, *tasks))) + (recalled.tokens if recalled else 0)
    return SessionContext(
        session=identity.session,
        turns=tuple(reversed(turns)),
        turns_total=row["turns_total"],
        tasks=tasks,
        tasks_total=row["tasks_total"],
        recalled=recalled,
        tokens=tokens,
    )


def _fitting(rows: Sequence[dict[str, Any]], budget: int) -> tuple[tuple[MemoryRecord, ...], int]:
    """Records up to the first that does not fit, so that there is no hole in a conversation; and what is left."""
    kept: list[MemoryRecord] = []
    for row in rows:
        record = record_of(row)
        cost = payload_tokens(record)
        if cost > budget:
            break
        kept.append(record)
        budget -= cost
    return tuple(kept), budget


def _beside(result: SearchResult, shown: Collection[str], budget: int) -> SearchResult:
    """What a recall adds to the memories that are shown already, within the budget."""
    kept: list[Hit] = []
    omitted, tokens = result.omitted, 0
    for hit in result.hits:
        if hit.memory.id in shown:
            continue
        cost = payload_tokens(hit)
        if tokens + cost > budget:
            omitted += 1
            continue
        kept.append(hit)
        tokens += cost
    return dataclasses.replace(result, hits=tuple(kept), omitted=omitted, tokens=tokens)
