"""Names that may be one: candidates for a new entity, found by a few words that near names share."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from unicodedata import combining, normalize

from retrograph.extraction.keys import near_names
from retrograph.extraction.language import has_han
from retrograph.graph import Graph
from retrograph.graph.records import filter_token
from retrograph.graph.store import Batch, NearNames
from retrograph.models import EntityType

_MOST = 20
"""Entities looked at for each new name; those that share the rarest words come first."""
_SURE = 0.8
_VAGUE = frozenset({EntityType.CONCEPT.value, EntityType.FILE.value, EntityType.IDENTIFIER.value})
"""Of these a part of a name, or a letter more, says nothing: "queue" is not "render queue"."""
_EDGE_LETTERS = 4


class _Name(NamedTuple):
    key: str
    name: str
    type: str


def near_names_of(graph: Graph, bank: str, batch: Batch) -> NearNames:
    """Finds, for the names of a batch that are new to the bank, those that may be the same. One read.

    Args:
        graph: The database.
        bank: The bank.
        batch: What is about to be written.

    Returns:
        What `write_near_names` writes. The cost of a name does not depend on how many the bank has.
    """
    named = {name.key: name for name in _names(batch)}
    if not named:
        return NearNames([], [])
    words = {key: near_words(bank, key) for key in sorted(named)}
    rows = [{"key": key, "tokens": " ".join(found)} for key, found in words.items()]
    found = graph.run("find_near_entities", bank=bank, rows=rows, limit=_MOST)
    new = {row["key"] for row in found}
    others = {row["key"]: [_Name(n["key"], n["name"], n["type"]) for n in row["near"]] for row in found}
    for key, beside in _beside(words, new).items():
        others[key] += [named[other] for other in beside]
    pairs = {
        (pair["first"], pair["second"]): pair
        for key in new
        for other in others[key]
        for pair in _pair(named[key], other)
    }
    return NearNames([row for row in rows if row["key"] in new], [pairs[key] for key in sorted(pairs)])


def near_words(bank: str, key: str) -> list[str]:
    """Words that two near names of a bank have in common, at least one: the database finds a name by them.

    They stand for: the letters alone; the first and the last word; the initials; four letters at either end; of a
    name in Han, two characters at either end.
    """
    letters = "".join(char for char in normalize("NFKD", key) if not combining(char))
    bare = letters.replace(" ", "")
    parts = letters.split() or [letters]
    said = {("letters", bare), ("first", parts[0]), ("last", parts[-1])}
    if len(parts) > 1:
        said.add(("initials", "".join(part[0] for part in parts)))
    elif len(bare) > 1:
        said.add(("initials", bare))
    edge = 2 if has_han(bare) else _EDGE_LETTERS
    if len(bare) >= edge:
        said |= {("front", bare[:edge]), ("back", bare[-edge:])}
    return [filter_token("n", f"{bank}\0{kind}\0{text}") for kind, text in sorted(said)]


def _names(batch: Batch) -> Iterable[_Name]:
    for row in batch.rows:
        for mention in row["mentions"]:
            yield _Name(mention["key"], mention["name"], mention["type"])
    for row in batch.aliases:
        yield _Name(row["alias_key"], row["alias"], row["type"])
        yield _Name(row["canonical_key"], row["canonical"], row["type"])


def _beside(words: Mapping[str, Sequence[str]], new: set[str]) -> dict[str, list[str]]:
    """New names of the same batch that share a word with one, each pair once."""
    keys_of: dict[str, list[str]] = defaultdict(list)
    for key in sorted(new):
        for word in words[key]:
            keys_of[word].append(key)
    beside: dict[str, list[str]] = {}
    for key in sorted(new):
        sharing = {other for word in words[key] for other in keys_of[word][: _MOST + 1] if other > key}
        beside[key] = sorted(sharing)
    return beside


def _pair(one: _Name, other: _Name) -> list[dict[str, Any]]:
    likeness = near_names(one.name, other.name)
    if likeness is None:
        return []
    alike = one.type == other.type and one.type not in _VAGUE
    if likeness.confidence < _SURE and not alike:
        return []
    first, second = sorted((one.key, other.key))
    return [{"first": first, "second": second, "confidence": likeness.confidence, "evidence": likeness.evidence}]
