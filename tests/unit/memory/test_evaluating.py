"""Measures of recall and of task runs, against values worked out by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrograph.errors import InvalidInput
from retrograph.memory.evaluating import (
    Labelled,
    TaskRun,
    bootstrap,
    compare_runs,
    evaluate,
    ndcg_at,
    percentile,
    plant,
    precision_at,
    recall_at,
    wilson,
)
from retrograph.models import (
    Hit,
    Language,
    MemoryRecord,
    MemoryType,
    Outcome,
    Scope,
    SearchResult,
    Source,
    Status,
    WriteResult,
)

_AT = datetime(2026, 3, 1, tzinfo=UTC)
_RECORD = MemoryRecord(
    "", "b", "", MemoryType.FACT, MemoryType.FACT.layer, Scope.GLOBAL, Status.ACTIVE, 0.5, 0.9, Source.USER,
    Language.ENGLISH, _AT, _AT, _AT,
)  # fmt: skip


@dataclass
class Answers:
    """Answers each question with the memories it was told to."""

    of: dict[str, Sequence[tuple[str, str]]]
    asked: list[dict[str, Any]] = field(default_factory=list)

    def search(self, query: str, **more: Any) -> SearchResult:
        self.asked.append({"query": query, **more})
        hits = [Hit(replace(_RECORD, id=i, content=c), 0.5, 0.5) for i, c in self.of.get(query, ())]
        return SearchResult(query, tuple(hits[: more["limit"]]))


def test_measures_of_a_ranking_have_the_values_worked_out_by_hand() -> None:
    ranked, gold = ["a", "x", "b", "y"], {"a", "b", "c"}
    assert recall_at(ranked, gold, 3) == pytest.approx(2 / 3)
    assert precision_at(ranked, gold, 2) == 0.5
    assert precision_at(["a"], gold, 5) == 1
    assert precision_at([], gold, 5) == 0
    # 1 + 1/2 over 1 + 1/log2(3) + 1/2
    assert ndcg_at(ranked, gold, 3) == pytest.approx(1.5 / 2.1309298)
    assert percentile([3, 1, 2], 0.5) == 2


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (0, 0, 0.0, 1.0)],
)
def test_wilson_interval_has_the_published_values(successes: int, total: int, low: float, high: float) -> None:
    assert wilson(successes, total) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_interval_holds_the_share_and_stays_a_share(pair: tuple[int, int]) -> None:
    low, high = wilson(*pair)
    assert 0 <= low <= pair[0] / pair[1] + 1e-12
    assert pair[0] / pair[1] - 1e-12 <= high <= 1


def test_bootstrap_is_the_same_for_a_seed_and_holds_the_mean() -> None:
    values = [0.0, 1.0, 2.0, 5.0, 3.0, 1.0]
    low, high = bootstrap(values, seed=3)
    assert (low, high) == bootstrap(values, seed=3)
    assert low < 2.0 < high
    assert bootstrap([4.0] * 5, seed=0) == (4, 4)
    assert bootstrap([], seed=0) == (0, 0)


def test_questions_are_judged_by_ids_and_by_contents() -> None:
    answers = Answers(
        {
            "where?": [("m1", "The queue runs on rig7."), ("m2", "noise"), ("m3", "noise")],
            "谁?": [("m4", "noise"), ("m5", "小王  负责\n支付网关。")],
        }
    )
    rows = [Labelled("where?", ids=("m1", "m9")), Labelled("谁?", contents=("小王 负责 支付网关",))]
    report = evaluate(answers, rows, limit=3)
    assert report.measures["recall"].value == pytest.approx(0.75)
    assert report.measures["hit rate"].value == 1
    # m1, m2 of two expected: one right; then the first of one expected: none.
    assert report.measures["precision"].value == pytest.approx(0.25)
    assert report.measures["precision@3"].value == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert report.measures["recall"].reached is False
    assert [(m.question, m.missing) for m in report.missed] == [("where?", ("m9",))]
    assert "silence" not in report.measures
    assert "write p50 ms" not in report.measures


def test_letter_case_and_white_space_do_not_matter_for_contents() -> None:
    report = evaluate(
        Answers({"q": [("m", "The  GATEWAY\nfailed")]}), [Labelled("q", contents=("the gateway failed",))]
    )
    assert report.measures["recall"].value == 1


def test_one_memory_answers_one_expected_text() -> None:
    report = evaluate(Answers({"q": [("m", "a and b")]}), [Labelled("q", contents=("a", "b"))])
    assert report.measures["recall"].value == 0.5


def test_question_that_expects_nothing_counts_for_silence_alone() -> None:
    answers = Answers({"loud": [("m", "noise")]})
    report = evaluate(answers, [Labelled("loud"), Labelled("quiet")])
    assert report.measures["silence"].value == 0.5
    assert set(report.measures) == {"silence", "search p50 ms"}


def test_filters_of_a_question_are_handed_over() -> None:
    answers = Answers({})
    evaluate(answers, [Labelled("q", ids=("m",), more={"domain": "billing", "limit": 2})], limit=9)
    assert answers.asked == [{"query": "q", "limit": 2, "diversity": False, "domain": "billing"}]


def test_memories_of_the_file_are_found_by_the_ids_it_gives() -> None:
    written: list[str] = []

    def write(content: str, **more: Any) -> WriteResult:
        assert more == {"force": True, "domain": "x"}
        return WriteResult(Outcome.STORED, f"stored {content}", "")

    rows = [{"id": "one", "content": "a", "domain": "x"}, {"content": "b", "domain": "x"}]
    named, seconds = plant(write, rows, written=written)
    assert named == {"one": "stored a"}
    assert written == ["stored a", "stored b"]
    report = evaluate(
        Answers({"q": [("stored a", "a")]}), [Labelled("q", ids=("one",))], named=named, write_seconds=seconds
    )
    assert report.measures["recall"].value == 1
    assert report.measures["write p50 ms"].n == 2


@pytest.mark.parametrize(
    "rows", [[{"id": 1, "content": "a"}, {"id": "1", "content": "b"}], [{"content": "a", "colour": "red"}]]
)
def test_memory_with_a_wrong_field_or_a_second_id_is_an_error(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(InvalidInput):
        plant(lambda *_, **__: WriteResult(Outcome.STORED, "m", ""), rows, written=[])


def test_nothing_to_ask_or_to_compare_is_an_error() -> None:
    with pytest.raises(InvalidInput):
        evaluate(Answers({}), [])
    with pytest.raises(InvalidInput):
        compare_runs([TaskRun("t", True)], [])


def test_runs_of_the_same_tasks_are_compared_task_by_task_whatever_their_order() -> None:
    a = [TaskRun(f"t{n}", success=n % 4 == 0, rounds=1 if n % 4 == 0 else 3, tokens=1_000 + n) for n in range(40)]
    b = [replace(run, success=True, rounds=1, tokens=(run.tokens or 0) - 100) for run in reversed(a)]
    report = compare_runs(a, b, seed=1)
    assert report.paired
    first = report.measures["first-try success"]
    assert (first.a.value, first.b.value, first.difference.value) == (0.25, 1.0, 0.75)
    assert first.differs
    tokens = report.measures["tokens"].difference
    assert (tokens.value, tokens.low, tokens.high) == (-100, -100, -100)
    assert report == compare_runs(a, b, seed=1)


def test_equal_runs_show_no_difference() -> None:
    runs = [TaskRun(f"t{n}", n % 2 == 0, 1 + n % 3) for n in range(30)]
    report = compare_runs(runs, runs)
    assert not any(m.differs for m in report.measures.values())
    assert "tokens" not in report.measures
    assert "utilisation" not in report.measures


def test_runs_of_other_tasks_are_two_samples() -> None:
    a = [TaskRun(f"a{n}", success=False) for n in range(30)]
    b = [TaskRun(f"b{n}", success=True) for n in range(20)]
    report = compare_runs(a, b)
    assert not report.paired
    assert report.measures["success"].differs


def test_error_that_was_made_before_counts_as_repeated() -> None:
    a = [TaskRun("t1", False, 2, ("timeout", "timeout")), TaskRun("t2", False, 1, ("timeout", "404"))]
    b = [TaskRun("t1", True, 2, ("timeout",)), TaskRun("t2", True)]
    repeated = compare_runs(a, b).measures["repeated errors"]
    assert (repeated.a.value, repeated.b.value) == (1.0, 0.0)


def test_utilisation_is_the_share_of_recalled_memories_that_were_used() -> None:
    runs = [TaskRun("t1", True, recalled=4, used=1), TaskRun("t2", True, recalled=0, used=0), TaskRun("t3", True)]
    used = compare_runs(runs, runs).measures["utilisation"]
    assert (used.b.value, used.b.n, used.b.reached) == (0.25, 1, False)
