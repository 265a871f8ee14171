import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograph.extraction.gate import decide, score_gate
from retrograph.extraction.kinds import propose_type
from retrograph.extraction.language import detect_language
from retrograph.models import GateScores, Language, Outcome, Source
from retrograph.settings import GateSettings

SETTINGS = GateSettings()
ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "extraction" / "gate.jsonl").read_text("utf-8").splitlines()
]


def scored(
    text: str, *, novelty: float = 1.0, settings: GateSettings = SETTINGS, source: Source = Source.USER
) -> GateScores:
    return score_gate(text, settings=settings, novelty=novelty, language=detect_language(text), source=source)


def outcome(text: str, **options: float) -> Outcome:
    return decide(scored(text, **options), settings=SETTINGS, force=False)[0]


@pytest.mark.parametrize(
    "text",
    [
        "I prefer dark mode in every editor.",
        "The scraper listens on port 9154.",
        "Never deploy on Fridays.",
        "We decided to use Neo4j.",
        "The import failed because the file had a BOM.",
        "Hi! I'm Petra and I work at Acme.",
        "我喜欢喝乌龙茶。",
        "数据库部署在上海机房。",
        "生产环境禁止直接改数据库。",
        "Zhang Wei 负责 the billing module.",
    ],
)
def test_statement_is_stored(text: str) -> None:
    assert outcome(text) is Outcome.STORED


@pytest.mark.parametrize(
    "text",
    [
        "I'm vegan.",
        "She’s left-handed.",
        "I quit smoking.",
        "Leo smokes.",
        "Paul was a diabetic",
        "Rent 1,200",
        "Our budget is 90k.",
        "Deadline: May 3",
        "我吃素。",
        "小李抽烟。",
        "她去世了",
        "我是左撇子",
        "预算9万",
        "月薪是三万。",
        "Lena 的预算是9万。",
    ],
)
def test_fact_in_two_or_three_words_is_stored(text: str) -> None:
    assert outcome(text) is Outcome.STORED


@pytest.mark.parametrize(
    "text",
    [
        "It works.",
        "I agree.",
        "I'm done.",
        "That helps",
        "Time flies.",
        "Thanks Leo",
        "Page 3",
        "预算9万吗",
        "我懂",
        "我在",
        "第3步",
        "OK 走",
    ],
)
def test_two_or_three_words_that_state_nothing_are_not_stored(text: str) -> None:
    assert outcome(text) is not Outcome.STORED


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("Hello!", "greeting"),
        ("您好，在吗？", "greeting"),
        ("Thanks a lot!", "acknowledgement"),
        ("好的，明白了。", "acknowledgement"),
        ("OK 收到", "acknowledgement"),
        ("Which port does the exporter use?", "question"),
        ("服务器的端口是多少", "question"),
        ("Run the tests again.", "request"),
        ("请 run 一下 tests", "request"),
        ("I'll be back in five minutes.", "intent"),
        ("2026-03-01 10:00:01,123 INFO worker-3 started processing batch 77", "log"),
        ("def add(a, b):\n    return a + b", "code"),
        ("asdfasdf", "noise"),
        ("...", "noise"),
        ("", "noise"),
        ("it broke again", "vague"),
        ("又坏了", "vague"),
    ],
)
def test_talk_that_carries_nothing_is_refused_with_its_kind(text: str, because: str) -> None:
    scores = scored(text)
    assert decide(scores, settings=SETTINGS, force=False)[0] is Outcome.REFUSED
    assert scores.decided_by == because


@pytest.mark.parametrize(
    "text",
    [
        "Remember that the wifi is called PineNet.",
        "记住，我的车牌号是沪A12345。",
        "Please remember I am vegetarian.",
        "别忘了 standup 改到十点。",
    ],
)
def test_explicit_request_stores_whatever_the_novelty(text: str) -> None:
    scores = scored(text, novelty=0.0)
    assert scores.explicit == 1.0
    stored, reason = decide(scores, settings=SETTINGS, force=False)
    assert stored is Outcome.STORED
    assert "asks to be remembered" in reason


@pytest.mark.parametrize(
    "text", ["Do you remember me?", "I don't remember the port.", "你还记得那次旅行吗？", "Remember when we met?"]
)
def test_remembering_told_or_asked_is_no_request(text: str) -> None:
    assert scored(text).explicit < 1.0


def test_request_inside_tool_output_is_no_request() -> None:
    assert scored("Remember that the key is blue.", source=Source.TOOL).explicit == 0.0


def test_force_stores_a_greeting() -> None:
    assert decide(scored("hello"), settings=SETTINGS, force=True)[0] is Outcome.STORED


def test_repeat_scores_lower_than_news() -> None:
    text = "Petra lives in Oslo."
    assert scored(text, novelty=0.0).salience == pytest.approx(scored(text).salience - SETTINGS.novelty, abs=2e-3)
    assert outcome(text, novelty=0.0) is not Outcome.STORED


def test_borderline_lies_between_the_thresholds_and_names_the_cure() -> None:
    scores = GateScores(0.5, 0.5, 0.5, 0.5, 0.0, 0.5, "information")
    got, reason = decide(scores, settings=SETTINGS, force=False)
    assert got is Outcome.BORDERLINE
    assert "force=true" in reason


def test_weights_are_settings() -> None:
    only_novelty = GateSettings(information=0, novelty=1, future_relevance=0, emotion=0, explicit=0)
    assert scored("hello", novelty=0.7, settings=only_novelty).salience == pytest.approx(0.7)


def test_other_languages_are_stored_when_they_say_something() -> None:
    text = "Mi hermana vive en Madrid y trabaja en un hospital."
    got = score_gate(text, settings=SETTINGS, novelty=1.0, language=Language.OTHER)
    assert decide(got, settings=SETTINGS, force=False)[0] is Outcome.STORED


def test_statement_behind_pasted_log_is_read() -> None:
    log = "```\n2026-03-01 10:00:01 ERROR no space\n```"
    text = f"The worker died because the disk was full, so we doubled the volume.\n{log}"
    assert outcome(text) is Outcome.STORED


@settings(deadline=None)
@given(st.text(max_size=300), st.floats(-1, 2))
def test_scores_stay_in_range_for_any_text(text: str, novelty: float) -> None:
    scores = scored(text, novelty=novelty)
    for value in (
        scores.information,
        scores.novelty,
        scores.future_relevance,
        scores.emotion,
        scores.explicit,
        scores.salience,
    ):
        assert 0.0 <= value <= 1.0


@pytest.mark.parametrize("split", ["dev", "test"])
def test_labelled_set_reaches_the_goals(split: str) -> None:
    rows = [row for row in ROWS if row["split"] == split]
    stored = [outcome(row["text"]) is Outcome.STORED for row in rows]
    right = sum(s and row["store"] for s, row in zip(stored, rows, strict=True))
    typed = [row for row in rows if row["store"]]
    accuracy = sum(propose_type(r["text"], language=detect_language(r["text"])) == r["type"] for r in typed) / len(
        typed
    )
    assert right / sum(stored) >= 0.90
    assert right / len(typed) >= 0.90
    assert accuracy >= 0.80
