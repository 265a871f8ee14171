"""Hubs: a name that thousands of memories mention beside one that five do; the question names both.

`--take` says how many hundred mention the hub; the default, 1, is for a quick look, 50 is the case in full.
"""

import argparse
import random
from pathlib import Path

import retrograph
from bench.asking import Question, Scores, ask, bank_of, ingest
from retrograph.models import EntityInput, EntityType, MemoryType, Turn

SEED = 3
_DONE = (
    "opened the weekly report|asked for a refund|changed the colour of the chart|renamed a folder|"
    "shared a calendar|muted a channel|pinned a message|查看了订单|修改了头像|导出了账单|关闭了通知"
).split("|")
_FEW = {
    "Zorvexia": (
        "user opened a ticket about Zorvexia",
        "user attached the log of Zorvexia",
        "user could not restart Zorvexia",
        "user reads the manual of Zorvexia",
        "user gave Zorvexia a second disk",
    ),
    "青鸾系统": (
        "用户报告青鸾系统无法登录",
        "用户为青鸾系统申请了权限",
        "用户备份了青鸾系统",
        "用户升级了青鸾系统",
        "用户把青鸾系统交给了运维",
    ),
}


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Ingests the hub's memories and the few, asks for the few, and for something with no hub beside it."""
    del folder
    count = 100 * max(1, arguments.take)
    turns = planted(count)
    questions = [
        Question(f"what did the user do with {name}?", frozenset(texts), "named with the hub")
        for name, texts in _FEW.items()
    ] + [Question(name, frozenset(texts), "named alone") for name, texts in _FEW.items()]
    scores, hub = Scores(), Scores()
    with retrograph.open() as memory:
        memory.warm()
        bank = bank_of(memory, f"bench-hubs-{count}")
        _, turn_of = ingest(bank, turns, label="hubs")
        for _ in range(5):
            ask(bank, questions, turn_of, scores, preset=arguments.preset)
            ask(
                bank, [Question("what about the user?", frozenset(_FEW["Zorvexia"]))], turn_of, hub, preset="retrograph"
            )
    return {
        "the five of the rare name, %": scores.rows(),
        "speed": {"memories of the hub": count}
        | scores.latency()
        | {"hub alone p50 ms": hub.latency()["recall p50 ms"]},
    }


def planted(count: int) -> list[Turn]:
    """All memories in a mixed order; every one mentions the user."""
    draw = random.Random(SEED)
    user = EntityInput("user", EntityType.PERSON)
    texts = [f"user {draw.choice(_DONE)} no. {number}" for number in range(count)]
    turns = [Turn(content=text, id=text, type=MemoryType.EVENT, entities=(user,)) for text in texts]
    for name, few in _FEW.items():
        rare = EntityInput(name, EntityType.PRODUCT)
        turns += [Turn(content=text, id=text, type=MemoryType.EVENT, entities=(user, rare)) for text in few]
    draw.shuffle(turns)
    return turns
