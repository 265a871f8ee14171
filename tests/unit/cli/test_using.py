"""Commands about the use of a memory: what each asks of it, what it prints."""

import json
from dataclasses import replace

import pytest

from retrograph.cli.app import run
from retrograph.cli.calling import Parts
from retrograph.errors import NotFound
from retrograph.models import FeedbackView, Hit, MemoryType, SearchResult, SessionContext

from .conftest import ID, RECORD

TASK = replace(RECORD, id="task", content="迁移账单\x1b[31m，做到一半", type=MemoryType.TASK_STATE)


class User:
    """Notes what it is called with; answers with what a memory might."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, object]]] = []
        self.error: Exception | None = None

    def mark(self, **given: object) -> tuple[FeedbackView, ...]:
        self.calls.append(("mark", given))
        if self.error:
            raise self.error
        return FeedbackView(ID, 2, 5, 21.0), FeedbackView("other", -1, 0)

    def session_context(self, query: str | None, **given: object) -> SessionContext:
        self.calls.append(("session_context", {"query": query, **given}))
        recalled = SearchResult(query, (Hit(RECORD, 0.8, 0.7, ("keyword",)),), 3, 90) if query else None
        return SessionContext("standup", (replace(RECORD, speaker="Ann\x1b"),), 50, (TASK,), 1, recalled, 200)

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def user() -> User:
    return User()


@pytest.fixture
def call(user, capsys, shell):
    """Runs a command; returns its exit code and what it printed. `shell` empties the environment."""

    def runs(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments, parts=Parts(open_memory=lambda _: user))  # pyright: ignore[reportArgumentType]
        return code, *capsys.readouterr()

    return runs


def test_feedback_says_both_sides_in_one_call(user, call) -> None:
    code, out, _ = call("feedback", "a", "b", "--not-useful", "c", "--not-useful", "d")
    assert code == 0
    assert user.calls == [("mark", {"useful": ["a", "b"], "not_useful": ["c", "d"]})]
    assert "feedback +2, used 5 times" in out and "feedback -1" in out
    code, out, _ = call("feedback", "--not-useful", "c", "--json")
    assert code == 0
    assert user.calls[-1] == ("mark", {"useful": (), "not_useful": ["c"]})
    assert json.loads(out)[0] == {"id": ID, "feedback": 2, "access_count": 5, "half_life_days": 21.0}


def test_feedback_on_nothing_is_wrong_usage_and_asks_nothing(user, call) -> None:
    code, out, err = call("feedback")
    assert (code, out, user.calls) == (2, "", [])
    assert "--not-useful" in err


def test_feedback_on_what_is_not_there_exits_1(user, call) -> None:
    user.error = NotFound("there is no memory 'x'", cure="Search.")
    code, out, err = call("feedback", "x")
    assert (code, out) == (1, "")
    assert "Search." in err


def test_context_joins_turns_tasks_and_a_recall(user, call) -> None:
    code, out, _ = call("context", "账单 migration?", "--last", "3", "--max-tokens", "800", "--limit", "2")
    assert code == 0
    assert user.calls == [
        ("session_context", {"query": "账单 migration?", "last": 3, "max_tokens": 800, "limit": 2}),
    ]
    assert "\x1b" not in out
    assert out.index("1 of 50 turns of session standup") < out.index("做到一半") < out.index("recalled")
    assert "3 more left out" in out


def test_context_without_a_question_only_reads_the_session(user, call) -> None:
    code, out, _ = call("context", "--json")
    assert code == 0
    assert user.calls == [("session_context", {"query": None, "last": 10, "max_tokens": None})]
    told = json.loads(out)
    assert (told["session"], told["turns_total"], told["tasks_total"], told["recalled"], told["tokens"]) == (
        "standup", 50, 1, None, 200,
    )  # fmt: skip
    assert [task["content"] for task in told["tasks"]] == [TASK.content]
    code, out, _ = call("context", "q", "--json")
    assert [hit["id"] for hit in json.loads(out)["recalled"]["results"]] == [ID]


@pytest.mark.parametrize("last", ["0", "201", "x"])
def test_context_of_a_number_of_turns_that_cannot_be_is_wrong_usage(user, call, last) -> None:
    assert call("context", "--last", last)[0] == 2
    assert user.calls == []
