"""Presets: our own blend beside the formulas that others publish, on the same bank and questions of LoCoMo."""

import argparse
from pathlib import Path

import retrograph
from bench.asking import Scores, ask, bank_of, clear, ingest
from bench.baselines import rows_of
from bench.locomo import conversations
from retrograph.retrieval.blend import PRESETS


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Ingests the first conversations, a bank each, and asks all their questions with every preset."""
    scores = {name: Scores() for name in PRESETS}
    asked = 0
    with retrograph.open() as memory:
        memory.warm()
        for conversation in conversations(folder)[: arguments.take or None]:
            bank = bank_of(memory, f"bench-presets-{conversation.name}")
            _, turn_of = ingest(bank, conversation.turns, label=conversation.name)
            asked += len(conversation.questions)
            for name, of in scores.items():
                ask(bank, conversation.questions, turn_of, of, preset=name)
            clear(bank)
    return {"R@1/5/10/20": rows_of(scores), "of": {"questions": asked}}
