"""Feedback: a simulated user marks hits; what that does to the rest of the same topics, and to all others.

Made here from a seed, in English and Chinese: each topic has one memory that answers and a few that sound as if they
did; several questions a topic. The user asks half of the questions of half the topics and marks what is seen, down to
the answer: it as useful, what stood above it as not. Measured on the other half, and on topics that nobody marked.
"""

import argparse
import random
from pathlib import Path

import retrograph
from bench.asking import Question, bank_of, ingest
from retrograph import Memory
from retrograph.memory.evaluating import mean
from retrograph.models import MemoryType, Turn

SEED = 13
TOPICS = 40
_STEMS = "Bora Civa Dalo Fenu Gari Hosi Jelu Kano Lemi Mavo Nira Pelo Rosu Sami Tovi Vana Wilo Zuri Quen Yaro".split()
_STEMS_ZH = (
    "青岚 赤松 白鹭 玄武 紫荆 金钟 银杏 碧波 朱雀 墨竹 苍梧 流云 星河 晨曦 暮雪 长风 落霞 秋水 春山 夏荷".split()
)

_SAID_EN = (
    "Restarting {x} takes the night shift about an hour.",
    "When {x} was restarted it took a while until everything was back.",
    "The restart of {x} is done by hand and needs two people.",
    "{x} needs forty minutes to come back after it was restarted.",
)
_ASKED_EN = (
    "How long does it take until {x} is back after a restart?",
    "{x} restart duration",
    "If I restart {x}, when can I use it again?",
    "How much time should I plan for restarting {x}?",
    "time needed to bring {x} back",
    "How long is {x} away when it restarts?",
)
_SAID_ZH = (
    "夜班重启{x}大约要一个小时。",
    "{x}重启之后过了一阵才全部恢复。",
    "{x}的重启靠人工完成，需要两个人。",
    "{x}重启后四十分钟恢复。",
)
_ASKED_ZH = (
    "{x}重启后多久能恢复？",
    "{x} 重启 时间",
    "如果重启{x}，什么时候能再用？",
    "重启{x}要预留多少时间？",
    "{x}恢复需要多长时间",
    "{x}重启会停多久？",
)


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Measures, has the user mark, and measures again."""
    del folder
    turns, marked, rest, others = planted(random.Random(SEED))
    with retrograph.open() as memory:
        memory.warm()
        bank = bank_of(memory, "bench-feedback")
        _, turn_of = ingest(bank, turns, label="feedback")
        preset = arguments.preset
        before = _first(bank, rest, turn_of, preset), _first(bank, others, turn_of, preset)
        marks = sum(_mark(bank, question, turn_of, preset) for question in marked)
        after = _first(bank, rest, turn_of, preset), _first(bank, others, turn_of, preset)
    names = ("rest of the marked topics", "topics that nobody marked")
    rows: dict[str, object] = {"marks": marks}
    for name, old, new, asked in zip(names, before, after, (rest, others), strict=True):
        rows |= {f"{name}: questions": len(asked), f"{name}: R@1 before": 100 * old, f"{name}: R@1 after": 100 * new}
    return {"feedback, %": rows}


def _first(bank: Memory, questions: list[Question], turn_of: dict[str, str], preset: str) -> float:
    right = []
    for question in questions:
        hits = bank.search(question.text, limit=1, diversity=False, preset=preset).hits
        right.append(float(bool(hits) and turn_of.get(hits[0].memory.id) in question.gold))
    return mean(right)


def _mark(bank: Memory, question: Question, turn_of: dict[str, str], preset: str) -> int:
    """The user looks at five results from the top and stops at what answers."""
    hits = bank.search(question.text, limit=5, diversity=False, preset=preset).hits
    useful: list[str] = []
    wrong: list[str] = []
    for hit in hits:
        if turn_of.get(hit.memory.id) in question.gold:
            useful.append(hit.memory.id)
            break
        wrong.append(hit.memory.id)
    if useful:
        bank.feedback(useful, useful=True)
    if wrong:
        bank.feedback(wrong, useful=False)
    return len(useful) + len(wrong)


def planted(draw: random.Random) -> tuple[list[Turn], list[Question], list[Question], list[Question]]:
    """Memories; questions to mark; the rest of those topics; all questions of the other topics."""
    turns: list[Turn] = []
    marked: list[Question] = []
    rest: list[Question] = []
    others: list[Question] = []
    for number in range(TOPICS):
        chinese = number % 2 == 1
        name = (_STEMS_ZH if chinese else _STEMS)[number // 2]
        said, asked = (_SAID_ZH, _ASKED_ZH) if chinese else (_SAID_EN, _ASKED_EN)
        ids = [f"{name} {n}" for n in range(len(said))]
        turns += [Turn(t.format(x=name), id=i, type=MemoryType.FACT) for t, i in zip(said, ids, strict=True)]
        # Which of them answers is what only the user knows.
        gold = frozenset({draw.choice(ids)})
        questions = [Question(text.format(x=name), gold) for text in asked]
        draw.shuffle(questions)
        if number % 4 < 2:
            marked += questions[:3]
            rest += questions[3:]
        else:
            others += questions
    draw.shuffle(turns)
    return turns, marked, rest, others
