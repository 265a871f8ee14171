"""Relevance: calibrated [0, 1] that a memory bears on a query, whatever the encoder and however large the bank.

What ranks is the blend; relevance is what `min_score` cuts by, so that a query that nothing bears on finds nothing.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from retrograph.encoders import Calibration
from retrograph.retrieval.blend import Blend
from retrograph.retrieval.topic import Topic, phrase_of

_CHANCE_ALONE, _CHANCE_TENFOLD, _CHANCE_MOST = 0.15, 0.19, 60
"""Likeness that the nearest of n texts reaches though none bears on the query: it grows with the logarithm of n, up to
the number of candidates that a recall looks at (docs/recall.md)."""
COVERED = 0.8
"""Relevance of a memory that holds every telling word of the query."""
_BESIDE = 0.3
"""What the score of the words is worth, among many candidates, where none of them is in the memory itself but in what
surrounds it: of many memories, some always have one word of a query."""
_FULL_MASS = 0.2
_LINKED = 0.8
"""Activation that leaves no doubt that a memory is linked to the query, and how much that says."""
_FAINT, _TIMELY = 0.05, 0.2
"""Having happened in the time asked for says this much of what bears on the query at all."""
_ENDING = re.compile(r"(?:ies|ing|ed|es|s|e|y)$")
_SHORTEST_STEM = 3


def relevance_of(
    rows: Sequence[Mapping[str, Any]], topic: Topic, *, looked: int, calibration: Calibration, blend: Blend
) -> list[float]:
    """Relevance of each row of the recall query, in its order.

    Args:
        rows: `memory`, `raw` and `path` of each.
        topic: What the query is about.
        looked: Candidates that the rows are the best of.
        calibration: Maps cosines to likeness.
        blend: The scales of words and activation.
    """
    asked = {stem(word) for word in topic.words} | {pair for run in topic.runs for pair in _pairs(run)}
    tenfolds = math.log10(min(_CHANCE_MOST, max(1, looked)))
    chance = _CHANCE_ALONE + _CHANCE_TENFOLD * tenfolds
    beside = 1 - (1 - _BESIDE) * tenfolds / math.log10(_CHANCE_MOST)
    held = {row["memory"]["id"]: _held(row, asked, topic.phrase) for row in rows}
    direct = {
        id_: _direct(row, held[id_], chance, beside, calibration, blend) for row in rows if (id_ := row["memory"]["id"])
    }
    return [_with_path(row, direct, blend) for row in rows]


def _direct(
    row: Mapping[str, Any], covered: float | None, chance: float, beside: float, calibration: Calibration, blend: Blend
) -> float:
    """By its meaning or its words, each of which could be wrong alone."""
    raw = row["raw"]
    meaning = max(0.0, calibration.relevance(raw["cosine"]) - chance) / (1 - chance)
    scored = 0.0
    if covered is not None:
        scored = raw["words"] / (raw["words"] + blend.keyword_half) * (beside + (1 - beside) * covered)
        scored = max(scored, COVERED * covered**2)
    own = 1 - (1 - meaning) * (1 - scored)
    if own < _FAINT:
        return own
    # What happened in the time that the query names bears on it the more.
    return 1 - (1 - own) * (1 - _TIMELY * (row["terms"].get("time") or 0.0))


def _held(row: Mapping[str, Any], asked: set[str], phrase: str) -> float | None:
    """Share of what the query is about that a memory holds; None where words say nothing, for the query has none."""
    memory = row["memory"]
    if not asked:
        return 1.0 if phrase and f" {phrase} " in f" {phrase_of(memory['content'])} " else None
    # Asked for what somebody said, whatever that person said is it.
    if asked <= {stem(word) for word in phrase_of(memory.get("speaker") or "").split()}:
        return 1.0
    return coverage(asked, f"{memory['content']}\n{row['raw'].get('more_words') or ''}")


def _with_path(row: Mapping[str, Any], direct: Mapping[str, float], blend: Blend) -> float:
    """Direct, or by a path that is as good as what it starts from; a name of the query is good."""
    own = direct[row["memory"]["id"]]
    path = row["path"]
    if not path:
        return round(own, 4)
    start = 1.0 if not path[0]["is_memory"] else direct.get(path[0]["id"], 0.0)
    heard = math.log1p(row["raw"]["mass"] / blend.quiet) / math.log1p(_FULL_MASS / blend.quiet)
    return round(1 - (1 - own) * (1 - start * _LINKED * min(1.0, heard)), 4)


def coverage(asked: set[str], content: str) -> float:
    """Share of the query's stems and pairs of characters that a content holds; 0 where the query has none."""
    if not asked:
        return 0.0
    folded = content.lower()
    held = {stem(word) for word in re.findall(r"[^\W_]+", folded)}
    return sum(part in held or (not part.isascii() and part in folded) for part in asked) / len(asked)


def stem(word: str) -> str:
    """A word without its common English ending: rough, for both sides are cut alike."""
    cut = _ENDING.sub("", word)
    return cut if len(cut) >= _SHORTEST_STEM else word


def _pairs(run: str) -> set[str]:
    return {run[n : n + 2] for n in range(len(run) - 1)} or {run}
