"""What a query is about once what only asks, and its time, are out of it."""

import pytest

from retrograph.retrieval.topic import asks_for_newest, topic_of


@pytest.mark.parametrize(
    ("query", "time"),
    [
        ("What happened last week?", "last week"),
        ("Show me everything from yesterday, please", "yesterday"),
        ("the last 3 messages", ""),
        ("What did I do last?", ""),
        ("上周发生了什么？", "上周"),
        ("帮我总结一下上个月的情况", "上个月"),
        ("最近的三条记录", ""),
        ("上周 happened 什么", "上周"),
        ("*", ""),
        ("???", ""),
    ],
)
def test_query_that_names_nothing_asks_for_anything(query: str, time: str) -> None:
    assert topic_of(query, time=time).is_anything


@pytest.mark.parametrize(
    ("query", "time"),
    [
        ("What did Kofi fix last week?", "last week"),
        ("What did Q do yesterday?", "yesterday"),
        ("last week's invoices", "last week"),
        ("上周的发票", "上周"),
        ("昨天小贺做了什么", "昨天"),
        ("上周 Kofi 做了什么", "上周"),
        ("last week 的发票", "last week"),
    ],
)
def test_query_that_names_something_does_not(query: str, time: str) -> None:
    assert not topic_of(query, time=time).is_anything


@pytest.mark.parametrize(
    ("query", "words", "runs"),
    [
        ("Could you tell me what I should know about stamps?", "stamps", ""),
        ("Please remind me of the latest budget, thanks", "budget", ""),
        ("请告诉我最近的预算", "", "预算"),
        ("关于发布我们说了什么？", "", "发布"),
        ("大家对于 budget 的看法", "budget", "看法"),
        ("帮我 recall 一下 budget", "budget", ""),
    ],
)
def test_what_asks_is_no_topic(query: str, words: str, runs: str) -> None:
    topic = topic_of(query)
    assert (" ".join(topic.words), " ".join(topic.runs)) == (words, runs)


def test_time_is_no_topic_and_joins_nothing() -> None:
    topic = topic_of("王芳上周买的灯", time="上周")
    assert "王芳" in topic.runs
    assert not any("上周" in run for run in topic.runs)


def test_words_of_a_query_without_a_topic_are_kept_where_there_are_any() -> None:
    assert set(topic_of("What's new, thanks?").words) == {"new", "thanks"}


@pytest.mark.parametrize(
    ("query", "phrase"), [("To be or not to be!", "to be or not to be"), ("what is", ""), ("的", "")]
)
def test_saying_is_long_enough_to_be_one(query: str, phrase: str) -> None:
    assert topic_of(query).phrase == phrase


@pytest.mark.parametrize(
    ("query", "is_asked"),
    [
        ("When did we deploy the last time?", True),
        ("the most recent export", True),
        ("最近一次部署", True),
        ("最新的 export", True),
        ("What has Kofi been painting recently?", False),
        ("李娜最近在画什么", False),
        ("Kofi 目前 lives where", False),
    ],
)
def test_the_very_last_is_told_from_lately(query: str, is_asked: bool) -> None:
    assert asks_for_newest(query) == is_asked
