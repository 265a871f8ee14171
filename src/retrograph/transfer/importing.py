"""Import: an export file into a bank, checked whole before anything is written, and only once however often."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from retrograph import cypher
from retrograph.encoders import Encoder
from retrograph.errors import Conflict
from retrograph.graph import Graph, open_bank_space
from retrograph.graph.auditing import acting
from retrograph.graph.records import packed
from retrograph.memory.ingesting import batches
from retrograph.memory.rows import embedded_text
from retrograph.models import Identity
from retrograph.transfer.format import Header, Node, Sum, read_header, read_nodes, vector_of
from retrograph.transfer.renaming import Renaming

ACTOR = "retrograph import"
"""On whose behalf the audit says an import acts."""
_BATCH = 200

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or would do.

    Attributes:
        bank: The bank it went into.
        from_bank: The one the file was made of.
        created: Nodes by label that were not there.
        unchanged: Nodes by label that were there already and were left as they are.
        merged: Memories whose very words the bank had under another id: what points to them points to those.
        edges: Edges that were not there.
        encoded: Memories that had to be encoded anew, having no vector of this encoder in the file.
        dry_run: Nothing was written.
    """

    bank: str
    from_bank: str
    created: Mapping[str, int]
    unchanged: Mapping[str, int]
    merged: int
    edges: int
    encoded: int
    dry_run: bool


