"""How a bank is used: counted while it is, and added to the graph now and then, so that it outlives a process."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from uuid_utils import uuid7

from retrograph.graph import Graph
from retrograph.models import BankUsage, Identity, SearchResult, WriteResult

_MOST_RECALLED = 10_000
"""Memories whose recalls are remembered until they are written; further ones are dropped, the counts are not."""
_COUNTS = [each.name for each in fields(BankUsage) if each.name != "memories_recalled"]


@dataclass(slots=True)
class _Tally:
    counts: Counter[str] = field(default_factory=Counter[str])
    search_ms: float = 0.0
    recalled: Counter[str] = field(default_factory=Counter[str])

    def as_map(self) -> dict[str, float]:
        return {name: self.search_ms if name == "search_ms" else self.counts[name] for name in _COUNTS}


class UsageLog:
    """Counts what readers do until it is written. Thread-safe.

    What one reader did is kept under what is private to it, so that no count tells one of another.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tallies: dict[tuple[str, str], _Tally] = {}

    def searched(self, result: SearchResult, *, identity: Identity) -> None:
        """Counts a recall."""
        with self._lock:
            tally = self._tally(identity)
            tally.counts.update(searches=1, searches_with_hits=int(bool(result.hits)), hits=len(result.hits))
            tally.search_ms += result.took_ms
            for hit in result.hits:
                if hit.memory.id in tally.recalled or len(tally.recalled) < _MOST_RECALLED:
                    tally.recalled[hit.memory.id] += 1

    def wrote(self, results: Sequence[WriteResult], *, identity: Identity) -> None:
        """Counts what the gate made of writes."""
        with self._lock:
            self._tally(identity).counts.update(result.outcome.value for result in results)

    def marked(self, *, useful: int, not_useful: int, identity: Identity) -> None:
        """Counts feedback."""
        with self._lock:
            self._tally(identity).counts.update(useful=useful, not_useful=not_useful)

    def write(self, graph: Graph) -> None:
        """Adds what was counted to the graph; what cannot be written is counted on.

        Raises:
            GraphError: The database does not answer.
        """
        with self._lock:
            waiting, self._tallies = self._tallies, {}
        while waiting:
            (bank, audience), tally = waiting.popitem()
            # In order, so that two processes do not wait for each other in a circle.
            recalled = [{"id": memory_id, "times": times} for memory_id, times in sorted(tally.recalled.items())]
            is_written = False
            try:
                graph.run(
                    "record_usage",
                    bank=bank,
                    audience=audience,
                    counts=tally.as_map(),
                    recalled=recalled,
                    receipt=str(uuid7()),
                )
                is_written = True
            finally:
                if not is_written:
                    self._take_back({(bank, audience): tally, **waiting})

    def _take_back(self, waiting: dict[tuple[str, str], _Tally]) -> None:
        with self._lock:
            for key, tally in waiting.items():
                held = self._tallies.setdefault(key, _Tally())
                held.counts += tally.counts
                held.search_ms += tally.search_ms
                held.recalled += tally.recalled

    def _tally(self, identity: Identity) -> _Tally:
        own = identity.audience(identity.default_scope)
        return self._tallies.setdefault((identity.bank, own), _Tally())


def bank_usage(graph: Graph, *, identity: Identity) -> BankUsage:
    """How an identity used its bank, so far as it was written.

    Raises:
        GraphError: The database does not answer.
    """
    row = graph.run("read_usage", bank=identity.bank, audiences=identity.audiences)[0]
    sums = {name: sum(each.get(name) or 0 for each in row["counts"]) for name in _COUNTS}
    return BankUsage(**sums, memories_recalled=row["recalled"])
