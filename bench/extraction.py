"""Quality and speed of entity and relation extraction on the labelled sets in tests/data/extraction.

    python bench/extraction.py [--json] [--errors]

`python -m bench writing` prints the same figures beside those of the gate, pairs, conflicts, times and safety.

Entities are compared by key; relations as whole triples with their negation. Labels marked optional are
neither asked for nor punished. Three splits: `dev` was tuned on; the
errors of `test` were never listed, only its figures; `fresh` was written after the tuning and measured then.
One person wrote the sentences and the rules, so expect less on other people's text.

What the labels count as an entity: names, technical identifiers, specific noun phrases of several words, rare
single nouns, and plain nouns that somebody likes, uses or is allergic to. Amounts, times, pronouns and generic
nouns are none. A name inside a longer phrase counts beside it, unless what is left is only a class word
("the Redis cluster").

`--errors` lists the errors of the development half only: the other half stays
unseen.
"""

import argparse
import json
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from retrograph.extraction import Extractor, entity_key

DATA = Path(__file__).parents[1] / "tests" / "data" / "extraction"
LANGUAGES = ("en", "zh", "mixed")


@dataclass
class Count:
    """What was found, missed, and found wrongly."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    typed: int = 0

    def figures(self) -> dict[str, float]:
        """Precision, recall, F1, and the share of right entities with the right type."""
        precision = self.right / max(1, self.right + self.wrong)
        recall = self.right / max(1, self.right + self.missed)
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        figures = {"precision": precision, "recall": recall, "f1": f1, "n": self.right + self.missed}
        if self.typed:
            figures["type_accuracy"] = self.typed / max(1, self.right)
        return {name: round(value, 3) for name, value in figures.items()}


def rows(name: str) -> list[dict]:
    """The lines of a labelled set."""
    with (DATA / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def measure_entities(extractor: Extractor, errors: bool) -> dict[str, dict[str, dict[str, float]]]:
    """Entities by language and split."""
    counts: dict[str, dict[str, Count]] = defaultdict(lambda: defaultdict(Count))
    for language in LANGUAGES:
        labelled = rows(f"entities_{language}.jsonl")
        for row, read in zip(labelled, extractor.extract_many([r["text"] for r in labelled]), strict=True):
            gold = {entity_key(name): kind for name, kind in row["entities"].items()}
            optional = {entity_key(name) for name in row["optional"]}
            found = {entity_key(m.name): m for m in read.entities}
            count = counts[language][row["split"]]
            right = gold.keys() & found.keys()
            wrong = found.keys() - gold.keys() - optional
            count.right += len(right)
            count.wrong += len(wrong)
            count.missed += len(gold.keys() - found.keys())
            count.typed += sum(found[key].type == gold[key] for key in right)
            if errors and row["split"] == "dev":
                bad = [f"{k}:{found[k].type}≠{gold[k]}" for k in right if found[k].type != gold[k]]
                if wrong or gold.keys() - found.keys() or bad:
                    print(
                        row["text"],
                        "\n    wrong",
                        sorted(wrong),
                        "missed",
                        sorted(gold.keys() - found.keys()),
                        bad,
                    )
    return {lang: {split: c.figures() for split, c in by.items()} for lang, by in counts.items()}


def measure_relations(extractor: Extractor, errors: bool) -> dict[str, dict[str, dict[str, float]]]:
    """Relations by language (and over all) and split."""
    counts: dict[str, dict[str, Count]] = defaultdict(lambda: defaultdict(Count))
    labelled = rows("relations.jsonl")
    texts, speakers = [r["text"] for r in labelled], [r["speaker"] for r in labelled]
    for row, read in zip(labelled, extractor.extract_many(texts, speakers=speakers), strict=True):
        gold = {_triple(r) for r in row["relations"]}
        optional = {_triple(r) for r in row["optional"]}
        found = {_triple(asdict(r)) for r in read.relations}
        wrong, missed = found - gold - optional, gold - found
        for language in (row["language"], "all"):
            count = counts[language][row["split"]]
            count.right += len(gold & found)
            count.wrong += len(wrong)
            count.missed += len(missed)
        if errors and row["split"] == "dev" and (wrong or missed):
            print(row["text"], "\n    wrong", sorted(wrong), "missed", sorted(missed))
    return {lang: {split: c.figures() for split, c in by.items()} for lang, by in counts.items()}


def _triple(relation: dict) -> tuple[str, str, str, bool]:
    ends = entity_key(relation["subject"]), entity_key(relation["object"])
    return ends[0], relation["predicate"], ends[1], bool(relation["negated"])


def measure_speed(extractor: Extractor) -> dict[str, float]:
    """Texts a second, one by one and all at once, over the three entity sets."""
    texts = [row["text"] for language in LANGUAGES for row in rows(f"entities_{language}.jsonl")]
    started = time.perf_counter()
    single = [extractor.extract(text) for text in texts]
    between = time.perf_counter()
    batched = extractor.extract_many(texts)
    ended = time.perf_counter()
    return {
        "texts": len(texts),
        "single_per_s": round(len(texts) / (between - started), 1),
        "batched_per_s": round(len(texts) / (ended - between), 1),
        "batched_equals_single": single == batched,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--errors", action="store_true", help="list errors of the development half")
    options = parser.parse_args()
    extractor = Extractor()
    extractor.warm()
    report = {
        "entities": measure_entities(extractor, options.errors),
        "relations": measure_relations(extractor, options.errors),
        "speed": measure_speed(extractor),
    }
    if options.json:
        print(json.dumps(report, ensure_ascii=False))
        return
    for part in ("entities", "relations"):
        for language, by_split in report[part].items():
            for split, figures in by_split.items():
                print(f"{part:10} {language:6} {split:5}", *(f"{k} {v}" for k, v in figures.items()))
    print("speed     ", *(f"{k} {v}" for k, v in report["speed"].items()))


if __name__ == "__main__":
    main()
