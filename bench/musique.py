"""MuSiQue: questions of two to four hops over encyclopaedic passages.

`--graph own` extracts entities and relations here; `--graph triples` takes those that come with the data, to tell
what the extraction costs from what the activation brings.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

import retrograph
from bench.asking import Question, Scores, ask, bank_of, clear, ingest
from bench.baselines import ask_baselines, rows_of
from retrograph.models import EntityInput, EntityType, MemoryType, RelationInput, Turn

_LONGEST_NAME = 80
_MOST_TRIPLES = 60


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Ingests all passages into one bank and asks all questions."""
    turns = passages(folder, triples=arguments.graph == "triples")[: arguments.take if arguments.take > 1 else None]
    scores = Scores()
    baselines: dict[str, Scores] = {}
    with retrograph.open() as memory:
        memory.warm()
        bank = bank_of(memory, f"bench-musique-{arguments.graph}")
        report, turn_of = ingest(bank, turns, label=f"musique ({arguments.graph})")
        ask(bank, questions(folder), turn_of, scores, preset=arguments.preset)
        ask_baselines(bank, questions(folder), turn_of, baselines)
        clear(bank)
    speed = {"passages": report.total, "ingest passages/s": round(report.total / report.seconds, 1)}
    return {"recall, %": scores.rows(), "baselines, R@1/5/10/20": rows_of(baselines), "speed": speed | scores.latency()}


def passages(folder: Path, *, triples: bool) -> list[Turn]:
    """The passages as notes; with `triples`, the supplied triples are handed over by the caller."""
    corpus = json.loads((folder / "multihop" / "musique_train_corpus.json").read_text(encoding="utf-8"))
    given: dict[str, list[RelationInput]] = defaultdict(list)
    if triples:
        supplied = json.loads((folder / "multihop" / "musique_train_openie.json").read_text(encoding="utf-8"))
        for doc in supplied["docs"]:
            for triple in doc["extracted_triples"]:
                if len(triple) == 3 and all(part.strip() and len(part) < _LONGEST_NAME for part in triple):
                    given[doc["title"] + doc["text"]].append(RelationInput(*triple))
    return [
        Turn(
            content=f"{item['title']}. {item['text']}",
            id=str(number),
            type=MemoryType.FACT,
            entities=(EntityInput(item["title"], EntityType.CONCEPT),),
            relations=tuple(given[item["title"] + item["text"]][:_MOST_TRIPLES]),
        )
        for number, item in enumerate(corpus)
    ]


def questions(folder: Path) -> list[Question]:
    """Questions with the passages that support them."""
    corpus = json.loads((folder / "multihop" / "musique_train_corpus.json").read_text(encoding="utf-8"))
    number_of = {(item["title"], item["text"]): str(number) for number, item in enumerate(corpus)}
    asked = json.loads((folder / "multihop" / "musique_train.json").read_text(encoding="utf-8"))
    found = []
    for item in asked:
        gold = {
            number_of[key]
            for p in item["paragraphs"]
            if p["is_supporting"] and (key := (p["title"], p["paragraph_text"])) in number_of
        }
        found.append(Question(item["question"], frozenset(gold), f"{item['id'][0]} hops"))
    return [question for question in found if question.gold]
