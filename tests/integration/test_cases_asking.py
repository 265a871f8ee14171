"""Questions as people put them: of a time alone, for the latest, politely, without a topic, behind a pasted text."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from retrograph.memory import Memory
from retrograph.models import Hit, Turn

NOW = datetime(2026, 5, 14, 10, tzinfo=UTC)  # a Thursday
_CROWD = [
    "The ferry to Lindholm leaves at seven.",
    "Beatrix tuned the harpsichord.",
    "Two beehives were moved to the orchard.",
    "Otto's kayak has a crack in it.",
    "The lighthouse was painted white.",
    "Soup of the day is leek and potato.",
    "Yusuf won the chess tournament.",
    "The archive smells of mould.",
    "A crane lifted the bell into the tower.",
    "Hanne collects old maps.",
    "The lift in block C was replaced.",
    "Twelve chairs were ordered for the hall.",
    "The tram line ends at the harbour.",
    "Ingo grows tomatoes on the balcony.",
    "A fox crossed the car park.",
    "The choir needs two more tenors.",
    "The museum shop sells postcards.",
    "Renata repaired the loom.",
    "The bakery closes at noon on Saturdays.",
    "Snow blocked the pass for two days.",
    "渡口的售票处重新粉刷了。",
    "秦师傅修好了钟楼的大钟。",
    "果园里新栽了两棵梨树。",
    "阅览室的空调声音太大。",
    "食堂周五供应酸菜鱼。",
    "老马在院子里种了丝瓜。",
    "操场的跑道换了新塑胶。",
    "合唱团缺一名男低音。",
    "展厅的灯光调暗了一些。",
    "小贺的自行车被人骑走了。",
    "码头昨夜停电两小时。",
    "邮局门口装了新的信箱。",
    "体育馆的地板打了蜡。",
    "画室的颜料快用完了。",
    "钟老师收集旧地图。",
    "茶馆的说书人请假了。",
    "温室的玻璃碎了一块。",
    "车库门的遥控器丢了。",
    "院子里的水井封上了。",
    "裁缝铺搬到了对面。",
    "The dentist moved the appointment to June.",
    "Gulls nest on the roof of the depot.",
    "The violin shop repairs bows.",
    "Petra's umbrella was left on the bus.",
]


def _old_crowd() -> list[Turn]:
    return [Turn(text, occurred_at=NOW - timedelta(days=120 + n)) for n, text in enumerate(_CROWD)]


def _contents(hits: Sequence[Hit]) -> list[str]:
    return [hit.memory.content for hit in hits]


# --- What links alone bring -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "query"),
    [
        ("render4 hosts the thumbnail farm.", "render4's fan is broken.", "thumbnail farm"),
        ("The parcel desk is run by Ludmila.", "Ludmila is on sick leave.", "Who can I ask at the parcel desk?"),
        ("db-west 托管订单库。", "db-west 的磁盘只剩百分之二。", "订单库"),
        ("白鹭项目由姜敏负责。", "姜敏正在休产假。", "白鹭项目"),
        ("票务页面跑在 web07 上。", "The fan of web07 is loud.", "票务页面为什么不稳定"),
    ],
)
def test_a_bridge_is_found_whatever_the_size_of_the_bank(memory: Memory, first: str, second: str, query: str) -> None:
    memory.ingest([*_old_crowd(), Turn(first, occurred_at=NOW), Turn(second, occurred_at=NOW)])
    found = _contents(memory.search(query, now=NOW).hits)
    assert found[0] == first
    assert second in found
    assert not set(found) & set(_CROWD)


def test_explain_says_found_of_what_search_finds_and_of_nothing_else(memory: Memory) -> None:
    pair = ["render4 hosts the thumbnail farm.", "render4's fan is broken."]
    report = memory.ingest([*_old_crowd(), *(Turn(text, occurred_at=NOW) for text in pair)])
    for query in ("thumbnail farm", "Who collects old maps?", "茶馆的说书人怎么了"):
        answer = [hit.memory.id for hit in memory.search(query, now=NOW, limit=3).hits]
        for memory_id in {*filter(None, report.ids[::9] + report.ids[-2:]), *answer}:
            told = memory.explain(query, memory_id, now=NOW, limit=3)
            assert told.found == (memory_id in answer), told.verdict
            assert not told.found or told.rank == answer.index(memory_id) + 1


# --- A time, the latest, or a filter alone --------------------------------------------------------------------------

_LAST_WEEK = ["Greta repotted the orchids.", "Kofi fixed the gate.", "修好了三楼的水管。"]


@pytest.fixture
def diary(memory: Memory) -> Memory:
    monday = datetime(2026, 5, 4, 9, tzinfo=UTC)
    turns = [Turn(text, occurred_at=monday + timedelta(days=n)) for n, text in enumerate(_LAST_WEEK)]
    turns += [Turn("The choir rehearsed.", occurred_at=NOW - timedelta(hours=15))]
    turns += [Turn("买了两盏台灯。", occurred_at=datetime(2026, 4, 29, 12, tzinfo=UTC))]
    memory.ingest([*_old_crowd(), *turns])
    return memory


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("What happened last week?", _LAST_WEEK),
        ("What did we do last week?", _LAST_WEEK),
        ("Summarise last week for me, please.", _LAST_WEEK),
        ("last week", _LAST_WEEK),
        ("上周发生了什么？", _LAST_WEEK),
        ("总结一下上周", _LAST_WEEK),
        ("我们上周都做了些什么", _LAST_WEEK),
        ("上周 happened 什么", _LAST_WEEK),
        ("anything from yesterday?", ["The choir rehearsed."]),
        ("昨天有什么事", ["The choir rehearsed."]),
        ("What was going on the week before last?", ["买了两盏台灯。"]),
        ("show me everything from 2026-04-29", ["买了两盏台灯。"]),
    ],
)
def test_a_time_alone_is_answered_by_all_of_that_time(diary: Memory, query: str, wanted: list[str]) -> None:
    assert sorted(_contents(diary.search(query, now=NOW).hits)) == sorted(wanted)


@pytest.mark.parametrize(
    "query",
    [
        "What happened most recently?",
        "what did I do last?",
        "最近发生了什么",
        "the last 3 messages",
        "最近的 notes",
        "What's new?",
        "有什么新消息",
    ],
)
def test_the_latest_of_anything_is_the_newest_in_order(diary: Memory, query: str) -> None:
    found = _contents(diary.search(query, now=NOW, limit=3).hits)
    assert found == ["The choir rehearsed.", _LAST_WEEK[2], _LAST_WEEK[1]]


@pytest.mark.parametrize("query", ["everything", "*", "what is there?", "所有内容", "全部 notes"])
def test_a_filter_alone_is_answered_by_all_that_it_lets_through(diary: Memory, query: str) -> None:
    for text in ("The kiln cracked.", "窑炉裂了一条缝。"):
        diary.write(text, tags=["pottery"], force=True, occurred_at=NOW)
    assert len(diary.search(query, now=NOW, tags=["pottery"]).hits) == 2
    assert not diary.search(query, now=NOW, tags=["nothing"]).hits
    assert not diary.search(query, now=NOW, since=NOW + timedelta(days=1)).hits


def test_a_topic_beside_the_time_is_not_passed_over(diary: Memory) -> None:
    assert _contents(diary.search("What did Kofi fix last week?", now=NOW, limit=1).hits) == ["Kofi fixed the gate."]
    assert _contents(diary.search("上周水管怎么了", now=NOW, limit=1).hits) == ["修好了三楼的水管。"]


@pytest.mark.parametrize(
    "said", ["Run {n} of the nightly export took {m} minutes.", "第 {n} 次夜间导出用了 {m} 分钟。"]
)
def test_the_latest_of_what_is_alike_is_the_newest_however_old_and_close(memory: Memory, said: str) -> None:
    begin = datetime(2022, 2, 1, tzinfo=UTC)
    turns = [Turn(said.format(n=n, m=40 + n % 7), occurred_at=begin + timedelta(hours=n)) for n in range(1, 61)]
    memory.ingest([*turns, *_old_crowd()])
    query = "How long did the nightly export take the last time?" if said[0] == "R" else "最近一次夜间导出用了多久"
    assert memory.search(query, now=NOW).hits[0].memory.content == turns[-1].content


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("What did Marta say last week?", "I will bring the tent."),
        ("上周 Marta 说了什么", "I will bring the tent."),
    ],
)
def test_what_somebody_said_at_a_time_needs_no_other_topic(memory: Memory, query: str, wanted: str) -> None:
    last_week = NOW - timedelta(days=7)
    said = [("Marta", "I will bring the tent."), ("Ole", "The stove is in my garage."), ("Marta", "Good.")]
    turns = [
        Turn(t, speaker=s, session="trip", occurred_at=last_week + timedelta(minutes=n))
        for n, (s, t) in enumerate(said)
    ]
    memory.ingest([*_old_crowd(), *turns])
    assert wanted in _contents(memory.search(query, now=NOW, limit=2).hits)


# --- Words that only ask --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    ["the", "of the and", "what is it?", "And then what?", "的", "什么呢", "请问是什么", "是不是有没有", "what 的"],
)
def test_words_that_only_ask_find_nothing(diary: Memory, query: str) -> None:
    assert not diary.search(query, now=NOW).hits


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("Could you remind me what I should know about beehives?", "Two beehives were moved to the orchard."),
        ("Please tell me what you remember about the loom.", "Renata repaired the loom."),
        ("Hi! I want to know who needs tenors, thanks.", "The choir needs two more tenors."),
        ("请告诉我，你还记得哪些关于丝瓜的事？", "老马在院子里种了丝瓜。"),
        ("麻烦你帮我想一下温室怎么了", "温室的玻璃碎了一块。"),
        ("帮我 recall 一下 harpsichord", "Beatrix tuned the harpsichord."),
    ],
)
def test_politeness_hides_no_topic(diary: Memory, query: str, wanted: str) -> None:
    assert _contents(diary.search(query, now=NOW, limit=1).hits) == [wanted]


def test_a_saying_of_nothing_but_such_words_is_found(diary: Memory) -> None:
    diary.write("Hamlet wonders: to be or not to be, that is all.", force=True)
    found = _contents(diary.search("to be or not to be", now=NOW).hits)
    assert found == ["Hamlet wonders: to be or not to be, that is all."]


@pytest.mark.parametrize(
    ("pasted", "question"),
    [
        (" ".join(f"line{n} warn{n * 7}" for n in range(900)), "Who repaired the loom, was it Renata?"),
        ("".join(f"第{n}行日志，编号{n * 7}；" for n in range(700)), "Renata 修好了 loom 吗？"),
    ],
)
@pytest.mark.parametrize("is_before", [True, False])
def test_a_question_about_a_pasted_text_is_read_wherever_it_stands(
    diary: Memory, pasted: str, question: str, is_before: bool
) -> None:
    query = f"{question}\n{pasted}" if is_before else f"{pasted}\n{question}"
    found: Any = _contents(diary.search(query, now=NOW).hits)
    assert "Renata repaired the loom." in found
