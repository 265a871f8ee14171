"""Time questions: a topic that comes again and again, asked for at one time; English and Chinese.

Each topic is spoken of once in every week or month; the question names the topic and the time, and only one memory
is right. Beside them, memories of the same days on other topics.
"""

import argparse
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import retrograph
from bench.asking import Question, Scores, bank_of, ingest
from retrograph.models import MemoryType, SearchFilter, Status, Turn

NOW = datetime(2026, 3, 18, 10, 30, tzinfo=UTC)  # A Wednesday.

_TOPICS_EN = {
    "caching": "We decided to change the caching: keep pages for {n} minutes.",
    "the release": "The release was put off because test {n} failed.",
    "hiring": "About hiring: we spoke with candidate {n}.",
    "the budget": "The budget was cut by {n} per cent.",
    "the office move": "For the office move we looked at building {n}.",
}
_TOPICS_ZH = {
    "缓存": "我们决定修改缓存策略：页面保留{n}分钟。",
    "发布": "因为第{n}个测试失败，发布推迟了。",
    "招聘": "关于招聘：我们面试了{n}号候选人。",
    "预算": "预算削减了百分之{n}。",
    "搬家": "办公室搬家看了{n}号楼。",
}
# Words, and the day they mean, for the reference above.
_WHEN_EN = {
    "last week": datetime(2026, 3, 11, 15, tzinfo=UTC),
    "yesterday": datetime(2026, 3, 17, 15, tzinfo=UTC),
    "in January": datetime(2026, 1, 14, 15, tzinfo=UTC),
    "in November 2025": datetime(2025, 11, 12, 15, tzinfo=UTC),
    "on 5 December 2025": datetime(2025, 12, 5, 15, tzinfo=UTC),
}
_WHEN_ZH = {
    "上周": datetime(2026, 3, 11, 15, tzinfo=UTC),
    "昨天": datetime(2026, 3, 17, 15, tzinfo=UTC),
    "今年一月": datetime(2026, 1, 14, 15, tzinfo=UTC),
    "2025年11月": datetime(2025, 11, 12, 15, tzinfo=UTC),
    "2025年12月5日": datetime(2025, 12, 5, 15, tzinfo=UTC),
}
_OTHERS = (
    "Lunch was soup no. {n}.",
    "The printer on floor {n} was repaired.",
    "第{n}号会议室的投影仪坏了。",
    "今天食堂供应{n}号套餐。",
)


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Ingests all of it and asks for every topic at every time, with the words alone and without them."""
    del folder
    turns, questions = planted()
    scores, timeless, every = Scores(), Scores(), Scores()
    both = SearchFilter(statuses=(Status.ACTIVE, Status.SUPERSEDED))
    with retrograph.open() as memory:
        memory.warm()
        bank = bank_of(memory, "bench-times")
        _, turn_of = ingest(bank, turns, label="times")
        for question, bare in questions:
            # What happened twice may be taken for a change of one thing: the third row is without that.
            for asked, where, into in (
                (question.text, None, scores),
                (bare, None, timeless),
                (question.text, both, every),
            ):
                started = time.perf_counter()
                found = bank.search(asked, where=where, limit=20, diversity=False, preset=arguments.preset, now=NOW)
                ranked = [turn_of.get(hit.memory.id, "") for hit in found.hits]
                into.add(question, ranked, time.perf_counter() - started)
    return {
        "with the time in the question, %": scores.rows(),
        "the same without, % (chance)": timeless.rows(),
        "with the time, replaced ones too, %": every.rows(),
        "speed": {"memories": len(turns)} | scores.latency(),
    }


def planted() -> tuple[list[Turn], list[tuple[Question, str]]]:
    """The memories, and each question with and without its time."""
    turns: list[Turn] = []
    questions: list[tuple[Question, str]] = []
    number = 10
    for topics, whens, form, bare in (
        (_TOPICS_EN, _WHEN_EN, "What did we say about {topic} {when}?", "What did we say about {topic}?"),
        (_TOPICS_ZH, _WHEN_ZH, "{when}关于{topic}我们说了什么？", "关于{topic}我们说了什么？"),
    ):
        language = "en" if topics is _TOPICS_EN else "zh"
        for topic, text in topics.items():
            for when, at in whens.items():
                number += 1
                turn = f"{topic} {when}"
                turns.append(Turn(text.format(n=number), id=turn, occurred_at=at, type=MemoryType.EVENT))
                asked = form.format(topic=topic, when=when)
                questions.append((Question(asked, frozenset({turn}), language), bare.format(topic=topic)))
            for months in range(3, 15):
                number += 1
                at = datetime(2025, 10, 20, 11, tzinfo=UTC) - timedelta(days=30 * (months - 3))
                turns.append(Turn(text.format(n=number), id=f"other {number}", occurred_at=at, type=MemoryType.EVENT))
    days = sorted({at for whens in (_WHEN_EN, _WHEN_ZH) for at in whens.values()})
    for at in days:
        for hour in range(20):
            number += 1
            text = _OTHERS[hour % len(_OTHERS)].format(n=number)
            when = at.replace(hour=8) + timedelta(minutes=20 * hour)
            turns.append(Turn(text, id=f"other {number}", occurred_at=when, type=MemoryType.EVENT))
    return turns, questions
