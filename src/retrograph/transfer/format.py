"""The export file: JSON lines, a header first, a node with its outgoing edges on each line, a count last.

```
{"retrograph": "export", "format": 1, "bank": "default", "encoder": "…", "dimensions": 384, "vectors": true, …}
{"label": "Memory", "key": "01980f3e-…", "more": ["Semantic"], "properties": {…}, "edges": [{"type": "MENTIONS",
 "label": "Entity", "key": "ann", "properties": {…}}], "embedding": {"properties": {…}, "vector": "base64"}}
{"end": true, "nodes": 12, "edges": 30, "sha256": "…"}
```

A time is `{"$time": "2026-03-01T10:00:00+00:00"}`; a vector is base64 of little-endian 32-bit floats. The sum is of all
lines before the last, so that a file cut short or changed by hand is never taken for whole.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import numpy as np

from retrograph.errors import InvalidInput
from retrograph.graph.records import Vector

FORMAT = 1
LABELS = (
    "Memory",
    "ArchivedMemory",
    "Entity",
    "NamePart",
    "Session",
    "Trajectory",
    "Step",
    "ConsolidationRun",
    "Audit",
)
"""What a bank is made of, besides its embeddings. Jobs are of one database, not of a bank: they stay."""
KEYED = frozenset({"Entity", "NamePart", "Session"})
"""Known by their `key` inside a bank; all others by an `id` that is theirs alone."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a file holds.

    Attributes:
        bank: The bank it was made of.
        encoder: The encoder of its vectors; None for a bank that nobody wrote into.
        dimensions: Numbers in a vector.
        vectors: Whether they are in the file.
        audit: Whether the audit is.
        at: When it was made.
        version: The Retrograph that made it.
    """

    bank: str
    encoder: str | None
    dimensions: int | None
    vectors: bool
    audit: bool
    at: str
    version: str

    def line(self) -> dict[str, Any]:
        """It as the first line."""
        told = {name: getattr(self, name) for name in Header.__slots__}
        return {"retrograph": "export", "format": FORMAT, **told}


@dataclass(frozen=True, slots=True)
class Node:
    """A node with its outgoing edges, as a line of the file.

    Attributes:
        label: One of `LABELS`.
        key: Its `key` or `id`.
        more: Its other labels.
        properties: As in the graph.
        edges: Each with `type`, `label` and `key` of its end, and `properties`.
        embedding: Filter properties and the vector, of a memory that has one.
    """

    label: str
    key: str
    more: tuple[str, ...]
    properties: dict[str, Any]
    edges: tuple[dict[str, Any], ...] = ()
    embedding: dict[str, Any] | None = None


@dataclass(slots=True)
class Sum:
    """Counts and checksum of the lines so far."""

    nodes: int = 0
    edges: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def add(self, line: str) -> str:
        """The line, counted."""
        self.digest.update(line.encode())
        return line

    def end(self) -> dict[str, Any]:
        """The last line."""
        return {"end": True, "nodes": self.nodes, "edges": self.edges, "sha256": self.digest.hexdigest()}


def written(value: Any) -> str:
    """One line."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":")) + "\n"


def node_line(node: Node) -> dict[str, Any]:
    """A node as the line that says it."""
    line: dict[str, Any] = {"label": node.label, "key": node.key, "more": list(node.more)}
    line |= {"properties": node.properties, "edges": list(node.edges)}
    if node.embedding:
        line["embedding"] = node.embedding
    return line


def fingerprint(node: Node) -> bytes:
    """The same for two nodes that say the same, whatever order their properties and edges come in; 16 bytes."""
    line = _plain(node_line(node))
    edges = sorted(json.dumps(edge, sort_keys=True) for edge in line.pop("edges"))
    told = json.dumps(line, sort_keys=True) + "\n".join(edges)
    return hashlib.blake2b(told.encode(), digest_size=16).digest()


def vector_text(vector: list[float]) -> str:
    """A vector as base64."""
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode()


def vector_of(text: str) -> Vector:
    """A vector out of base64."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float32)


def read_header(line: str) -> Header:
    """What the first line says.

    Raises:
        InvalidInput: It is no export, or of a later format.
    """
    try:
        told = _parsed(line, 1)
    except InvalidInput:
        told = {}
    if told.get("retrograph") != "export":
        raise InvalidInput(
            "this is not an export of Retrograph: the first line is no header",
            cure="`retrograph export` makes one; other files are stored by `retrograph ingest`.",
            field="file",
        )
    if told.get("format") != FORMAT:
        raise InvalidInput(
            f"the file has the format {told.get('format')!r}, this version reads {FORMAT}",
            cure="Update Retrograph: pip install --upgrade retrograph",
            field="file",
        )
    try:
        return Header(**{name: told[name] for name in Header.__slots__})
    except KeyError as error:
        raise InvalidInput(f"line 1: the header has no {error}", field="file") from error


def read_nodes(lines: Iterable[str], *, check: Sum) -> Iterator[Node]:
    """The nodes after the header; at the end the sum is compared.

    Args:
        lines: The lines after the first.
        check: Holds the header's line already.

    Raises:
        InvalidInput: A line cannot be read, the file is cut short, or was changed.
    """
    for number, line in enumerate(lines, 2):
        told = _parsed(line, number)
        if told.get("end"):
            end = check.end()
            wrong = [name for name in end if told.get(name) != end[name]]
            if wrong:
                raise InvalidInput(
                    f"the file is not as it was written: {wrong[0]} is {end[wrong[0]]}, the last line says "
                    f"{told.get(wrong[0])}",
                    cure="Export again, or copy the file again.",
                    field="file",
                )
            return
        node = _node(told, number)
        check.add(line)
        check.nodes += 1
        check.edges += len(node.edges)
        yield node
    raise InvalidInput(
        f"the file is cut short: after {check.nodes:,} nodes the last line is missing",
        cure="Export again, or copy the file again; nothing was stored.",
        field="file",
    )


def parsed_node(line: str) -> Node:
    """A node out of a line that `node_line` and `written` made.

    Raises:
        InvalidInput: It is none.
    """
    return _node(_parsed(line, 0), 0)


def _node(told: dict[str, Any], number: int) -> Node:
    try:
        node = Node(
            label=told["label"],
            key=told["key"],
            more=tuple(told["more"]),
            properties=told["properties"],
            edges=tuple(told["edges"]),
            embedding=told.get("embedding"),
        )
        ends = {edge["label"] for edge in node.edges if edge["type"] and edge["key"] and edge["properties"] is not None}
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"line {number}: a node without {error}", field="file") from error
    if strange := ({node.label} | ends) - set(LABELS):
        raise InvalidInput(f"line {number}: the label {sorted(strange)[0]!r} is not one of a bank", field="file")
    return node


def _parsed(line: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line, object_hook=_restored)
    except ValueError as error:
        raise InvalidInput(f"line {number} is no JSON: {error}", field="file") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"line {number} is no JSON object", field="file")
    return cast(dict[str, Any], value)


def _restored(value: dict[str, Any]) -> Any:
    return datetime.fromisoformat(value["$time"]) if value.keys() == {"$time"} else value


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"$time": value.isoformat()}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in cast(list[Any], value)]
    return value
