"""Inputs that broke systems like this one, about recall: each with its whole kind, in English, Chinese and mixed."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from retrograph.errors import InvalidInput
from retrograph.memory import Memory
from retrograph.models import EntityInput, Hit, Identity, MemoryType, Outcome, Scope, Source, Turn
from retrograph.retrieval.cut import estimate_tokens

from .conftest import DIMENSIONS, EPOCH, Garden, toward

NOW = datetime(2026, 5, 14, 10, tzinfo=UTC)  # a Thursday
_QUERY = "qwxyv"
_AXIS = [1.0] + [0.0] * (DIMENSIONS - 1)


@pytest.fixture
def aimed(garden: Garden) -> Garden:
    """A bank in which the query points along the first axis."""
    garden.encoder.plan[_QUERY] = _AXIS
    return garden


def _write(memory: Memory, content: str, **more: Any) -> str:
    result = memory.write(content, force=True, **more)
    assert result.outcome is Outcome.STORED, (content, result)
    assert result.id
    return result.id


def _contents(hits: Sequence[Hit]) -> list[str]:
    return [hit.memory.content for hit in hits]


# --- Time and topic -------------------------------------------------------------------------------------------------

_LAST_WEEK = [
    "We decided to cache thumbnails in Redis for one hour.",
    "The decision is to cache search results for ten minutes.",
]
_LAST_WEEK_ZH = ["我们决定把缩略图缓存在内存里一小时。", "会上决定搜索结果只缓存十分钟。"]
_OLDER = [
    "We decided on caching the price list at the edge.",
    "Caching of invoices was decided against.",
    "It was decided that caching of fonts stays off.",
]
_OLDER_ZH = ["我们决定把价目表缓存在边缘节点。", "会上决定不缓存发票。", "决定字体不做缓存。"]
_ELSE = [
    "The canteen serves dumplings on Mondays.",
    "Priya booked a flight to Bergen.",
    "The printer on floor three jams.",
    "Two interns started with the design team.",
    "The elevator was inspected.",
    "A new coffee machine was delivered.",
    "Tomas lost his badge.",
    "The window in room 204 does not close.",
    "停车场周二要重新划线。",
    "前台换了新的访客系统。",
    "小林把羽毛球拍忘在了会议室。",
    "二楼的空调滤网换过了。",
]


@pytest.mark.parametrize(
    ("query", "wanted", "older"),
    [
        ("What was decided about caching last week?", _LAST_WEEK, _OLDER),
        ("上周我们关于缓存决定了什么？", _LAST_WEEK_ZH, _OLDER_ZH),
        ("上周 caching 方面的 decision 是什么？", _LAST_WEEK, _OLDER),
    ],
)
def test_time_in_the_question_filters_and_the_topic_ranks(
    memory: Memory, query: str, wanted: list[str], older: list[str]
) -> None:
    last_week = NOW - timedelta(days=7)
    turns = [
        Turn(text, occurred_at=last_week + timedelta(hours=n), type=MemoryType.DECISION)
        for n, text in enumerate(wanted)
    ]
    turns += [Turn(text, occurred_at=last_week + timedelta(minutes=7 * n)) for n, text in enumerate(_ELSE)]
    turns += [Turn(t, occurred_at=NOW - timedelta(days=60 + n), type=MemoryType.DECISION) for n, t in enumerate(older)]
    memory.ingest(turns)
    found = _contents(memory.search(query, now=NOW, limit=5).hits)
    assert set(found[:2]) == set(wanted)


@pytest.mark.parametrize(
    ("query", "day"),
    [
        ("What broke yesterday?", NOW - timedelta(days=1)),
        ("昨天什么坏了？", NOW - timedelta(days=1)),
        ("What broke in March?", NOW - timedelta(days=60)),
        ("三月份什么坏了？", NOW - timedelta(days=60)),
        ("what broke on 2026-04-02", datetime(2026, 4, 2, 12, tzinfo=UTC)),
    ],
)
def test_the_same_event_of_the_time_asked_for_comes_first(memory: Memory, query: str, day: datetime) -> None:
    chinese = "什么" in query
    said = "冷库的压缩机在{}号线上坏了。" if chinese else "The compressor of the cold store broke on line {}."
    days = [
        NOW - timedelta(days=1),
        NOW - timedelta(days=60),
        datetime(2026, 4, 2, 12, tzinfo=UTC),
        NOW - timedelta(days=400),
    ]
    memory.ingest([Turn(said.format(n), occurred_at=at, type=MemoryType.EVENT) for n, at in enumerate(days, 1)])
    assert memory.search(query, now=NOW, limit=4).hits[0].memory.occurred_at == day


# --- Bad filters ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        {"limit": 10**9},
        {"limit": -1},
        {"limit": 0},
        {"hops": 4},
        {"hops": -1},
        {"decay": 0.0},
        {"decay": 1.5},
        {"min_score": 1.01},
        {"min_score": float("nan")},
        {"max_tokens": 0},
        {"half_life_days": 0.0},
        {"half_life_days": float("inf")},
        {"types": ["opinion"]},
        {"source": "rumour"},
        {"statuses": ["deleted"]},
        {"statuses": ["pending_review"]},
        {"preset": "no such preset"},
        {"tag": "x"},
        {"created_at__gt": NOW},
    ],
)
def test_a_filter_that_cannot_work_is_an_error_that_names_it(aimed: Garden, bad: dict[str, Any]) -> None:
    aimed.plant(f"anything {_QUERY}", vector=toward(0.9))
    with pytest.raises(InvalidInput) as refused:
        aimed.search(_QUERY, **bad)
    name, value = next(iter(bad.items()))
    named = value[0] if isinstance(value, list) else name if name not in ("source", "preset") else str(value)
    assert named in str(refused.value) or refused.value.field == name


@pytest.mark.parametrize(
    "empty",
    [
        {"tags": ("nobody used this",)},
        {"tags": ("x", "nobody used this")},
        {"domain": "nowhere"},
        {"session": "never"},
        {"metadata": {"k": "w"}},
        {"since": NOW, "until": NOW - timedelta(days=1)},
        {"types": [MemoryType.SKILL]},
    ],
)
def test_a_filter_that_matches_nothing_gives_nothing_never_everything(aimed: Garden, empty: dict[str, Any]) -> None:
    aimed.plant_all(
        [
            aimed.row(f"anything {n} {_QUERY}", vector=toward(0.9, str(n)), tags=("x",), metadata={"k": "v"})
            for n in range(12)
        ]
    )
    assert aimed.search(_QUERY, limit=50, **empty).hits == ()
    assert len(aimed.search(_QUERY, limit=50).hits) == 12


# --- Hubs, fame, hops, bridges --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hub", "rare", "crowd"),
    [("user", "Kestrel", 5_000), ("用户", "红隼", 1_000), ("the 用户", "Kestrel 网关", 1_000)],
)
def test_a_hub_of_thousands_neither_displaces_nor_pads_the_few(aimed: Garden, hub: str, rare: str, crowd: int) -> None:
    for start in range(0, crowd, 1_000):
        aimed.plant_all([aimed.row(f"crowd {n}", mentions=[hub]) for n in range(start, start + 1_000)])
    few = [aimed.plant(f"note {n}", mentions=[hub, rare]) for n in range(5)]
    query = f"{hub} {rare}"
    aimed.encoder.plan[query] = _AXIS
    hits = aimed.search(query, limit=10).hits
    assert {hit.memory.id for hit in hits[:5]} == set(few)
    assert not [hit.memory.content for hit in hits[5:] if hit.relevance >= hits[4].relevance]


@pytest.mark.parametrize(
    "query", ["Which port does the collector listen on?", "采集器监听哪个端口？", "the collector 用哪个 port？"]
)
def test_fame_brings_nothing_in_that_does_not_bear_on_the_question(memory: Memory, query: str) -> None:
    famous = [
        _write(memory, "Grandmother's plum cake needs two hours in the oven.", importance=1.0, pinned=True),
        _write(memory, "奶奶的李子蛋糕要烤两个小时。", importance=1.0, pinned=True),
    ]
    for _ in range(30):
        memory.feedback(famous, useful=True)
    assert not {hit.memory.id for hit in memory.search(query).hits} & set(famous)
    wanted = _write(memory, "The collector (采集器) listens on port (端口) 9188.", importance=0.0)
    found = [hit.memory.id for hit in memory.search(query).hits]
    assert found[:1] == [wanted]
    assert not set(found) & set(famous)


@pytest.mark.parametrize("decay", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("kind", ["supports", "由…引起", "my own kind"])
def test_activation_along_unit_links_is_the_powers_of_the_decay(aimed: Garden, decay: float, kind: str) -> None:
    chain = [aimed.plant("start", vector=toward(0.95)), *(aimed.plant(f"link {n}") for n in range(3))]
    for a, b in pairwise(chain):
        aimed.link(a, b, kind)
    path = next(h.path for h in aimed.search(_QUERY, limit=50, decay=decay).hits if h.memory.id == chain[3])
    first = path[0].activation
    assert [step.activation / first for step in path] == pytest.approx([1, decay, decay**2, decay**3])


@pytest.mark.parametrize(
    ("first", "second", "query", "bridge"),
    [
        ("rig7 hosts the render queue.", "rig7's disk is full.", "render queue", "rig7"),
        ("node-7 runs the nightly backup.", "node-7 lost its power supply.", "nightly backup", "node-7"),
        ("赵敏负责支付网关。", "赵敏下周开始休产假。", "支付网关", "赵敏"),
        ("红隼集群承载推荐服务。", "红隼集群的磁盘满了。", "推荐服务", "红隼集群"),
        ("Kafka 集群 carries the order stream.", "Kafka 集群的证书周五过期。", "order stream", "Kafka"),
    ],
)
def test_a_name_is_the_bridge_to_what_shares_no_word_with_the_question(
    memory: Memory, first: str, second: str, query: str, bridge: str
) -> None:
    for text in (first, second, "The canteen serves dumplings on Mondays.", "前台换了新的访客系统。"):
        _write(memory, text)
    hit = next((hit for hit in memory.search(query, limit=5).hits if hit.memory.content == second), None)
    assert hit is not None
    assert any(step.kind == "entity" and bridge.lower() in step.name.lower() for step in hit.path)


# --- Words ----------------------------------------------------------------------------------------------------------

_ZH = [
    "服务器部署在上海机房，使用机器学习算法做风控。",
    "新版合同模板放在法务共享盘的二号文件夹。",
    "测试环境的数据库口令每月一号轮换。",
    "冷链车辆的温度记录仪由華北供應商维护。",
]


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("机器学习算法", 0),
        ("风控", 0),
        ("机房在上海吗", 0),
        ("合同模板", 1),
        ("法务 共享盘", 1),
        ("口令轮换", 2),
        ("温度记录仪", 3),
        ("華北", 3),
        ("数据库 password 轮换", 2),
    ],
)
def test_chinese_words_are_found_by_the_words_themselves(garden: Garden, query: str, number: int) -> None:
    """The vectors of texts and query have nothing in common, so that words alone can find them."""
    garden.encoder.plan[query] = _AXIS
    ids = garden.plant_all([garden.row(text) for text in _ZH])
    hits = garden.search(query, limit=3, min_score=0).hits
    assert hits[0].memory.id == ids[number]
    assert "keyword" in hits[0].seeds


@pytest.mark.parametrize(
    "query",
    [
        'AND OR ( [ " ~ * : \\ / anemometer',
        "NOT anemometer^99 && || !",
        "anemometer/.*/ {a TO z}",
        "content:anemometer) OR (bank:*",
        "'; MATCH (n) DETACH DELETE n // anemometer",
        "anemometer\n\t\r\x0b\x00\u2028",
        "＂ａｎｅｍｏｍｅｔｅｒ＂ anemometer 风速仪 （",
        "anemometer " + "lorem" * 600,
        "anemometer " + " ".join(f"w{n}" for n in range(900)),
        "风速仪" + "。" * 3_000 + "anemometer",
        "\U0001f32c️ anemometer \U0001f468\u200d\U0001f469\u200d\U0001f467",
    ],
)
def test_no_query_is_syntax_and_none_loses_its_words(garden: Garden, query: str) -> None:
    wanted = garden.plant("the anemometer (风速仪) froze")
    garden.plant_all([garden.row(f"noise {n}") for n in range(5)])
    hit = next((hit for hit in garden.search(query, limit=10, min_score=0).hits if hit.memory.id == wanted), None)
    assert hit is not None
    assert "keyword" in hit.seeds


# --- The whole payload ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [80, 500, 2_000])
@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize(
    "long",
    [
        {"metadata": {"log": "stack frame " * 60}},
        {"tags": tuple(f"标签{n}" for n in range(40))},
        {"summary": "short 摘要 " * 60},
    ],
)
def test_the_budget_counts_all_that_is_sent(aimed: Garden, budget: int, text: bool, long: dict[str, Any]) -> None:
    aimed.plant_all(
        [
            aimed.row(f"第{n}条 memory {_QUERY}", vector=toward(0.9, str(n)), mentions=["Kestrel"], **long)
            for n in range(8)
        ]
    )
    result = aimed.search(_QUERY, limit=8, max_tokens=budget, text=text)
    sent = sum(
        estimate_tokens(
            json.dumps(
                [
                    hit.memory.content,
                    hit.memory.summary,
                    hit.memory.tags,
                    hit.memory.metadata,
                    [s.name for s in hit.path],
                ],
                ensure_ascii=False,
            )
        )
        for hit in result.hits
    )
    sent += estimate_tokens(result.text or "")
    assert sent <= result.tokens <= budget
    assert result.omitted == 8 - len(result.hits)


# --- Filters inside the query ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mine",
    [
        {"session": "José's 会话"},
        {"domain": "facturación"},
        {"tags": ("à-la-carte", "标签")},
        {"metadata": {"author": "José", "n": 3}},
        {"metadata": {"嵌套": {"a": [1, 2]}}},
        {"source": Source.TOOL},
        {"type": MemoryType.CONSTRAINT},
    ],
)
def test_a_filter_holds_inside_the_query_among_thousands_that_are_nearer(aimed: Garden, mine: dict[str, Any]) -> None:
    other = {key: _unlike(value) for key, value in mine.items()}
    aimed.plant_all([aimed.row(f"near {n} {_QUERY}", vector=toward(0.99, str(n)), **other) for n in range(1_000)])
    wanted = aimed.plant_all([aimed.row(f"far {n}", vector=toward(0.5, f"f{n}"), **mine) for n in range(5)])
    filters = {"types": [mine["type"]]} if "type" in mine else mine
    assert set(aimed.found(_QUERY, limit=5, min_score=0, **filters)) == set(wanted)


def _unlike(value: Any) -> Any:
    """Another value that differs in an accent, a letter or a kind alone."""
    if isinstance(value, Source | MemoryType):
        return Source.USER if isinstance(value, Source) else MemoryType.FACT
    if isinstance(value, dict):
        return {key: _unlike(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return value[:-1]
    if isinstance(value, list):
        return value[:-1]
    return value + 1 if isinstance(value, int) else value.replace("é", "e").replace("ó", "o") + " "


@pytest.mark.parametrize(
    "operator", ["session__in", "user", "metadata.n", "n>2", "greater_than", "tags_any", "创建时间"]
)
def test_an_operator_that_is_unknown_is_an_error(aimed: Garden, operator: str) -> None:
    aimed.plant(f"anything {_QUERY}")
    with pytest.raises(InvalidInput, match="no argument") as refused:
        aimed.search(_QUERY, **{operator: "x"})
    assert refused.value.field == operator


# --- Recent ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("session", ["standup", "晨会 Ω"])
@pytest.mark.parametrize("count", [3, 1, 7])
def test_the_last_few_of_a_session_are_the_newest_in_order(memory: Memory, session: str, count: int) -> None:
    talk = memory.for_identity(Identity(memory.identity.bank, user="ines", session=session))
    talk.ingest(
        [
            Turn(f"Point {n}: crate {n * 7 + 3} goes to bay {n * 11 + 2}. 第{n}点", session=session,
                 occurred_at=EPOCH + timedelta(minutes=n), speaker="Ines")
            for n in range(50)
        ]
    )  # fmt: skip
    context = talk.session_context(last=count)
    assert [turn.content.split(":")[0] for turn in context.turns] == [f"Point {n}" for n in range(50 - count, 50)]
    assert context.turns_total == 50


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("the last time the boiler was serviced", "The boiler was serviced by firm number {}."),
        ("锅炉最近一次是谁检修的", "锅炉由第{}家公司检修。"),
        ("boiler 最近一次 service", "The boiler 由第{}家公司 serviced."),
    ],
)
def test_asked_for_the_latest_the_newest_comes_first(memory: Memory, query: str, said: str) -> None:
    days = [300, 200, 90, 30, 2]
    memory.ingest(
        [
            Turn(said.format(n), occurred_at=NOW - timedelta(days=day), type=MemoryType.EVENT)
            for n, day in enumerate(days, 1)
        ]
    )
    hits = memory.search(query, now=NOW, limit=5).hits
    assert hits[0].memory.occurred_at == NOW - timedelta(days=2)


# --- Look-alikes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "query"),
    [
        ("I am allergic to sesame.", "I am allergic to walnuts.", "What am I allergic to?"),
        ("我对花生过敏。", "我对腰果过敏。", "我对什么过敏？"),
        ("我 allergic to 花生。", "我 allergic to 腰果。", "What am I allergic to 过敏?"),
    ],
)
def test_look_alike_facts_of_two_owners_stay_two_and_each_answers_for_its_own(
    memory: Memory, first: str, second: str, query: str
) -> None:
    bank = memory.identity.bank
    ann, eve = (memory.for_identity(Identity(bank, user=name)) for name in ("ann", "eve"))
    of_ann, of_eve = _write(ann, first), _write(eve, second)
    assert [hit.memory.id for hit in ann.search(query).hits] == [of_ann]
    assert [hit.memory.id for hit in eve.search(query).hits] == [of_eve]
    for who, own, version in ((ann, of_ann, first), (eve, of_eve, second)):
        detail = who.get(own)
        assert (detail.memory.content, detail.supersedes, detail.superseded_by, detail.links) == (version, (), (), ())
    same = eve.write(first, force=True)
    assert same.outcome is Outcome.STORED and same.id != of_ann
    assert ann.get(of_ann).memory.access_count == 0


def test_look_alike_facts_about_two_people_of_one_owner_stay_two(memory: Memory) -> None:
    texts = [
        "Ann is allergic to sesame.",
        "Eve is allergic to walnuts.",
        "小安对花生过敏。",
        "小伊对腰果过敏。",
    ]
    ids = [_write(memory, text) for text in texts]
    for memory_id in ids:
        assert memory.get(memory_id).memory.status == "active"
    assert _contents(memory.search("What is Eve allergic to?").hits)[0] == texts[1]
    assert _contents(memory.search("小伊对什么过敏？").hits)[0] == texts[3]


# --- Long questions and large answers -------------------------------------------------------------------------------

_FILLER = "We walked along the harbour and talked about the weather, the gulls and the price of bread. "
_FILLER_ZH = "我们沿着港口散步，聊了聊天气、海鸥和面包的价格。"


@pytest.mark.parametrize("place", ["before", "after", "between"])
@pytest.mark.parametrize(("filler", "times"), [(_FILLER, 18), (_FILLER_ZH, 40), (_FILLER + _FILLER_ZH, 12)])
def test_a_question_of_hundreds_of_words_uses_every_arm(
    garden: Garden, monkeypatch: pytest.MonkeyPatch, place: str, filler: str, times: int
) -> None:
    core = "Tell me about the Kestrel anemometer 风速仪."
    padding = filler * times
    half = padding[: len(padding) // 2]
    query = {"before": core + padding, "after": padding + core, "between": half + core + half}[place]
    # An encoder sees both ends of what is longer than it can take.
    monkeypatch.setattr(garden.encoder, "encode_query", lambda _: np.array(_AXIS, dtype=np.float32))
    words = garden.plant("an anemometer froze, 风速仪 too")
    meaning = garden.plant("meaning", vector=toward(0.9))
    named = garden.plant("named", mentions=["Kestrel"])
    bridged = garden.plant("bridged", mentions=["Skua"])
    garden.link(meaning, bridged)
    garden.plant_all([garden.row(f"noise {n}") for n in range(20)])
    hits = {hit.memory.id: hit for hit in garden.search(query, limit=10, min_score=0).hits}
    assert {words, meaning, named, bridged} <= hits.keys()
    assert "keyword" in hits[words].seeds
    assert "vector" in hits[meaning].seeds
    assert "entity" in hits[named].seeds
    assert hits[bridged].path[0].id == meaning


@pytest.mark.parametrize("limit", [5, 50, 1_000])
def test_an_answer_is_bounded_and_says_how_many_more(aimed: Garden, limit: int) -> None:
    rows = [aimed.row(f"第{n}条 {_QUERY}", vector=toward(0.9, str(n)), mentions=[f"Kestrel {n}"]) for n in range(600)]
    aimed.plant_all(rows)
    result = aimed.search(_QUERY, limit=limit)
    assert len(result.hits) == min(limit, 600)
    assert (result.omitted > 0) == (limit < 600)


def test_an_entity_of_hundreds_is_bounded_and_says_how_many_there_are(memory: Memory) -> None:
    kestrel = [EntityInput("Kestrel 网关")]
    memory.ingest(
        [
            Turn(
                f"Kestrel 网关: crate {n * 7 + 1} went to bay {n * 13 + 5}.",
                entities=tuple(kestrel),
                occurred_at=EPOCH + timedelta(minutes=n),
            )
            for n in range(120)
        ]
    )
    detail = memory.entity("Kestrel 网关", limit=10)
    assert (len(detail.memories), detail.memories_total) == (10, 120)
    assert [memory_.occurred_at for memory_ in detail.memories] == sorted(
        (memory_.occurred_at for memory_ in detail.memories), reverse=True
    )
    found = memory.search("Kestrel 网关 crates", limit=7)
    assert len(found.hits) == 7
    assert found.omitted > 0


def test_scope_is_kept_by_every_arm_of_a_recall(aimed: Garden) -> None:
    ann, eve = aimed.seen_by(user="ann"), aimed.seen_by(user="eve")
    near = {"vector": toward(0.9), "mentions": ["Kestrel"], "scope": Scope.PRIVATE, "session": "s"}
    mine = ann.plant(f"mine {_QUERY}", **near)
    eve.plant(f"hers {_QUERY}", **near)
    for query in (_QUERY, "Kestrel", f"Kestrel {_QUERY}"):
        assert ann.found(query, limit=10, min_score=0) == [mine]
