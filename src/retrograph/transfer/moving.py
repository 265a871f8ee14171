"""Moving a bank to another database while it is read and written.

Rounds: all nodes of the bank are read where it lives and compared, by fingerprints, with what the last round left where
it goes; what differs is put there, what is gone is removed. So whatever changed is found, by whatever way it changed.
When little does, the writes of the bank are held (`graph.moves`), one last round makes both ends equal, and the bank is
switched. Until the switch the bank lives where it did, and a move that was killed changes nothing of that.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np

from retrograph import cypher
from retrograph.errors import Conflict, InvalidInput, NotFound
from retrograph.graph import BankSpace, Graph, bank_space, hold_lease, open_bank_space, open_slot
from retrograph.graph.moves import await_transactions, held_bank, place_of
from retrograph.graph.records import packed
from retrograph.memory.ingesting import batches
from retrograph.transfer.exporting import bank_nodes
from retrograph.transfer.format import LABELS, Node, fingerprint, node_line, parsed_node, written

_BATCH = 200
_LEASE_S = 20
_DRAIN_S = 60.0
_FEW = 200
"""Changes of one round that are few enough to hold the writes for the next."""
_MOST_ROUNDS = 6

Progress = Callable[[str, int], None]
Key = tuple[str, str]
"""Label and key of a node; a memory's label is `Memory`, archived or not."""


