"""What a user types is words, never full-text syntax; every filter is in every query."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograph.graph.records import filter_token
from retrograph.models import Identity, MemoryType, SearchFilter, Source
from retrograph.retrieval.query_text import both_ends, full_text_query, names_among

_ANN = Identity("b", user="ann")
_FILTERS = re.compile(r"(?:\+filter_tokens:\([a-z0-9 ]+\)\^0 ?)+")
_WORD = re.compile(r"(?:[^\W_]|\\')+")
_RUNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff ]*")


def _query(text: str, where: SearchFilter | None = None) -> dict[str, Any]:
    filters = where or SearchFilter()
    return full_text_query(text, identity=_ANN, where=filters, statuses=["active"], content_weight=0.5)


def _is_sound(query: dict[str, Any]) -> bool:
    """Whether there is nothing in it but filters and plain words that are no operators."""
    words = query["words"]
    plain = all(_WORD.fullmatch(word) and word not in {"AND", "OR", "NOT", "TO"} for word in words)
    return bool(plain and _RUNS.fullmatch(query["runs"]) and _FILTERS.fullmatch(query["filters"]))


@pytest.mark.parametrize(
    "text",
    [
        'AND OR ( [ " ~ * : \\ /',
        "content:(x) OR bank:y",
        "a* b~2 c^9",
        "(((",
        "don't \\' stop'",
        "filter_tokens:b1",
        "+x -y !z && ||",
        '缓存" OR (策略',
    ],
)
def test_syntax_in_a_query_is_words(text: str) -> None:
    assert _is_sound(_query(text))


def test_check_of_soundness_sees_syntax() -> None:
    good = _query("tea")
    assert not _is_sound(good | {"words": ["a*"]})
    assert not _is_sound(good | {"words": ["OR"]})
    assert not _is_sound(good | {"runs": "缓存)"})


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=60))
def test_no_text_can_leave_its_clause(text: str) -> None:
    query = _query(text)
    assert _is_sound(query)
    assert filter_token("b", "b") in query["filters"]


def test_english_words_and_chinese_runs_go_to_their_own_analyzer() -> None:
    query = _query("Redis 缓存 decision 上周")
    assert {"redis", "decision"} <= set(query["words"])
    assert {"缓存", "上周"} <= set(query["runs"].split())


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("what did we decide about caching?", "caching"),
        ("为什么数据库变慢了", "数据库变慢"),
        ("Redis为什么慢", "redis"),
    ],
)
def test_words_that_only_ask_are_left_out_and_the_rest_kept(text: str, word: str) -> None:
    query = _query(text)
    words = {*query["words"], *query["runs"].split()}
    assert word in words
    assert not {"what", "did", "we", "为什么", "了"} & words


@pytest.mark.parametrize("text", ["who are you", "什么", "when?"])
def test_query_of_asking_words_alone_still_has_words(text: str) -> None:
    query = _query(text)
    assert query["words"] or query["runs"]


def test_query_without_a_word_has_none() -> None:
    query = _query("!!! ??? …")
    assert (query["words"], query["runs"]) == ([], "")


def test_long_query_is_bounded_and_keeps_its_beginning() -> None:
    words = _query(" ".join(f"word{n}" for n in range(2_000)))["words"]
    assert words[0] == "word0"
    assert len(words) < 512, "Lucene refuses more than 1,024 clauses, and each word is looked for in two fields"


def test_long_chinese_query_is_bounded() -> None:
    runs = _query("机器学习算法做风控，" * 400 + "机" * 10_000)["runs"]
    assert "机器学习" in runs
    assert len(runs) < 20_000


def test_every_filter_is_there_and_none_can_be_left_out() -> None:
    where = SearchFilter(
        types=[MemoryType.TASK_STATE, MemoryType.FACT],
        domain="José's",
        tags=("x", "y"),
        session="s 1",
        source=Source.TOOL,
    )
    wanted = [
        filter_token("b", "b"),
        *(filter_token("a", audience) for audience in _ANN.audiences),
        "sactive",
        "ttaskstate",
        "tfact",
        "otool",
        filter_token("d", "José's"),
        filter_token("x", "s 1"),
        filter_token("g", "x"),
        filter_token("g", "y"),
    ]
    filters = _query("disk 磁盘", where)["filters"]
    assert [token for token in wanted if token not in filters] == []
    assert all(group.startswith("+") for group in re.findall(r"\S?filter_tokens:", filters))


@pytest.mark.parametrize(
    ("text", "keys", "names"),
    [
        (
            "What does Maria like about Paris?",
            ["maria", "like", "paris", "about paris"],
            ["maria", "paris", "about paris"],
        ),
        ("what does maria like?", ["maria", "like"], ["maria", "like"]),
        ("Who fixed rig7 for Zoë's team?", ["rig7", "zoe", "zoë", "team"], ["rig7", "zoe", "zoë"]),
        ("Does 张伟 know the team?", ["张伟", "team"], ["张伟"]),
        ("上海的天气", ["上海", "天气"], ["上海", "天气"]),
        ("Who was there?", ["who", "there"], []),
    ],
)
def test_names_are_what_the_text_writes_as_names(text: str, keys: list[str], names: list[str]) -> None:
    assert names_among(keys, text) == names


@pytest.mark.parametrize("is_before", [True, False])
def test_question_about_a_long_text_keeps_its_words_wherever_it_stands(is_before: bool) -> None:
    pasted = " ".join(f"line{n}" for n in range(2_000))
    query = _query(f"kayak {pasted}" if is_before else f"{pasted} kayak")
    assert "kayak" in query["words"]
    assert len(query["words"]) <= 400


def test_both_ends_of_a_text_are_kept_and_a_short_one_whole() -> None:
    assert both_ends("缓存策略", 10) == "缓存策略"
    assert both_ends("a" * 50 + "z" * 50, 10) == "aaaaa\nzzzzz"
