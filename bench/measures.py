"""Measures of a ranking against the right answers."""

import math
from collections.abc import Collection, Sequence


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the right answers among the first `k`."""
    return len(set(ranked[:k]) & set(gold)) / len(gold)


def hit_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 where any right answer is among the first `k`."""
    return float(bool(set(ranked[:k]) & set(gold)))


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int = 10) -> float:
    """Discounted gain, binary, against the ideal over min(len(gold), k)."""
    gain = sum(1 / math.log2(n + 2) for n, item in enumerate(ranked[:k]) if item in gold)
    ideal = sum(1 / math.log2(n + 2) for n in range(min(len(gold), k)))
    return gain / ideal if ideal else 0.0


def mean(values: Sequence[float]) -> float:
    """Mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
