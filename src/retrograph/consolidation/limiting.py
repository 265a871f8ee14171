"""Keeps the number of current memories of each user, agent or team within a capacity, the least important first."""

from array import array
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from retrograph.consolidation.fates import is_core, touched_at
from retrograph.consolidation.work import Work

CAPACITY = "capacity"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STEPS = 10_000


def limit(work: Work) -> None:
    """Archives the least important, and of these the longest untouched, of audiences that have more than `capacity`.

    Pinned and core memories count and stay. Eight bytes a memory are held, not the memories.
    """
    capacity = work.settings.capacity
    if not capacity:
        return
    counts: dict[str, int] = defaultdict(int)
    ranks: dict[str, array[int]] = defaultdict(lambda: array("q"))
    for memories in work.memories():
        for memory in memories:
            counts[memory["audience"]] += 1
            if not is_core(memory):
                ranks[memory["audience"]].append(rank(memory))
    cuts = {audience: _cut(ranks[audience], count - capacity) for audience, count in counts.items() if count > capacity}
    if not cuts:
        return
    for memories in work.memories():
        over = [m for m in memories if not is_core(m) and _goes(m, cuts)]
        work.archive(over, CAPACITY)


def rank(memory: Mapping[str, Any]) -> int:
    """Importance first, then how recently it was touched; the lowest goes first."""
    return round(memory["importance"] * _STEPS) << 45 | (touched_at(memory) - _EPOCH) // timedelta(milliseconds=1)


def _cut(ranks: "array[int]", excess: int) -> list[int]:
    """The rank below which all go, and how many of those at it."""
    sorted_ranks = np.sort(np.frombuffer(ranks, dtype=np.int64))
    excess = min(excess, len(sorted_ranks))
    if not excess:
        return [-1, 0]
    at = int(sorted_ranks[excess - 1])
    return [at, excess - int(np.searchsorted(sorted_ranks, at, side="left"))]


def _goes(memory: Mapping[str, Any], cuts: Mapping[str, list[int]]) -> bool:
    cut = cuts.get(memory["audience"])
    if cut is None:
        return False
    mine = rank(memory)
    if mine == cut[0] and cut[1] > 0:
        cut[1] -= 1
        return True
    return mine < cut[0]
