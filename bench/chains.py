"""Chains: two to four memories linked by names, asked for by a question that shares no word with the last one.

Made here from a seed: invented names in English and Chinese, so that no model can know the answer, among 1,000
other memories of the same kind.
"""

import argparse
import random
from collections.abc import Callable
from pathlib import Path

import retrograph
from bench.asking import Question, Scores, ask, bank_of, ingest
from retrograph.models import Turn

SEED = 7
CHAINS = 20
OTHERS = 1_000

_ONSETS = "b br c d dr f g gl h j k l m n p pr r s st t tr v w z".split()
_MIDDLES = "a e i o u ai ea io ou".split()
_ENDS = "ba den dor fel gan kin lan mor nis rel rin sen ta ton va vik zar".split()
_SURNAMES = "赵 钱 孙 李 周 吴 郑 王 冯 陈 蒋 沈 韩 杨 朱 秦".split()
_GIVEN = "子墨 雨桐 浩然 思远 若溪 景行 明哲 语嫣 俊豪 欣怡 天佑 梓萱 嘉懿 志强 建国 丽华".split()
_COMPANY = "恒 瑞 宏 鼎 盛 华 中 金 东 南 天 嘉 泰 康 润 博".split()
_TRADES = "电子 物流 科技 机械 制药 化工".split()
_PLACE = "青 白 云 石 龙 凤 松 柳 清 平 安 永 江 河 山 林".split()
_PLACES = "市 县 镇".split()

# Each step says something of its two names and nothing of the others; the question knows the first name alone.
_STEPS_EN = (
    "{a} sends every parcel through {b}.",
    "{a} is run by {b}.",
    "{a} grew up in {b}.",
    "{a} was flooded in the night.",
)
_STEPS_ZH = (
    "{a}的零件全部来自{b}。",
    "{a}由{b}管理。",
    "{a}住在{b}。",
    "{a}昨晚停电了。",
)
_KINDS_ZH = ("company", "company", "person", "place")
_QUESTION_EN = "What could delay {a}?"
_QUESTION_ZH = "什么会影响{a}？"


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Ingests chains and others into one bank and asks for the end of each chain."""
    del folder
    turns, questions = planted(random.Random(SEED))
    scores = Scores()
    with retrograph.open() as memory:
        memory.warm()
        bank = bank_of(memory, "bench-chains")
        report, turn_of = ingest(bank, turns, label="chains")
        ask(bank, questions, turn_of, scores, preset=arguments.preset)
    speed = {"memories": report.total, "ingest memories/s": round(report.total / report.seconds, 1)}
    return {"the last memory of the chain, %": scores.rows(), "speed": speed | scores.latency()}


def planted(draw: random.Random) -> tuple[list[Turn], list[Question]]:
    """All memories in a mixed order, and a question for each chain."""
    names = Names(draw)
    texts: list[str] = []
    questions: list[Question] = []
    for number in range(CHAINS):
        chinese = number % 2 == 1
        length = 2 + number % 3
        first = len(_STEPS_EN) - length
        steps = (_STEPS_ZH if chinese else _STEPS_EN)[first:]
        chain = [names.chinese(kind) if chinese else names.english() for kind in _KINDS_ZH[first:]]
        for position, step in enumerate(steps):
            texts.append(step.format(a=chain[position], b=chain[min(position + 1, length - 1)]))
        asked = (_QUESTION_ZH if chinese else _QUESTION_EN).format(a=chain[0])
        questions.append(Question(asked, frozenset({texts[-1]}), f"{'zh' if chinese else 'en'} {length} memories"))
    for number in range(OTHERS):
        place = draw.randrange(len(_STEPS_EN))
        kinds = (_KINDS_ZH[place], _KINDS_ZH[min(place + 1, len(_KINDS_ZH) - 1)])
        pair = [names.chinese(kind) if number % 2 else names.english() for kind in kinds]
        texts.append((_STEPS_ZH if number % 2 else _STEPS_EN)[place].format(a=pair[0], b=pair[1]))
    order = list(range(len(texts)))
    draw.shuffle(order)
    return [Turn(content=texts[n], id=texts[n]) for n in order], questions


class Names:
    """Invented names, none given twice."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._given: set[str] = set()

    def english(self) -> str:
        return self._fresh(lambda: f"{self._syllables()} {self._syllables()}")

    def chinese(self, kind: str) -> str:
        pick = self._draw.choice
        makers = {
            "company": lambda: pick(_COMPANY) + pick(_COMPANY) + pick(_TRADES),
            "person": lambda: pick(_SURNAMES) + pick(_GIVEN),
            "place": lambda: pick(_PLACE) + pick(_PLACE) + pick(_PLACES),
        }
        return self._fresh(makers[kind])

    def _syllables(self) -> str:
        pick = self._draw.choice
        return (pick(_ONSETS) + pick(_MIDDLES) + pick(_ENDS)).capitalize()

    def _fresh(self, make: Callable[[], str]) -> str:
        for _ in range(10_000):
            name = make()
            if name not in self._given:
                self._given.add(name)
                return name
        raise RuntimeError("no name is left: more names are asked for than can be made")
