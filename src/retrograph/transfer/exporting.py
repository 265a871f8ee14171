"""Export: a bank as JSON lines, streamed out of the graph."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, TextIO

from retrograph import cypher
from retrograph.errors import NotFound
from retrograph.graph import Graph, bank_space
from retrograph.transfer.format import KEYED, LABELS, Header, Node, Sum, node_line, vector_text, written


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote.

    Attributes:
        bank: The bank.
        nodes: Nodes by label.
        edges: Edges by type.
        vectors: Vectors among them.
    """

    bank: str
    nodes: dict[str, int] = field(default_factory=dict[str, int])
    edges: dict[str, int] = field(default_factory=dict[str, int])
    vectors: int = 0


def export_bank(
    graph: Graph,
    bank: str,
    out: TextIO,
    *,
    vectors: bool = True,
    audit: bool = False,
    progress: Callable[[int], None] | None = None,
) -> ExportReport:
    """Writes everything of a bank into `out`: memories, archive, entities, sessions, runs, and every edge of them.

    The bank can be used meanwhile: what is written while the export runs may or may not be in it. Jobs are left out.
    Memory use does not grow with the bank.

    Args:
        graph: The database.
        bank: The bank.
        out: A text stream.
        vectors: Put the vectors in too: 2 KB a memory, and an import need not encode again.
        audit: Put the audit in too.
        progress: Told how many nodes are written, now and then.

    Raises:
        NotFound: There is no such bank.
        GraphError: The database does not answer.
    """
    space = bank_space(graph, bank)
    if space is None:
        raise NotFound(f"there is no bank {bank!r}", cure="`retrograph stats` shows the bank that is used.")
    header = Header(
        bank=bank,
        encoder=space.encoder,
        dimensions=space.dimensions,
        vectors=vectors,
        audit=audit,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version("retrograph"),
    )
    total = Sum()
    out.write(total.add(written(header.line())))
    labels, types = Counter[str](), Counter[str]()
    with_vector = 0
    for node in bank_nodes(graph, bank, slot=space.slot, vectors=vectors, audit=audit):
        out.write(total.add(written(node_line(node))))
        total.nodes += 1
        total.edges += len(node.edges)
        labels[node.label] += 1
        types.update(edge["type"] for edge in node.edges)
        with_vector += bool(node.embedding and node.embedding["vector"])
        if progress and total.nodes % 100 == 0:
            progress(total.nodes)
    out.write(written(total.end()))
    if progress:
        progress(total.nodes)
    return ExportReport(bank, dict(sorted(labels.items())), dict(sorted(types.items())), with_vector)


def bank_nodes(graph: Graph, bank: str, *, slot: str, vectors: bool, audit: bool) -> Iterator[Node]:
    """All nodes of a bank with their outgoing edges, as they come out of the graph.

    Raises:
        GraphError: The database does not answer.
    """
    query = cypher.load("export_nodes").in_slot(slot)
    wanted = [label for label in LABELS if audit or label != "Audit"]
    for row in graph.stream(query, bank=bank, labels=wanted, vectors=vectors):
        yield _node(row, wanted)


def _node(row: dict[str, Any], wanted: list[str]) -> Node:
    label, more = _label(row["labels"])
    edges = [
        {
            "type": edge["type"],
            "label": _label(edge["labels"])[0],
            "key": edge["key"],
            "properties": edge["properties"],
        }
        for edge in row["edges"]
        if set(edge["labels"]) & set(wanted)
    ]
    edges.sort(key=lambda edge: (str(edge["type"]), str(edge["key"]), str(edge["properties"])))
    return Node(
        label=label,
        key=row["properties"]["key" if label in KEYED else "id"],
        more=more,
        properties=row["properties"],
        edges=tuple(edges),
        embedding=_embedding(row["embedding"]),
    )


def _label(labels: list[str]) -> tuple[str, tuple[str, ...]]:
    """The label that a node is known by, and the others."""
    label = next(label for label in LABELS if label in labels)
    return label, tuple(sorted(set(labels) - {label}))


def _embedding(properties: dict[str, Any] | None) -> dict[str, Any] | None:
    if properties is None:
        return None
    vector = properties.pop("vector", None)
    return {"properties": properties, "vector": vector_text(vector) if vector else None}
