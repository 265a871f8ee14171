"""Loads the `.cypher` files: all Cypher of Retrograph is here, none in Python.

A query file holds one statement under a header:

    // What it does, in one sentence.
    // mode: read
    // params: bank: STRING, ids: LIST<STRING>
    // returns: id: STRING, name: STRING

Declared and used parameters must agree. A line that ends in `//? name` is left out when the parameter `name` is
None, so that one file serves with and without a filter and each form keeps a query plan of its own.

All parameters travel in one map: Neo4j keeps a plan for each combination of the types and sizes of what it is given,
and nothing of that for what is inside a map. A plan of the recall takes seconds to make; see docs/recall.md.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Literal

from retrograph.errors import CypherFileError

Mode = Literal["read", "write", "schema"]
_MODES: dict[str, Mode] = {"read": "read", "write": "write", "schema": "schema"}

EMBEDDING_SLOTS = ("a", "b", "c", "d")
"""Vector indexes that can exist side by side. The name of an index cannot be a parameter, so the list is closed."""

_HEADER_KEYS = ("mode", "params", "returns", "needs", "source")
_HEADER_LINE = re.compile(r"^//\s?(?:(?P<key>[a-z]+):\s*)?(?P<text>.*)$")
_DECLARED = re.compile(r"(?P<name>[a-z_][a-z0-9_]*)\s*:\s*(?P<type>[A-Z][A-Z<>| _]*[^,]*)")
_QUOTED_OR_COMMENT = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_PARAMETER = re.compile(r"\$(?P<name>[A-Za-z_][A-Za-z0-9_]*)")
_QUOTED_OR_COMMENT_OR_PARAMETER = re.compile(f"{_QUOTED_OR_COMMENT.pattern}|{_PARAMETER.pattern}", re.DOTALL)
_MAP = "p"
"""What the map of all parameters is called in the text that is sent."""
_OPTIONAL_LINE = re.compile(r"//\?\s*(?P<name>[a-z_]+)\s*$")


@dataclass(frozen=True, slots=True)
class CypherQuery:
    """One statement and what its header says of it.

    Args:
        name: File name without `.cypher`.
        purpose: One sentence.
        text: The statement.
        mode: `read` may be routed to any member of a cluster; `schema` takes its parameters one by one.
        params: Declared parameters, name to type.
        returns: Declared columns, name to type.
        source: Where a formula comes from.
    """

    name: str
    purpose: str
    text: str
    mode: Mode
    params: dict[str, str]
    returns: dict[str, str]
    source: str = ""

    def bind(self, params: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The text and parameters to send: lines for absent optional parameters are left out, the rest is in one map.

        Raises:
            CypherFileError: A parameter is missing, or not declared.
        """
        optional = self.optional
        missing = self.params.keys() - params.keys() - optional
        unknown = params.keys() - self.params.keys()
        if missing or unknown:
            raise CypherFileError(
                f"{self.name}.cypher: missing parameters {sorted(missing)}, unknown {sorted(unknown)}"
            )
        given = {name: value for name, value in params.items() if name not in optional or value is not None}
        text = _with_lines_of(self.text, frozenset(given)) if optional else self.text
        if self.mode == "schema" or not given:
            return text, given
        return _out_of_one_map(text), {_MAP: given}

    @property
    def optional(self) -> set[str]:
        """Parameters that may be None."""
        return {m["name"] for line in self.text.splitlines() if (m := _OPTIONAL_LINE.search(line))}

    def in_slot(self, slot: str) -> "CypherQuery":
        """The same statement over another embedding slot; files are written for slot `a`.

        Raises:
            CypherFileError: `slot` is not one of `EMBEDDING_SLOTS`.
        """
        if slot not in EMBEDDING_SLOTS:
            raise CypherFileError(f"{slot!r} is not one of the embedding slots {EMBEDDING_SLOTS}")
        text = self.text.replace("EmbeddingA", f"Embedding{slot.upper()}")
        return replace(self, text=text.replace("embedding_a", f"embedding_{slot}"))


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered change of the schema: idempotent statements, run in order."""

    version: int
    name: str
    checksum: str
    statements: tuple[str, ...]


@cache
def load(name: str) -> CypherQuery:
    """Reads and checks `queries/<name>.cypher`.

    Raises:
        CypherFileError: No such file, or its header and its text disagree.
    """
    file = _folder("queries") / f"{name}.cypher"
    if not file.is_file():
        raise CypherFileError(f"there is no query file {name}.cypher")
    return parse(name, file.read_text(encoding="utf-8"))


def names() -> list[str]:
    """Names of all query files, sorted."""
    return sorted(_stems("queries"))


@cache
def migrations() -> tuple[Migration, ...]:
    """All migrations in the order in which they are applied.

    Raises:
        CypherFileError: A version is missing or there twice.
    """
    found: list[Migration] = []
    for stem in sorted(_stems("schema")):
        text = (_folder("schema") / f"{stem}.cypher").read_text(encoding="utf-8")
        version, _, name = stem.partition("__")
        body = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
        statements = tuple(s.strip() for s in body.split(";") if s.strip())
        found.append(Migration(int(version.removeprefix("V")), name, sha256(text.encode()).hexdigest(), statements))
    if [m.version for m in found] != list(range(1, len(found) + 1)):
        raise CypherFileError(f"migrations are not numbered 1, 2, 3 …: {[m.version for m in found]}")
    return tuple(found)


def parse(name: str, source: str) -> CypherQuery:
    """Splits a query file into header and statement and checks them.

    Raises:
        CypherFileError: The header lacks something, or parameters declared and used differ.
    """
    purpose, header, text = _split(name, source)
    if not purpose:
        raise CypherFileError(f"{name}.cypher: the header does not begin with a sentence of purpose")
    mode = _MODES.get(header["mode"].strip())
    if mode is None:
        raise CypherFileError(f"{name}.cypher: mode {header['mode'].strip()!r} is none of {', '.join(_MODES)}")
    if not header["returns"].strip():
        raise CypherFileError(f"{name}.cypher: the header does not say what it returns")
    params = _declarations(header["params"])
    used = set(_PARAMETER.findall(_QUOTED_OR_COMMENT.sub(" ", text)))
    if used != params.keys():
        raise CypherFileError(
            f"{name}.cypher: declared and not used {sorted(params.keys() - used)}, "
            f"used and not declared {sorted(used - params.keys())}"
        )
    return CypherQuery(
        name=name,
        purpose=purpose,
        text=text,
        mode=mode,
        params=params,
        returns=_declarations(header["returns"]),
        source=header["source"].strip(),
    )


@cache
def _with_lines_of(text: str, given: frozenset[str]) -> str:
    """A statement without the lines of the optional parameters that are not given."""
    options = ((line, _OPTIONAL_LINE.search(line)) for line in text.splitlines())
    return "\n".join(line for line, option in options if not option or option["name"] in given)


@cache
def _out_of_one_map(text: str) -> str:
    """A statement that takes each parameter out of one map; what is quoted or a comment stays."""
    return _QUOTED_OR_COMMENT_OR_PARAMETER.sub(lambda m: f"${_MAP}.{m['name']}" if m["name"] else m[0], text)


def _split(name: str, source: str) -> tuple[str, dict[str, str], str]:
    lines = source.splitlines()
    purpose: list[str] = []
    header: dict[str, str] = dict.fromkeys(_HEADER_KEYS, "")
    key = ""
    for number, line in enumerate(lines):
        match = _HEADER_LINE.match(line)
        if not match:
            return " ".join(purpose), header, "\n".join(lines[number:]).strip()
        if match["key"] in _HEADER_KEYS:
            key = match["key"]
            header[key] += match["text"] + " "
        elif key:
            header[key] += match["text"] + " "
        else:
            purpose.append(match[0].removeprefix("//").strip())
    raise CypherFileError(f"{name}.cypher: there is a header and no statement")


def _declarations(text: str) -> dict[str, str]:
    return {m["name"]: m["type"].strip() for m in _DECLARED.finditer(text)}


def _folder(name: str) -> Traversable:
    return resources.files(__name__) / name


def _stems(folder: str) -> list[str]:
    return [f.name.removesuffix(".cypher") for f in _folder(folder).iterdir() if f.name.endswith(".cypher")]