@dataclass(frozen=True, slots=True)
class Place:
    """One end of a move.

    Args:
        graph: The database, at the schema of this version.
        name: What people call it, such as its address; without a password.
    """

    graph: Graph
    name: str


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What a move did, or would do.

    Attributes:
        bank: The bank.
        moved_from: Where it lived.
        moved_to: Where it lives now.
        nodes: Nodes that it has.
        edges: Edges between them.
        rounds: How often the bank was read; 0 where it had been moved before.
        copied: Nodes that were put there, counted each time.
        jobs: Jobs that went along.
        held_s: How long its writes were held, seconds.
        removed: Nodes removed from where it lived.
        dry_run: Nothing was written.
    """

    bank: str
    moved_from: str
    moved_to: str
    nodes: int = 0
    edges: int = 0
    rounds: int = 0
    copied: int = 0
    jobs: int = 0
    held_s: float = 0.0
    removed: int = 0
    dry_run: bool = False


def move_bank(
    source: Place,
    target: Place,
    bank: str,
    *,
    hold_s: float = 60.0,
    wait_s: float = 0.0,
    remove_old: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> MoveReport:
    """Moves a bank to another database; it is read all the while, and written but for the last round.

    Memories, archive, entities, edges, versions, vectors, audit, jobs and counts of use go along; tokens stay in the
    database of all tokens. Run again after an interruption, it goes on with what is there already.

    Args:
        source: Where the bank lives.
        target: Where it goes.
        bank: The bank.
        hold_s: How long its writes may be held, seconds: where a round takes longer, the move is not made.
        wait_s: How long to wait for another move of it, seconds.
        remove_old: Remove what is left where it lived, after the switch; a mark stays, so that nobody writes there.
        dry_run: Count only.
        progress: Told what is done (`round 2`), and how many nodes are.

    Raises:
        NotFound: There is no such bank.
        InvalidInput: Both ends are the same database.
        Conflict: The target has a bank of the name that lives there; the bank was moved elsewhere; its writes would be
            held for too long, or the hold ran out; or another process moves or re-embeds it. It lives on where it did.
        GraphError: One of the two does not answer; the same.
    """
    space = bank_space(source.graph, bank)
    if space is None:
        raise NotFound(f"there is no bank {bank!r}", cure="The settings in force are those from before the move.")
    if dry_run:
        counts = _counts(source.graph, bank)
        _check_ends(source, target)
        return MoveReport(bank, source.name, target.name, counts["nodes"], counts["edges"], dry_run=True)
    with ExitStack() as leases:
        leases.enter_context(hold_lease(source.graph, f"move:{bank}", seconds=_LEASE_S, wait_s=wait_s))
        _check_ends(source, target)
        leases.enter_context(hold_lease(target.graph, f"move:{bank}", seconds=_LEASE_S, wait_s=wait_s))
        leases.enter_context(hold_lease(source.graph, f"reembed:{bank}", seconds=_LEASE_S, wait_s=wait_s))
        move = _Move(source, target, bank, space, progress=progress)
        if not move.has_left():
            move.copy(hold_s)
        move.open()
        if remove_old:
            move.remove_old()
        return move.report()


def _check_ends(source: Place, target: Place) -> None:
    if place_of(source.graph) == place_of(target.graph):
        raise InvalidInput(
            f"the bank lives at {target.name} already: both settings name the same database",
            cure="Name the settings that say where it is to live.",
            field="to",
        )


def _counts(graph: Graph, bank: str) -> dict[str, int]:
    return graph.run("count_moved", bank=bank, labels=list(LABELS))[0]


@dataclass(slots=True)
class _Seen:
    """What one round read and where it differs from the round before."""

    prints: dict[Key, bytes | None] = field(default_factory=dict[Key, bytes | None])
    owners: dict[str, Key] = field(default_factory=dict[str, Key])
    """Who has an identity key: of two that were read with the same one, a moment apart, the later."""
    outdone: set[Key] = field(default_factory=set[Key])
    lines: dict[Key, int] = field(default_factory=dict[Key, int])
    """Where the last word on each changed node is: one that is archived meanwhile can be read twice."""


class _Move:
    """One bank on its way."""

    def __init__(self, source: Place, target: Place, bank: str, space: BankSpace, *, progress: Progress | None) -> None:
        self._source = source
        self._target = target
        self._from, self._to = source.graph, target.graph
        self._bank = bank
        self._space = space
        self._slot = "a"
        self._progress = progress
        self._source_id = place_of(source.graph)["id"]
        self._target_id = place_of(target.graph)["id"]
        self._prints: dict[Key, bytes | None] = {}
        self._rounds = 0
        self._copied = 0
        self._jobs = 0
        self._held_s = 0.0
        self._removed = 0

    def has_left(self) -> bool:
        """Whether the switch was made before, by this move or one that was cut off after it.

        Raises:
            Conflict: It went to another database.
        """
        row = self._from.run("read_move", bank=self._bank)[0]
        if row["arriving_from"]:
            raise Conflict(
                f"bank {self._bank!r} is itself on its way to {self._source.name}",
                cure="Run the move that brings it again, to its end.",
            )
        if row["moved_to"] and row["moved_to_id"] != self._target_id:
            raise Conflict(
                f"bank {self._bank!r} was moved to {row['moved_to']}", cure="Move it on from there, or name that place."
            )
        return bool(row["moved_to"])

    def copy(self, hold_s: float) -> None:
        """Brings everything over and makes the switch."""
        self._expect()
        lasted, changed = self._timed_round()
        while changed > _FEW and self._rounds < _MOST_ROUNDS:
            lasted, changed = self._timed_round()
        if lasted > hold_s:
            raise Conflict(
                f"one round takes {lasted:.0f} s, and the bank's writes may be held for {hold_s:.0f} s",
                cure=f"Allow it: --hold {round(2 * lasted) + 1}; what was copied so far is there.",
            )
        begun = time.monotonic()
        with held_bank(self._from, self._bank, drain_s=_DRAIN_S) as hold:
            self._round(is_last=True)
            if not self._is_equal():
                # An end of an edge came and went between two rounds: what is there is read anew.
                self._read_target()
                self._round(is_last=True)
                if not self._is_equal():
                    raise Conflict(
                        f"bank {self._bank!r} does not become the same at {self._target.name}",
                        cure="See that nobody else writes there, and run the move again.",
                    )
            self._copy_beside()
            hold.leave(moved_to=self._target.name, moved_to_id=self._target_id)
        self._held_s = time.monotonic() - begun

    def open(self) -> None:
        """Lets the bank be used where it is now, and ends what would be worked on where it was."""
        for row in self._from.run("list_bank_jobs", bank=self._bank):
            self._from.run("remove_job", id=row["id"])
        self._to.run("open_moved_bank", bank=self._bank, source=self._source_id)

    def remove_old(self) -> None:
        """Removes what is left where the bank lived, but for the mark that it has moved."""
        nodes = bank_nodes(self._from, self._bank, slot=self._space.slot, vectors=False, audit=True)
        with TemporaryFile("w+", encoding="utf-8") as spool:
            for node in nodes:
                spool.write(json.dumps([node.label, node.key]) + "\n")
            spool.seek(0)
            for batch in batches((json.loads(line) for line in spool), _BATCH):
                rows = [{"label": label, "key": key} for label, key in batch]
                self._removed += self._remove(self._from, self._space.slot, rows)
                self._tell("removing", self._removed)

    def report(self) -> MoveReport:
        """What was done."""
        counts = _counts(self._to, self._bank)
        return MoveReport(
            bank=self._bank,
            moved_from=self._source.name,
            moved_to=self._target.name,
            nodes=counts["nodes"],
            edges=counts["edges"],
            rounds=self._rounds,
            copied=self._copied,
            jobs=self._jobs,
            held_s=self._held_s,
            removed=self._removed,
        )

    def _expect(self) -> None:
        """Makes the bank at the target, closed to all others, or goes on with what an earlier move left there."""
        encoder, dimensions = self._space.encoder, self._space.dimensions
        there = bank_space(self._to, self._bank)
        if there is None:
            there = open_bank_space(self._to, self._bank, encoder=encoder, dimensions=dimensions)
        was = self._to.run("expect_bank", bank=self._bank, source=self._source_id)[0]
        if was["arriving_from"] not in (None, self._source_id):
            raise Conflict(
                f"bank {self._bank!r} is on its way to {self._target.name} from another database",
                cure="Run that move again, to its end.",
            )
        if was["arriving_from"] is None and was["moved_to"] is None:
            # Who found the bank open a moment ago may still be writing into it.
            await_transactions(self._to, seconds=_DRAIN_S)
            if _counts(self._to, self._bank)["nodes"]:
                self._to.run("open_moved_bank", bank=self._bank, source=self._source_id)
                raise Conflict(
                    f"{self._target.name} has a bank {self._bank!r} of its own already",
                    cure="`retrograph export` and `import` put two banks together.",
                )
        elif there.encoder != encoder:
            slot = open_slot(self._to, encoder=encoder, dimensions=dimensions)
            self._to.run("switch_encoder", bank=self._bank, encoder=encoder, slot=slot, dimensions=dimensions)
        now = bank_space(self._to, self._bank)
        assert now is not None
        self._slot = now.slot
        self._read_target()

    def _read_target(self) -> None:
        self._prints = {}
        for node in bank_nodes(self._to, self._bank, slot=self._slot, vectors=False, audit=True):
            self._prints[_key(node)] = fingerprint(node)
            self._tell("looking at what is there", len(self._prints))

    def _timed_round(self) -> tuple[float, int]:
        begun = time.monotonic()
        changed = self._round()
        return time.monotonic() - begun, changed

    def _round(self, *, is_last: bool = False) -> int:
        """Makes the target what the source was read to be; how many nodes differed.

        What was not read is removed in the last round only: before, a memory that is restored while the bank is read
        can be missed, and the edges to it would go along.
        """
        self._rounds += 1
        seen = _Seen()
        with TemporaryFile("w+", encoding="utf-8", newline="\n") as spool:
            self._read_source(seen, spool)
            gone = [key for key in self._prints if key not in seen.prints]
            for batch in batches((key for key in (*gone, *seen.outdone) if key[0] == "Memory"), _BATCH):
                self._release([{"label": label, "key": key} for label, key in batch])
            for batch in batches(gone if is_last else (), _BATCH):
                self._remove(self._to, self._slot, [{"label": label, "key": key} for label, key in batch])
            for batch in batches(_spooled(spool, seen), _BATCH):
                self._check_strangers([node for node in batch if _key(node) not in self._prints])
                self._release([{"label": n.label, "key": n.key} for n in batch if _key(n)[0] == "Memory"])
            for batch in batches(_spooled(spool, seen), _BATCH):
                self._put_nodes(batch, seen)
            for batch in batches(_spooled(spool, seen), _BATCH):
                self._put_edges(batch, seen)
        self._prints = seen.prints | ({} if is_last else dict.fromkeys(gone))
        self._copied += len(seen.lines)
        return len(seen.lines) + len(gone)

    def _read_source(self, seen: _Seen, spool: IO[str]) -> None:
        nodes = bank_nodes(self._from, self._bank, slot=self._space.slot, vectors=False, audit=True)
        spooled = 0
        for number, node in enumerate(nodes, 1):
            key, mark = _key(node), fingerprint(node)
            identity = node.properties.get("identity_key") if key[0] == "Memory" else None
            if identity:
                before = seen.owners.get(identity)
                if before not in (None, key):
                    seen.outdone.add(before)
                seen.owners[identity] = key
            seen.prints[key] = mark
            if self._prints.get(key) == mark:
                seen.lines.pop(key, None)
            else:
                seen.lines[key] = spooled
                spooled += 1
                spool.write(written(node_line(node)))
            self._tell(f"round {self._rounds}", number)
        for key in seen.outdone:
            # It has given its key up by now: the next round reads how it stands.
            seen.prints[key] = None

    def _check_strangers(self, nodes: Sequence[Node]) -> None:
        rows = [{"label": node.label, "key": node.key} for node in nodes]
        found = self._to.run("find_imported", bank=self._bank, rows=rows) if rows else []
        strange = [row for row in found if row["bank"] not in (None, self._bank)]
        if strange:
            raise Conflict(
                f"{strange[0]['key']!r} is in bank {strange[0]['bank']!r} of {self._target.name} already",
                cure="A copy of the bank lives there under another name: forget that one first.",
            )

    def _release(self, rows: list[dict[str, str]]) -> None:
        self._to.run("release_moved_nodes", bank=self._bank, rows=rows)

    def _remove(self, graph: Graph, slot: str, rows: list[dict[str, str]]) -> int:
        return graph.run(cypher.load("remove_moved_nodes").in_slot(slot), bank=self._bank, rows=rows)[0]["removed"]

    def _put_nodes(self, batch: list[Node], seen: _Seen) -> None:
        rows = [
            {"label": node.label, "key": node.key, "more": list(node.more), "properties": _without_lost(node, seen)}
            for node in batch
        ]
        told = {node.key: node.embedding for node in batch if node.embedding}
        found = self._from.run(cypher.load("read_vectors").in_slot(self._space.slot), ids=list(told)) if told else []
        vectors = [
            {
                "id": row["id"],
                "properties": told[row["id"]]["properties"],
                "vector": packed(np.asarray(row["vector"], dtype=np.float32)),
            }
            for row in found
        ]
        put = cypher.load("put_moved_embeddings").in_slot(self._slot)
        self._to.run_all(
            [("put_moved_nodes", {"bank": self._bank, "rows": rows}), (put, {"bank": self._bank, "rows": vectors})]
        )

    def _put_edges(self, batch: list[Node], seen: _Seen) -> None:
        rows: list[dict[str, Any]] = [
            {
                "row": number,
                "label": node.label,
                "key": node.key,
                "edges": list(node.edges),
            }
            for number, node in enumerate(batch)
        ]
        for found in self._to.run("put_moved_edges", bank=self._bank, rows=rows):
            row: int = found["row"]
            node = batch[row]
            if found["made"] != len(node.edges):
                # Its other end was made, or went, while the bank was read: the next round has it.
                seen.prints[_key(node)] = None

    def _is_equal(self) -> bool:
        complete = all(mark is not None for mark in self._prints.values())
        return complete and _counts(self._from, self._bank) == _counts(self._to, self._bank)

    def _copy_beside(self) -> None:
        """What no round reads: jobs, with the turns that wait in them, and the counts of use."""
        for row in self._to.run("list_bank_jobs", bank=self._bank):
            self._to.run("remove_job", id=row["id"])
        for row in self._from.run("list_bank_jobs", bank=self._bank):
            job = self._from.run("read_job", id=row["id"])[0]
            self._to.run("create_job", job=job["job"], chunks=job["chunks"])
            self._jobs += 1
        counts = [row["counts"] for row in self._from.run("list_usage", bank=self._bank)]
        self._to.run("put_usage", bank=self._bank, rows=counts)

    def _tell(self, what: str, done: int) -> None:
        if self._progress and done % 100 == 0:
            self._progress(what, done)


def _key(node: Node) -> Key:
    return ("Memory" if node.label == "ArchivedMemory" else node.label, node.key)


def _without_lost(node: Node, seen: _Seen) -> dict[str, Any]:
    if _key(node) in seen.outdone:
        return {name: value for name, value in node.properties.items() if name != "identity_key"}
    return node.properties


def _spooled(spool: IO[str], seen: _Seen) -> Iterator[Node]:
    wanted = set(seen.lines.values())
    spool.seek(0)
    for number, line in enumerate(spool):
        if number in wanted:
            yield parsed_node(line)
