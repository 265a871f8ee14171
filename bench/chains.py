"""Chains: two to four memories linked by names, asked for by a question that shares no word with the last one.

Made here from a seed: invented names in English and Chinese, so that no model can know the answer, among 1,000
other memories of the same kind.
"""

import argparse
import random
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
_SURNAMES = "赵 钱 孙 李 周 吴 郑 王 冯 陈 褚 卫 蒋 沈 韩 杨".split()
_GIVEN = "子墨 雨桐 浩然 思远 若溪 景行 明哲 语嫣 俊豪 欣怡 天佑 梓萱 嘉懿 煜城 懿轩 烨伟".split()

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
    names = _names(draw)
    texts: list[str] = []
    questions: list[Question] = []
    for number in range(CHAINS):
        chinese = number % 2 == 1
        length = 2 + number % 3
        steps = (_STEPS_ZH if chinese else _STEPS_EN)[-length:]
        chain = [next(names[chinese]) for _ in range(length)]
        for position, step in enumerate(steps):
            last = position == length - 1
            texts.append(step.format(a=chain[position], b="" if last else chain[position + 1]))
        asked = (_QUESTION_ZH if chinese else _QUESTION_EN).format(a=chain[0])
        questions.append(Question(asked, frozenset({texts[-1]}), f"{'zh' if chinese else 'en'} {length} memories"))
    for number in range(OTHERS):
        chinese = number % 2 == 1
        step = draw.choice(_STEPS_ZH if chinese else _STEPS_EN)
        texts.append(step.format(a=next(names[chinese]), b=next(names[chinese])))
    order = list(range(len(texts)))
    draw.shuffle(order)
    return [Turn(content=texts[n], id=texts[n]) for n in order], questions


def _names(draw: random.Random) -> tuple:
    """Two endless sources of names that are never given twice: English, Chinese."""

    def english() -> object:
        seen: set[str] = set()
        while True:
            name = (draw.choice(_ONSETS) + draw.choice(_MIDDLES) + draw.choice(_ENDS)).capitalize()
            name += f" {(draw.choice(_ONSETS) + draw.choice(_MIDDLES) + draw.choice(_ENDS)).capitalize()}"
            if name not in seen:
                seen.add(name)
                yield name

    def chinese() -> object:
        seen: set[str] = set()
        suffixes = ("", "工厂", "中心", "公司", "大厦", "车站", "仓库", "医院")
        while True:
            name = draw.choice(_SURNAMES) + draw.choice(_GIVEN) + draw.choice(suffixes)
            if name not in seen:
                seen.add(name)
                yield name

    return english(), chinese()
