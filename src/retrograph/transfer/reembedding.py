"""Re-embedding: a bank moves into the vector space of another encoder while it is read and written.

The new vectors grow in a slot of their own beside the old ones; recall goes on in the old space until the bank is
switched, in one transaction, and in the new one afterwards. No moment mixes the two. Whatever was written during the
work is found by the sweeps before and after the switch. What remains of the old space goes last. A run that was killed
goes on where it stopped: the graph itself says what is done.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from retrograph import cypher
from retrograph.encoders import Encoder
from retrograph.errors import NotFound
from retrograph.graph import Graph, bank_space, hold_lease
from retrograph.graph.records import NEVER_MS, packed
from retrograph.graph.slots import SPACE_KNOWN_S, leave_slot, open_slot
from retrograph.memory.rows import embedded_text

_PAGE = 256
_AT_ONCE = 64
_LEASE_S = 60

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """What re-embedding did.

    Attributes:
        bank: The bank.
        encoder: Its encoder now.
        was: Its encoder before; the same where there was nothing to switch.
        encoded: Memories encoded by this run.
        removed: Vectors of a former space that this run removed.
        freed: Slots that other encoders can use now.
    """

    bank: str
    encoder: str
    was: str
    encoded: int
    removed: int
    freed: tuple[str, ...]


def reembed_bank(
    graph: Graph,
    bank: str,
    encoder: Encoder,
    *,
    keep_old: bool = False,
    wait_s: float = 0,
    progress: Progress | None = None,
) -> ReembedReport:
    """Moves a bank to another encoder.

    Args:
        graph: The database.
        bank: The bank.
        encoder: The encoder to be.
        keep_old: Leave the former vectors where they are; the next run without it removes them.
        wait_s: How long to wait for another process that re-embeds it; a killed one counts as at work for a minute.
        progress: Told how many memories of how many have their new vector.

    Raises:
        NotFound: There is no such bank.
        Conflict: Another process is re-embedding it.
        EncoderError: A memory could not be encoded; recall goes on in the old space, and a next run goes on here.
        EncoderMismatch: The encoder's vectors have another length in this database.
        GraphError: The database does not answer, or has no free slot.
    """
    if bank_space(graph, bank) is None:
        raise NotFound(f"there is no bank {bank!r}", cure="The first write into a bank makes it.")
    with hold_lease(graph, f"reembed:{bank}", seconds=_LEASE_S, wait_s=wait_s):
        space = bank_space(graph, bank)
        assert space is not None
        work = _Reembedding(
            graph, bank, encoder, slot=open_slot(graph, encoder=encoder.name, dimensions=encoder.dimensions)
        )
        if space.encoder != encoder.name:
            work.sweep(progress)
            graph.run("switch_encoder", bank=bank, encoder=encoder.name, slot=work.slot, dimensions=encoder.dimensions)
        left = [slot for slot in graph.run("read_old_slots", bank=bank)[0]["slots"] if slot != work.slot]
        if left:
            # By now nobody writes into the old space, and nobody reads from it.
            time.sleep(SPACE_KNOWN_S)
            work.sweep(None)
            graph.run(cypher.load("remove_strays").in_slot(work.slot), bank=bank)
        removed, freed = (0, []) if keep_old else work.empty(left)
        return ReembedReport(bank, encoder.name, space.encoder, work.encoded, removed, tuple(freed))


class _Reembedding:
    """One bank on its way into one slot."""

    def __init__(self, graph: Graph, bank: str, encoder: Encoder, *, slot: str) -> None:
        self._graph = graph
        self._bank = bank
        self._encoder = encoder
        self.slot = slot
        self.encoded = 0

    def sweep(self, progress: Progress | None) -> None:
        """Encodes what has no vector in the slot, until a pass finds nothing; brings the filters of all up to date."""
        total = self._count()
        is_new = True
        while is_new:
            is_new, done = False, 0
            for page in self._pages():
                bare = [row for row in page if not row["is_done"]]
                is_new |= bool(bare)
                for at in range(0, len(bare), _AT_ONCE):
                    self._encode(bare[at : at + _AT_ONCE])
                    if progress:
                        progress(done + at, total)
                self._place([{"id": row["id"], "vector": None} for row in page if row["is_done"]])
                done += len(page)
                if progress:
                    progress(done, max(total, done))

    def empty(self, slots: list[str]) -> tuple[int, list[str]]:
        """Removes the bank's vectors from slots that it has left."""
        removed, freed = 0, list[str]()
        for slot in slots:
            query = cypher.load("empty_slot").in_slot(slot)
            for page in self._pages():
                removed += self._graph.run(query, ids=[row["id"] for row in page])[0]["removed"]
            if leave_slot(self._graph, self._bank, slot):
                freed.append(slot)
        return removed, freed

    def _encode(self, rows: list[dict[str, Any]]) -> None:
        vectors = self._encoder.encode_documents([embedded_text(r["content"], speaker=r["speaker"]) for r in rows])
        self._place([{"id": row["id"], "vector": packed(vector)} for row, vector in zip(rows, vectors, strict=True)])
        self.encoded += len(rows)

    def _place(self, rows: list[dict[str, Any]]) -> None:
        if rows:
            self._graph.run(cypher.load("place_embeddings").in_slot(self.slot), rows=rows, never_ms=NEVER_MS)

    def _pages(self) -> Iterator[list[dict[str, Any]]]:
        query = cypher.load("page_embeddings").in_slot(self.slot)
        after = ""
        while page := self._graph.run(query, bank=self._bank, after=after, limit=_PAGE):
            yield page
            after = page[-1]["id"]

    def _count(self) -> int:
        return self._graph.run("count_memories", bank=self._bank)[0]["memories"]
