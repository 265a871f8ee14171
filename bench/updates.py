"""Updated facts: of two statements about one thing, the newer ranks above the older.

Pairs are made here from a seed, in English and Chinese, in several forms, with a day to a year between them. The
question names the thing and says nothing of time. Both statements are written through the write path, which may see
that one replaces the other; `lost` counts pairs of which neither came back.
"""

import argparse
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import retrograph
from bench.asking import bank_of, ingest
from retrograph.memory.evaluating import wilson
from retrograph.models import SearchFilter, Status, Turn

SEED = 5
PAIRS = 240
DEPTH = 20
START = datetime(2025, 1, 1, 9, tzinfo=UTC)

_PEOPLE_EN = (
    "Ada Bram Cleo Dirk Elif Finn Gwen Hugo Ines Jonas Kira Lars Mina Nils Olga Pavel Rosa Sven Tara Uwe".split()
)
_LAST_EN = "Abbott Berger Castillo Dunne Eriksen Fabre Greco Hollis Ivanov Jansen Keller Lindqvist".split()
_PEOPLE_ZH = (
    "王伟 李娜 张敏 刘洋 陈静 杨磊 赵倩 黄勇 周婷 吴刚 徐丽 孙浩 马超 朱琳 胡军 郭雪 何平 高峰 林涛 罗艳".split()
)
_SURNAMES_ZH = "欧阳 司马 诸葛 上官 东方 令狐".split()

# Form, question, values that replace each other.
_FORMS_EN = (
    ("{who} lives in {value}.", "Where does {who} live?", "Lisbon Oslo Turin Ghent Porto Bergen".split()),
    ("{who} works at {value}.", "Where does {who} work?", "Nordlicht Helix Quarry Tidewater Axiom Lumen".split()),
    ("{who}'s favourite drink is {value}.", "What is {who}'s favourite drink?", "tea cocoa cider mate".split()),
    ("The service of {who} listens on port {value}.", "Which port does the service of {who} listen on?",
     "8080 9443 7001 5050 6120".split()),
    ("{who} moved to the {value} team.", "Which team is {who} in?", "billing search mobile security data".split()),
    ("{who} prefers {value} for notes.", "What does {who} prefer for notes?", "Emacs paper Vim Notion".split()),
)  # fmt: skip
_FORMS_ZH = (
    ("{who}住在{value}。", "{who}住在哪里？", "上海 成都 杭州 西安 青岛".split()),
    ("{who}在{value}工作。", "{who}在哪里工作？", "星海科技 蓝鲸网络 恒远银行 百川医院".split()),
    ("{who}最喜欢的饮料是{value}。", "{who}最喜欢的饮料是什么？", "绿茶 豆浆 咖啡 可可 酸梅汤".split()),
    ("{who}的服务器端口是{value}。", "{who}的服务器端口是多少？", "8080 9443 7001 5050".split()),
    ("{who}调到了{value}组。", "{who}在哪个组？", "支付 搜索 安全 数据".split()),
    ("{who}的办公室在{value}楼。", "{who}的办公室在几楼？", "三 五 八 十二".split()),
)


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Writes all pairs, mixed, and asks for each."""
    del folder
    turns, asked = pairs(random.Random(SEED))
    with retrograph.open() as memory:
        memory.warm()
        bank = bank_of(memory, "bench-updates")
        report, turn_of = ingest(bank, turns, label="updates")
        now = START + timedelta(days=500)
        every = SearchFilter(statuses=(Status.ACTIVE, Status.SUPERSEDED))
        outcome: dict[str, list[str]] = {}
        for question, newer, older, language in asked:
            for name, where in (("as recalled", None), ("replaced ones too", every)):
                found = bank.search(
                    question, where=where, limit=DEPTH, diversity=False, preset=arguments.preset, now=now
                )
                ranked = [turn_of.get(hit.memory.id, "") for hit in found.hits]
                outcome.setdefault(f"{name}, {language}", []).append(_verdict(ranked, newer, older))
    rows: dict[str, object] = {}
    for name, verdicts in outcome.items():
        won = verdicts.count("newer")
        low, high = wilson(won, len(verdicts))
        rows[f"{name}: newer first, %"] = round(100 * won / len(verdicts), 1)
        rows[f"{name}: 95 %"] = f"{100 * low:.1f}…{100 * high:.1f} of {len(verdicts)}"
        rows[f"{name}: lost"] = verdicts.count("lost")
    return {"updated facts": rows, "write": {"stored": report.stored, "merged": report.merged, "of": report.total}}


def pairs(draw: random.Random) -> tuple[list[Turn], list[tuple[str, str, str, str]]]:
    """Both statements of each pair, in a mixed order of writing, and the questions: text, newer, older, language."""
    people = {
        "en": [f"{a} {b}" for a in _PEOPLE_EN for b in _LAST_EN],
        "zh": _PEOPLE_ZH + [s + p[1:] for s in _SURNAMES_ZH for p in _PEOPLE_ZH],
    }
    turns, asked = [], []
    for names in people.values():
        draw.shuffle(names)
    for number in range(PAIRS):
        language = "zh" if number % 2 else "en"
        forms = _FORMS_ZH if language == "zh" else _FORMS_EN
        form, question, values = forms[number // 2 % len(forms)]
        who = people[language][number // 2]
        old, new = draw.sample(values, 2)
        at = START + timedelta(days=draw.randint(0, 100))
        then = at + timedelta(days=draw.choice((1, 7, 30, 90, 365)))
        for kind, value, when in (("old", old, at), ("new", new, then)):
            text = form.format(who=who, value=value)
            turns.append(Turn(content=text, id=f"{number} {kind}", occurred_at=when))
        asked.append((question.format(who=who), f"{number} new", f"{number} old", language))
    draw.shuffle(turns)
    return turns, asked


def _verdict(ranked: list[str], newer: str, older: str) -> str:
    if newer not in ranked:
        return "older" if older in ranked else "lost"
    return "newer" if older not in ranked or ranked.index(newer) < ranked.index(older) else "older"
