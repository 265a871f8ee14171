"""Who is near whom: memories stored before, and earlier drafts of the same batch."""

import heapq
from collections.abc import Mapping, Sequence

import numpy as np

from retrograph.graph.store import Near
from retrograph.memory.items import Item
from retrograph.models import Status

NEIGHBOURS = 8
"""Most that a new memory is compared with by its vector."""
RELATED_RELEVANCE = 0.5
"""Least calibrated relevance of a neighbour: what is less alike can be no repeat, and no correction either (the
labelled conflicts lie at .8 and above)."""


class Neighbourhood:
    """The neighbours of each draft of a batch.

    Args:
        items: The drafts, encoded.
        stored: By number of the draft: what was stored before, current or superseded.
        least: Least cosine.
    """

    def __init__(self, items: Sequence[Item], stored: Mapping[int, list[Near]], *, least: float) -> None:
        self._stored = stored
        self._least = least
        self._places = {item.number: place for place, item in enumerate(items)}
        vectors = np.stack([item.vector for item in items])
        self._cosines = vectors @ vectors.T

    def of(self, item: Item, kept: Sequence[Item]) -> list[Near]:
        """The nearest of an item's audience, current before or `kept` of the same batch, nearest first."""
        cosines = self._cosines[self._places[item.number]].tolist()
        beside = [
            (cosine, other)
            for other in kept
            if (cosine := cosines[self._places[other.number]]) >= self._least and other.audience == item.audience
        ]
        nearest = heapq.nsmallest(NEIGHBOURS, beside, key=lambda pair: (-pair[0], pair[1].id))
        current = (near for near in self._stored[item.number] if near.stored.status == Status.ACTIVE)
        near = [*current, *(Near(other.stored(), cosine) for cosine, other in nearest)]
        return sorted(near, key=lambda n: (-n.cosine, n.stored.id))[:NEIGHBOURS]

    def former(self, item: Item) -> list[Near]:
        """The nearest of an item's audience that were superseded: whether they are alike does not hang on when."""
        return [near for near in self._stored[item.number] if near.stored.status != Status.ACTIVE]
