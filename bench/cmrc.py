"""CMRC 2018 (trial): Chinese questions, each about one paragraph."""

import argparse
import json
from pathlib import Path

import retrograph
from bench.asking import Question, Scores, ask, bank_of, clear, ingest
from bench.baselines import ask_baselines, rows_of
from retrograph.models import MemoryType, Turn


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Ingests all paragraphs into one bank and asks all questions."""
    turns, questions = paragraphs(folder)
    if arguments.take > 1:
        turns = turns[: arguments.take]
        kept = {turn.id for turn in turns}
        questions = [q for q in questions if q.gold <= kept]
    scores = Scores()
    baselines: dict[str, Scores] = {}
    with retrograph.open() as memory:
        memory.warm()
        bank = bank_of(memory, "bench-cmrc")
        report, turn_of = ingest(bank, turns, label="cmrc")
        ask(bank, questions, turn_of, scores, preset=arguments.preset)
        ask_baselines(bank, questions, turn_of, baselines)
        clear(bank)
    speed = {"paragraphs": report.total, "ingest paragraphs/s": round(report.total / report.seconds, 1)}
    return {"recall, %": scores.rows(), "baselines, R@1/5/10/20": rows_of(baselines), "speed": speed | scores.latency()}


def paragraphs(folder: Path) -> tuple[list[Turn], list[Question]]:
    """The paragraphs as notes, and the questions about them."""
    data = json.loads((folder / "chinese" / "cmrc2018_trial.json").read_text(encoding="utf-8"))
    turns, questions = [], []
    for article in data["data"]:
        for paragraph in article["paragraphs"]:
            number = str(len(turns))
            turns.append(Turn(content=paragraph["context"], id=number, type=MemoryType.FACT))
            asked = [qa["question"] for qa in paragraph["qas"] if qa["question"].strip()]
            questions += [Question(text, frozenset({number})) for text in asked]
    return turns, questions
