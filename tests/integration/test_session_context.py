"""Working memory: the last turns of a session, open tasks and a recall in one bounded answer."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from retrograph.errors import InvalidInput
from retrograph.memory import Memory
from retrograph.memory.session import read_session_context
from retrograph.models import Identity, MemoryType, Scope, SessionContext, Status

from .conftest import DIMENSIONS, EPOCH, Garden, toward

_QUERY = "zzyzx"


@pytest.fixture
def chat(garden: Garden) -> Garden:
    garden.encoder.plan[_QUERY] = [1.0] + [0.0] * (DIMENSIONS - 1)
    return garden.seen_by(user="ada", session="standup")


def _turns(garden: Garden, count: int, *, session: str = "standup", **more: Any) -> list[str]:
    rows = [
        garden.row(f"turn {n} 第{n}句", session=session, at=EPOCH + timedelta(minutes=n), scope=Scope.PRIVATE, **more)
        for n in range(count)
    ]
    return garden.plant_all(rows)


def _context(
    garden: Garden, query: str | None = None, *, last: int = 10, max_tokens: int | None = None, **more: Any
) -> SessionContext:
    return read_session_context(
        garden.graph,
        identity=garden.identity,
        recall=partial(garden.search, query, **more) if query else None,
        last=last,
        max_tokens=max_tokens,
        now=EPOCH + timedelta(days=1),
    )


def test_last_three_of_fifty_are_the_newest_three_in_order(chat: Garden) -> None:
    planted = _turns(chat, 50)
    context = _context(chat, last=3)
    assert [turn.id for turn in context.turns] == planted[-3:]
    assert context.turns_total == 50
    assert context.recalled is None


def test_turns_written_out_of_order_come_in_the_order_of_happening(chat: Garden) -> None:
    late = chat.plant("late", session="standup", at=EPOCH + timedelta(minutes=9), scope=Scope.PRIVATE)
    early = chat.plant("early", session="standup", at=EPOCH, scope=Scope.PRIVATE)
    assert [turn.id for turn in _context(chat).turns] == [early, late]


def test_session_of_the_same_name_of_somebody_else_stays_theirs(chat: Garden) -> None:
    mine = _turns(chat, 2)
    _turns(chat.seen_by(user="bob"), 3)
    _turns(chat, 3, session="other")
    assert [turn.id for turn in _context(chat).turns] == mine


def test_open_tasks_come_along_those_of_the_session_first(chat: Garden) -> None:
    task = MemoryType.TASK_STATE
    now = EPOCH + timedelta(days=1)
    elsewhere = chat.plant("migrate the billing tables", type=task, at=EPOCH + timedelta(hours=2))
    ours = chat.plant("重构登录模块，进行中", type=task, session="standup", scope=Scope.PRIVATE, at=EPOCH)
    chat.plant("done", type=task, status=Status.SUPERSEDED)
    chat.plant("over", type=task, valid_until=now - timedelta(hours=1))
    chat.plant("expired", type=task, expires_at=now - timedelta(hours=1))
    chat.seen_by(user="bob").plant("of bob", type=task, scope=Scope.PRIVATE)
    _turns(chat, 3)
    context = _context(chat, last=2)
    assert [t.id for t in context.tasks] == [ours, elsewhere]
    assert context.tasks_total == 2


def test_task_among_the_turns_is_not_told_twice(chat: Garden) -> None:
    task = chat.plant("half done", type=MemoryType.TASK_STATE, session="standup", scope=Scope.PRIVATE)
    context = _context(chat)
    assert [t.id for t in context.turns] == [task]
    assert context.tasks == ()


def test_recall_joins_what_the_turns_do_not_say(chat: Garden) -> None:
    turn = chat.plant("said now", session="standup", vector=toward(0.9), scope=Scope.PRIVATE)
    older = chat.plant("said in another session", session="retro", vector=toward(0.8, "o"), at=EPOCH - timedelta(3))
    context = _context(chat, _QUERY)
    assert [t.id for t in context.turns] == [turn]
    assert context.recalled
    assert [hit.memory.id for hit in context.recalled.hits] == [older]


def test_budget_bounds_all_three_parts_and_keeps_the_newest_turns(chat: Garden) -> None:
    planted = _turns(chat, 20)
    chat.plant("open", type=MemoryType.TASK_STATE)
    chat.plant("recalled", vector=toward(0.9))
    whole = _context(chat, _QUERY, last=20)
    assert whole.recalled and whole.recalled.hits and whole.tasks
    for budget in range(50, whole.tokens + 200, 500):
        context = _context(chat, _QUERY, last=20, max_tokens=budget)
        assert context.tokens <= budget
        kept = len(context.turns)
        assert [turn.id for turn in context.turns] == planted[20 - kept :]
    assert _context(chat, _QUERY, last=20, max_tokens=whole.tokens).tokens == whole.tokens


def test_identity_without_session_is_an_error(garden: Garden) -> None:
    with pytest.raises(InvalidInput, match="session"):
        _context(garden)


@pytest.mark.parametrize("last", [0, -1, 201, 10**9])
def test_number_of_turns_out_of_range_is_an_error(chat: Garden, last: int) -> None:
    with pytest.raises(InvalidInput, match="last"):
        _context(chat, last=last)


def test_session_nobody_wrote_to_is_empty(chat: Garden) -> None:
    context = _context(chat, _QUERY)
    assert (context.turns, context.turns_total, context.tokens) == ((), 0, 0)


def test_facade_gives_context_and_takes_feedback(memory: Memory) -> None:
    who = Identity(memory.identity.bank, user="ada", session="standup")
    chat = memory.for_identity(who)
    written = chat.write("The payment gateway lives in Frankfurt.", force=True)
    before = memory.for_identity(Identity(who.bank, user="ada", session="last week"))
    other = before.write("Invoices are archived in Dublin.", force=True)
    assert written.id and other.id
    context = chat.session_context("where are invoices archived?", last=5)
    assert [turn.id for turn in context.turns] == [written.id]
    assert context.recalled and context.recalled.hits[0].memory.id == other.id
    assert chat.feedback([other.id], useful=True).memories[0].feedback == 1
    with pytest.raises(InvalidInput):
        chat.session_context("")
