"""A node of one bank as a node of another: everything in it that depends on the bank's name."""

from collections.abc import Collection
from dataclasses import replace
from hashlib import sha256
from typing import Any, cast
from uuid import UUID
from zoneinfo import ZoneInfo

from retrograph.extraction.times import read_times
from retrograph.graph.records import filter_token
from retrograph.memory.items import identity_key
from retrograph.memory.near import near_words
from retrograph.models import Language
from retrograph.transfer.format import KEYED, Node

_MEMORIES = frozenset({"Memory", "ArchivedMemory"})


class Renaming:
    """Carries nodes from one bank's name to another's; the same name changes nothing.

    Args:
        old: The bank in the file.
        new: The bank to be.
        ids: Ids and keys of all nodes of the file: a text that equals one of them is that node's id.
        timezone: In which texts speak of days.
    """

    def __init__(self, old: str, new: str, *, ids: Collection[str], timezone: ZoneInfo) -> None:
        self._old = old
        self._new = new
        self._ids = ids
        self._timezone = timezone

    def of(self, node: Node) -> Node:
        """The node under the new name."""
        if self._old == self._new:
            return node
        properties = {name: self._value(value) for name, value in node.properties.items()}
        properties["bank"] = self._new
        if node.label == "Entity" and "near_tokens" in properties:
            properties["near_tokens"] = " ".join(near_words(self._new, node.key))
        if node.label in _MEMORIES:
            properties |= self._keys(node)
        return replace(
            node,
            key=self._key(node.label, node.key),
            properties=properties,
            edges=tuple(self._edge(edge) for edge in node.edges),
            embedding=self._embedding(node.embedding),
        )

    def _keys(self, node: Node) -> dict[str, Any]:
        told = node.properties
        times = read_times(
            told["content"], reference=told["occurred_at"], timezone=self._timezone, language=Language(told["language"])
        )
        own = identity_key(
            self._new, told["audience"], speaker=told.get("speaker"), content=told["content"], times=times
        )
        tokens = told["filter_tokens"].split(" ")
        old, new = filter_token("b", self._old), filter_token("b", self._new)
        keys = {"own_key": own, "filter_tokens": " ".join(new if token == old else token for token in tokens)}
        return keys | ({"identity_key": own} if told.get("identity_key") else {})

    def _edge(self, edge: dict[str, Any]) -> dict[str, Any]:
        properties = {name: self._value(value) for name, value in edge["properties"].items()}
        if "bank" in properties:
            properties["bank"] = self._new
        return edge | {"key": self._key(edge["label"], edge["key"]), "properties": properties}

    def _embedding(self, embedding: dict[str, Any] | None) -> dict[str, Any] | None:
        if embedding is None:
            return None
        properties = {name: self._value(value) for name, value in embedding["properties"].items()}
        return embedding | {"properties": properties | {"bank": self._new}}

    def _key(self, label: str, key: str) -> str:
        return key if label in KEYED else self._id(key)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._id(value) if value in self._ids and _is_id(value) else value
        if isinstance(value, list):
            return [self._value(item) for item in cast(list[Any], value)]
        return value

    def _id(self, old: str) -> str:
        """The id that the old one has in the new bank: the same time in front, so that the order of ids stays."""
        digest = sha256(f"{self._new}\0{old}".encode()).digest()
        if not _is_id(old):
            return f"{old}-{digest[:6].hex()}"
        made = bytearray(UUID(old).bytes[:6] + digest[:10])
        made[6], made[8] = 0x70 | made[6] & 0x0F, 0x80 | made[8] & 0x3F  # version 7, RFC 9562
        return str(UUID(bytes=bytes(made)))


def _is_id(text: str) -> bool:
    try:
        return len(text) == 36 and str(UUID(text)) == text
    except ValueError:
        return False
