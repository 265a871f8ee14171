"""The parts of consolidation that need no graph: keys, ranks, weights, groups, words, the order of jobs."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrograph.cli.consolidating import seconds
from retrograph.consolidation import JOBS
from retrograph.consolidation.deduplicating import sameness_key
from retrograph.consolidation.limiting import rank
from retrograph.consolidation.runner import chosen_jobs
from retrograph.consolidation.summarising import joined_by_names
from retrograph.consolidation.weighing import page_rank
from retrograph.errors import InvalidInput
from retrograph.extraction.duplicates import Statement, same_statement
from retrograph.extraction.wording import language_of, rule_text, summary_text
from retrograph.models import Language

AT = datetime(2026, 3, 1, 23, tzinfo=UTC)
_WORDS = st.sampled_from("Ann Bob likes tea the a not never green 8080 八十 喜欢 喝茶 不 张伟 绿茶 . ! 。 ，".split())


def _memory(text: str, **more: Any) -> dict[str, Any]:
    return {"content": text, "audience": "g"} | more


@given(st.lists(_WORDS, min_size=1, max_size=7), st.lists(_WORDS, min_size=1, max_size=7))
def test_statements_that_are_the_same_share_a_key(one: list[str], other: list[str]) -> None:
    texts = " ".join(one), " ".join(other)
    if same_statement(Statement(texts[0]), Statement(texts[1]), cosine=1.0)[0]:
        assert sameness_key(_memory(texts[0])) == sameness_key(_memory(texts[1]))


@pytest.mark.parametrize(
    "other",
    [
        _memory("Ann likes tea.", audience="u1"),
        _memory("Ann likes tea.", speaker="Bob"),
        _memory("Ann does not like tea."),
        _memory("Ann likes 2 teas."),
        _memory("安喜欢茶。"),
    ],
)
def test_statements_that_differ_have_other_keys(other: dict[str, Any]) -> None:
    assert sameness_key(_memory("Ann likes tea.")) != sameness_key(other)
    assert sameness_key(_memory("Ann likes tea.")) == sameness_key(_memory("ann likes the tea"))


def test_rank_goes_by_importance_then_by_the_last_touch() -> None:
    def one(importance: float, days: int) -> int:
        return rank({"importance": importance, "updated_at": AT - timedelta(days=days)})

    assert one(0.2, 0) < one(0.3, 9) < one(0.3, 1) < one(0.31, 5)


def _ints(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


def test_page_rank_of_equal_entities_is_one_each() -> None:
    assert page_rank(3, _ints(0, 0, 0), _ints(0, 1, 2), []) == pytest.approx([1, 1, 1])
    assert page_rank(2, _ints(), _ints(), []) == pytest.approx([1, 1])
    assert len(page_rank(0, _ints(), _ints(), [])) == 0


def test_page_rank_follows_mentions_and_relations() -> None:
    hub = page_rank(4, _ints(0, 0, 1, 1, 2, 2), _ints(0, 1, 0, 2, 0, 3), [])
    assert hub[0] == max(hub)
    assert hub.sum() == pytest.approx(4)
    led_to = page_rank(3, _ints(), _ints(), [(0, 2, 1), (1, 2, 3)])
    assert led_to[2] > led_to[0] == pytest.approx(led_to[1])


def test_page_rank_agrees_with_its_definition() -> None:
    """The stationary vector of the same walk, solved as linear equations."""
    memories, mentioned, relations = _ints(0, 0, 1, 1, 1), _ints(0, 1, 1, 2, 3), [(0, 3, 2), (2, 1, 1)]
    step = np.zeros((4, 4))
    out = np.bincount(mentioned, minlength=4).astype(float)
    for one, _, backing in relations:
        out[one] += backing
    for m in (0, 1):
        members = mentioned[memories == m]
        for a in members:
            for b in members:
                step[b, a] += 1 / out[a] / len(members)
    for one, other, backing in relations:
        step[other, one] += backing / out[one]
    solved = np.linalg.solve(np.eye(4) - 0.85 * step, np.full(4, 0.15 / 4))
    assert page_rank(4, memories, mentioned, relations) == pytest.approx(4 * solved, abs=1e-6)


def test_memories_are_joined_by_the_names_they_share_and_rare_ones_count_more() -> None:
    graph = joined_by_names({"a": ["x", "y"], "b": ["x", "y"], "c": ["x"], "d": ["z"]})
    assert graph["a"]["b"]["weight"] == pytest.approx(1 / 3 + 1 / 2)
    assert graph["a"]["c"]["weight"] == pytest.approx(1 / 3)
    assert list(graph["d"]) == []


def test_name_that_all_of_a_large_group_speaks_of_joins_nobody() -> None:
    graph = joined_by_names({f"{n:03}": ["user", f"pair {n // 2}"] for n in range(60)})
    assert graph.number_of_edges() == 30


def test_summary_is_told_in_the_language_of_most_and_dated_where_the_reader_is() -> None:
    told = [{"content": "李雷检查了节点", "speaker": None}, {"content": "a " * 300, "speaker": "Ann"}]
    shared: dict[str, Any] = {"names": ["渲染队列"], "count": 5, "first_at": AT, "last_at": AT + timedelta(days=1)}
    zone = ZoneInfo("Asia/Shanghai")
    chinese = summary_text(told, language=Language.CHINESE, timezone=zone, **shared)
    assert chinese.startswith("2026年3月2日至2026年3月3日，关于渲染队列（5条记忆）：李雷检查了节点。Ann说：“a a")
    assert len(chinese) < 500
    english = summary_text(told[:1], language=Language.ENGLISH, timezone=ZoneInfo("UTC"), **shared)
    assert english.startswith("From 1 March 2026 to 2 March 2026, about 渲染队列 (5 memories): 李雷检查了节点")
    mixed = [{"language": "zh"}, {"language": "mixed"}, {"language": "en"}]
    assert language_of(mixed) is Language.CHINESE
    assert language_of(mixed[1:]) is Language.ENGLISH
    assert rule_text("x", tasks=3, language=Language.CHINESE) == "3次任务都学到：x"


def test_jobs_are_done_in_their_order_with_what_they_need() -> None:
    assert chosen_jobs([]) == tuple(JOBS)
    assert chosen_jobs(["prune", "expire"]) == ("expire", "prune")
    assert chosen_jobs(["summarise"]) == ("deduplicate", "summarise")
    with pytest.raises(InvalidInput, match="no job 'tidy'"):
        chosen_jobs(["expire", "tidy"])


@pytest.mark.parametrize(("text", "length"), [("24h", 86_400), ("30m", 1_800), ("1.5d", 129_600), (" 10 s ", 10)])
def test_time_between_runs_is_read(text: str, length: float) -> None:
    assert seconds(text) == length


@pytest.mark.parametrize("text", ["", "24", "h", "0h", "-1h", "0.5s", "1w", "1h30m"])
def test_time_between_runs_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="no time to wait"):
        seconds(text)
