"""What a user types is words, never full-text syntax; every filter is in every query."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograph.graph.records import filter_token
from retrograph.models import Identity, MemoryType, SearchFilter, Source
from retrograph.retrieval.query_text import FullTextQueries, full_text_queries

_ANN = Identity("b", user="ann")
_FILTER = re.compile(r"\+filter_tokens:\([a-z0-9 ]+\)\^0")
_PART = r"(?:[^\W_]|\\')+"
_CLAUSE = rf"[a-z_]+:(?:\({_PART}(?: {_PART})*\)|\"{_PART}(?: {_PART})*\"(?:~\d+)?)(?:\^[\d.]+)?"
_WHOLE = re.compile(rf"\+?\({_CLAUSE}(?: {_CLAUSE})*\)|filter_tokens:nothing|")


def _queries(text: str, where: SearchFilter | None = None, *, without: tuple[str, ...] = ()) -> FullTextQueries:
    return full_text_queries(
        text, identity=_ANN, where=where or SearchFilter(), statuses=["active"], content_weight=0.5, without=without
    )


def _words_of(query: str) -> set[str]:
    groups = re.findall(r"content:\(([^)]*)\)", query)
    return {word.replace("\\'", "'") for group in groups for word in group.split()}


def _is_sound(query: str) -> bool:
    """Whether the query is nothing but filters, and clauses of plain words that are no operators."""
    rest = _FILTER.sub("", query).strip()
    return _WHOLE.fullmatch(rest) is not None and not {"AND", "OR", "NOT", "TO"} & _words_of(query)


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
    ],
)
def test_syntax_in_a_query_is_words(text: str) -> None:
    both = _queries(text)
    assert _is_sound(both.english)
    assert _is_sound(both.cjk)


def test_check_of_soundness_sees_syntax() -> None:
    assert not _is_sound("+filter_tokens:(b1)^0 +(content:(a) OR bank:(y))")
    assert not _is_sound("+filter_tokens:(b1)^0 +(content:(a b*) context:(a))")
    assert not _is_sound("+(content:(a AND b))")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=60))
def test_no_text_can_leave_its_clause(text: str) -> None:
    both = _queries(text)
    assert _is_sound(both.english)
    assert _is_sound(both.cjk)
    for query in (both.english, both.cjk):
        assert query == "filter_tokens:nothing" or filter_token("b", "b") in query


def test_english_words_and_chinese_runs_go_to_their_own_analyzer() -> None:
    both = _queries("Redis 缓存 decision 上周")
    assert {"redis", "decision"} <= _words_of(both.english)
    assert {"缓存", "上周"} <= _words_of(both.cjk)
    assert not re.search(r"[\u4e00-\u9fff]", both.english)
    assert "redis" not in _words_of(both.cjk)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("what did we decide about caching?", "caching"),
        ("为什么数据库变慢了", "数据库变慢"),
        ("Redis为什么慢", "redis"),
    ],
)
def test_words_that_only_ask_are_left_out_and_the_rest_kept(text: str, word: str) -> None:
    both = _queries(text)
    words = _words_of(both.english) | _words_of(both.cjk)
    assert word in words
    assert not {"what", "did", "we", "为什么", "了"} & words


@pytest.mark.parametrize("text", ["who are you", "什么", "when?"])
def test_query_of_asking_words_alone_still_has_words(text: str) -> None:
    both = _queries(text)
    assert _words_of(both.english) | _words_of(both.cjk)


def test_query_without_a_word_matches_nothing_rather_than_everything() -> None:
    both = _queries("!!! ??? …")
    assert both.english == both.cjk == "filter_tokens:nothing"


def test_long_query_is_bounded_and_keeps_its_beginning() -> None:
    words = _words_of(_queries(" ".join(f"word{n}" for n in range(2_000))).english)
    assert "word0" in words
    assert len(words) < 1_024, "Lucene refuses more clauses"


def test_long_chinese_query_is_bounded() -> None:
    query = _queries("机器学习算法做风控" * 400).cjk
    assert len(query) < 20_000
    assert "机器学习" in query


def test_names_left_out_are_left_out_in_any_case() -> None:
    assert _words_of(_queries("Ann likes Tea", without=("Ann",)).english) == {"likes", "tea"}


def test_every_filter_is_in_both_queries() -> None:
    where = SearchFilter(
        types=[MemoryType.TASK_STATE, MemoryType.FACT],
        domain="José's",
        tags=("x", "y"),
        session="s 1",
        source=Source.TOOL,
    )
    both = _queries("disk 磁盘", where)
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
    for query in (both.english, both.cjk):
        assert [token for token in wanted if token not in query] == []
        assert all(group.startswith("+") for group in re.findall(r"\S?filter_tokens:", query))


def test_tags_alone_bring_memories_without_a_word_in_common() -> None:
    both = _queries("!!!", SearchFilter(tags=("x",)))
    assert filter_token("g", "x") in both.english
    assert filter_token("b", "b") in both.english