def import_bank(
    graph: Graph,
    file: Path,
    *,
    bank: str | None,
    encoder: Encoder,
    timezone: ZoneInfo,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Puts everything of an export into a bank.

    Doing it again, also after an interruption, changes nothing that is there. What the bank has already is left as it
    is. In a bank of another name memories get ids of their own, the same ones each time, so that both banks can live
    in one database.

    Args:
        graph: The database.
        file: What `export_bank` wrote.
        bank: The bank to put it into; None takes the name in the file.
        encoder: For memories without a vector of its own space in the file.
        timezone: In which texts speak of days, where words are compared under a new name.
        dry_run: Check and count only.
        progress: Told how many nodes of how many are done.

    Raises:
        InvalidInput: The file cannot be read, is cut short, was changed, or is of another kind; nothing is written.
        Conflict: A node of the file is in another bank of this database already; nothing is written.
        EncoderMismatch: The bank is of another encoder.
        EncoderError: A memory could not be encoded; what is written stays, and an import goes on from there.
        GraphError: The database does not answer; the same.
    """
    header, total, ids = _checked(file)
    target = bank or header.bank
    with acting(Identity(target, agent=ACTOR)):
        return _import_checked(
            graph,
            file,
            header=header,
            total=total,
            ids=ids,
            bank=target,
            encoder=encoder,
            timezone=timezone,
            dry_run=dry_run,
            progress=progress,
        )


def _import_checked(
    graph: Graph,
    file: Path,
    *,
    header: Header,
    total: Sum,
    ids: set[str],
    bank: str,
    encoder: Encoder,
    timezone: ZoneInfo,
    dry_run: bool,
    progress: Progress | None,
) -> ImportReport:
    renaming = Renaming(header.bank, bank, ids=ids, timezone=timezone)
    work = _Import(graph, bank, encoder, header=header, renaming=renaming, dry_run=dry_run)
    for batch in batches(_nodes(file), _BATCH):
        work.check_place(batch)
    done = 0
    if not dry_run:
        work.open_space()
    for batch in batches(_nodes(file), _BATCH):
        work.put_nodes(batch)
        done += len(batch)
        if progress:
            progress(done // 2, total.nodes)
    # An edge needs both its ends.
    for batch in batches(_nodes(file), _BATCH):
        work.put_edges(batch)
        done += len(batch)
        if progress:
            progress(done // 2, total.nodes)
    return work.report()


class _Import:
    """One import on its way."""

    def __init__(
        self, graph: Graph, bank: str, encoder: Encoder, *, header: Header, renaming: Renaming, dry_run: bool
    ) -> None:
        self._graph = graph
        self._bank = bank
        self._encoder = encoder
        self._header = header
        self._renaming = renaming
        self._dry_run = dry_run
        self._slot = "a"
        self._twins: dict[str, str] = {}
        self._created, self._unchanged = Counter[str](), Counter[str]()
        self._edges = 0
        self._encoded = 0

    def open_space(self) -> None:
        """Makes the bank, or checks that it is of this encoder."""
        space = open_bank_space(
            self._graph, self._bank, encoder=self._encoder.name, dimensions=self._encoder.dimensions
        )
        self._slot = space.slot

    def check_place(self, batch: list[Node]) -> None:
        """Refuses nodes that live in another bank, and remembers whose words the bank has already."""
        nodes = [self._renaming.of(node) for node in batch]
        found = self._found(nodes)
        strangers = [row for row in found if row["bank"] != self._bank]
        if strangers:
            raise Conflict(
                f"{strangers[0]['key']!r} is in bank {strangers[0]['bank']!r} of this database already",
                cure=f"Import into another bank: retrograph import FILE --bank {self._bank}-copy",
            )
        present = {(row["label"], row["key"]) for row in found}
        for node in nodes:
            is_present = (node.label, node.key) in present
            (self._unchanged if is_present else self._created)[node.label] += 1
        identities = {
            node.properties["identity_key"]: node.key for node in nodes if node.properties.get("identity_key")
        }
        for row in self._graph.run("find_identities", bank=self._bank, keys=list(identities)):
            if row["id"] != identities[row["identity_key"]]:
                self._twins[identities[row["identity_key"]]] = row["id"]

    def put_nodes(self, batch: list[Node]) -> None:
        """Writes the nodes of a batch that are not there, with their embeddings."""
        nodes = [node for node in map(self._renaming.of, batch) if node.key not in self._twins]
        embeddings = self._embeddings(nodes)
        if self._dry_run:
            return
        rows = [
            {"label": node.label, "key": node.key, "more": list(node.more), "properties": node.properties}
            for node in nodes
        ]
        put = cypher.load("import_embeddings").in_slot(self._slot)
        self._graph.run_all([("import_nodes", {"bank": self._bank, "rows": rows}), (put, {"rows": embeddings})])

    def put_edges(self, batch: list[Node]) -> None:
        """Writes the edges of a batch that are not there."""
        rows = [
            {
                "from_label": node.label,
                "from": self._twins.get(node.key, node.key),
                "label": edge["label"],
                "to": self._twins.get(edge["key"], edge["key"]),
                "type": edge["type"],
                "properties": edge["properties"],
            }
            for node in map(self._renaming.of, batch)
            for edge in node.edges
        ]
        rows = [row for row in rows if (row["from_label"], row["from"]) != (row["label"], row["to"])]
        if rows and not self._dry_run:
            self._edges += self._graph.run("import_edges", bank=self._bank, rows=rows)[0]["created"]

    def report(self) -> ImportReport:
        """What was done."""
        return ImportReport(
            bank=self._bank,
            from_bank=self._header.bank,
            created=dict(sorted(self._created.items())),
            unchanged=dict(sorted(self._unchanged.items())),
            merged=len(self._twins),
            edges=self._edges,
            encoded=self._encoded,
            dry_run=self._dry_run,
        )

    def _found(self, nodes: list[Node]) -> list[dict[str, Any]]:
        rows = [{"label": node.label, "key": node.key} for node in nodes]
        return self._graph.run("find_imported", bank=self._bank, rows=rows)

    def _embeddings(self, nodes: list[Node]) -> list[dict[str, Any]]:
        """Rows of the embeddings; those without a vector of this encoder are encoded, those that are there left out."""
        told = [node for node in nodes if node.embedding]
        has_space = self._header.encoder == self._encoder.name
        bare = [node for node in told if not (has_space and node.embedding and node.embedding["vector"])]
        if bare and not self._dry_run:
            query = cypher.load("find_embeddings").in_slot(self._slot)
            there = {row["id"] for row in self._graph.run(query, ids=[node.key for node in bare])}
            bare = [node for node in bare if node.key not in there]
            told = [node for node in told if node.key not in there]
        self._encoded += len(bare)
        if self._dry_run:
            return []
        texts = [embedded_text(n.properties["content"], speaker=n.properties.get("speaker")) for n in bare]
        vectors = self._encoder.encode_documents(texts) if texts else np.empty((0, 0), np.float32)
        new = {node.key: vector for node, vector in zip(bare, vectors, strict=True)}
        return [
            {
                "id": node.key,
                "properties": node.embedding["properties"],
                "vector": packed(new[node.key] if node.key in new else vector_of(node.embedding["vector"])),
            }
            for node in told
            if node.embedding
        ]


def _checked(file: Path) -> tuple[Header, Sum, set[str]]:
    """Reads the whole file once."""
    total = Sum()
    with file.open(encoding="utf-8", newline="\n") as lines:
        first = next(lines, "")
        header = read_header(first)
        total.add(first)
        ids = {node.key for node in read_nodes(lines, check=total)}
    return header, total, ids


def _nodes(file: Path) -> Iterator[Node]:
    check = Sum()
    with file.open(encoding="utf-8", newline="\n") as lines:
        check.add(next(lines))
        yield from read_nodes(lines, check=check)
