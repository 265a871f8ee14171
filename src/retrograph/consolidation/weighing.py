"""Gives entities a weight: how often a walk along mentions and relations comes by."""

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrograph.consolidation.work import Work, chunks

_DAMPING = 0.85
_ROUNDS = 100
_CLOSE = 1e-9
_DIGITS = 4

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


def weigh(work: Work) -> None:
    """Writes `weight` of each entity whose weight changed: 1 is the average.

    Holds numbers of entities and mentions, four bytes each, and the entities' keys; not the memories.
    """
    numbers: dict[str, int] = {}
    before: list[float | None] = []
    related: list[tuple[int, str, int]] = []
    for rows in work.pages("page_entities"):
        for row in rows:
            number = numbers[row["id"]] = len(numbers)
            before.append(row["weight"])
            related += [(number, relation["key"], relation["backing"]) for relation in row["relates"]]
    memories, mentioned = array("i"), array("i")
    count = 0
    for rows in work.pages("page_mentions"):
        for row in rows:
            keys = [numbers[key] for key in row["keys"] if key in numbers]
            if row["id"] not in work.plan.gone and keys:
                memories.extend([count] * len(keys))
                mentioned.extend(keys)
                count += 1
    weights = page_rank(
        len(numbers),
        np.frombuffer(memories, dtype=np.int32),
        np.frombuffer(mentioned, dtype=np.int32),
        [(one, numbers[key], backing) for one, key, backing in related if key in numbers],
    )
    changed = [
        {"key": key, "weight": float(f"{weights[number]:.{_DIGITS}g}")}
        for key, number in numbers.items()
        if before[number] != float(f"{weights[number]:.{_DIGITS}g}")
    ]
    for part in chunks(changed, work.batch):
        work.write([("weigh_entities", {"bank": work.bank, "rows": part})])
    work.counts["weighed"] = len(changed)


def page_rank(entities: int, memories: Ints, mentioned: Ints, relations: Sequence[tuple[int, int, int]]) -> Floats:
    """PageRank of entities over the graph of memories and entities, scaled so that the average is 1.

    From an entity the walk goes to a memory that mentions it or along a relation (as often as memories back it); from a
    memory to one of its entities. It starts anew at any entity, with probability 0.15 or where there is no way on.

    Args:
        entities: How many there are.
        memories: `(m,)`, the memory of each mention, numbered from 0.
        mentioned: `(m,)`, the entity of each mention.
        relations: From, to, and how many memories back it.

    Returns:
        `(entities,)`.

    Source: Page, Brin, Motwani, Winograd (1999), The PageRank Citation Ranking.
    """
    if not entities:
        return np.zeros(0)
    one = np.array([r[0] for r in relations], dtype=np.int32)
    other = np.array([r[1] for r in relations], dtype=np.int32)
    backing = np.array([r[2] for r in relations], dtype=np.float64)
    out = np.bincount(mentioned, minlength=entities) + np.bincount(one, weights=backing, minlength=entities)
    share = np.divide(1.0, out, out=np.zeros(entities), where=out > 0)
    sizes: Any = np.bincount(memories)
    rank = np.full(entities, 1.0 / entities)
    for _ in range(_ROUNDS):
        passed = rank * share
        at_memories = np.bincount(memories, weights=passed[mentioned], minlength=len(sizes)) / np.maximum(sizes, 1)
        arrived = np.bincount(mentioned, weights=at_memories[memories], minlength=entities)
        arrived = arrived + np.bincount(other, weights=passed[one] * backing, minlength=entities)
        lost = float(rank[out == 0].sum())
        following = (1 - _DAMPING) / entities + _DAMPING * (arrived + lost / entities)
        moved = float(np.abs(following - rank).sum())
        rank = following
        if moved < _CLOSE:
            break
    return np.asarray(rank * entities, dtype=np.float64)
