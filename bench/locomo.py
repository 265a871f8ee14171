"""LoCoMo: conversations of many sessions, questions whose evidence is some of their turns.

The data is not part of this repository (docs/measurements.md says where it comes from); `--data` names its folder.
"""

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import retrograph
from bench.asking import Question, Scores, ask, bank_of, clear, ingest
from bench.baselines import ask_baselines, rows_of
from retrograph.models import Turn

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_TURN_ID = re.compile(r"D(\d+):(\d+)")


@dataclass(frozen=True)
class Conversation:
    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Ingests the first conversations, a bank each, and asks all their questions."""
    taken = conversations(folder)[: arguments.take or None]
    scores, turns, seconds = Scores(), 0, 0.0
    baselines: dict[str, Scores] = {}
    with retrograph.open() as memory:
        memory.warm()
        for conversation in taken:
            bank = bank_of(memory, f"bench-{conversation.name}")
            report, turn_of = ingest(bank, conversation.turns, label=conversation.name)
            turns, seconds = turns + report.total, seconds + report.seconds
            ask(bank, conversation.questions, turn_of, scores, preset=arguments.preset)
            ask_baselines(bank, conversation.questions, turn_of, baselines)
            clear(bank)
    speed = {"conversations": len(taken), "turns": turns, "ingest turns/s": round(turns / seconds, 1)}
    return {"recall, %": scores.rows(), "baselines, R@1/5/10/20": rows_of(baselines), "speed": speed | scores.latency()}


def conversations(folder: Path) -> list[Conversation]:
    """All conversations, with the questions that have valid evidence; category 5 is left out."""
    data = json.loads((folder / "locomo" / "locomo_dev5.json").read_text(encoding="utf-8"))
    return [_conversation(item) for item in data]


def _conversation(item: dict) -> Conversation:
    turns = tuple(_turns(item["conversation"]))
    known = {turn.id for turn in turns}
    questions = []
    for qa in item["qa"]:
        gold = {f"D{int(s)}:{int(t)}" for e in qa.get("evidence", []) for s, t in _TURN_ID.findall(e)} & known
        if qa["category"] in CATEGORIES and gold:
            questions.append(Question(qa["question"], frozenset(gold), CATEGORIES[qa["category"]]))
    return Conversation(item["sample_id"], turns, tuple(questions))


def _turns(conversation: dict) -> Iterator[Turn]:
    number = 1
    while f"session_{number}_date_time" in conversation:
        at = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for turn in conversation.get(f"session_{number}", []):
            caption = turn.get("blip_caption")
            text = turn["text"] + (f" [{caption}]" if caption else "")
            yield Turn(
                content=text.strip() or "…",
                speaker=turn["speaker"],
                session=f"session {number}",
                occurred_at=at.replace(tzinfo=UTC),
                id=turn["dia_id"],
            )
        number += 1
