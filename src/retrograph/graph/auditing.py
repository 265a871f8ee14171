"""The trail: what each transaction did to which memory, and on whose behalf, written by that very transaction.

Every change goes through `Graph.run_all`, so that none can be forgotten here. Words of a memory are never kept: of its
content a hash, of changed fields their names.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from uuid_utils import uuid7

from retrograph.models import Identity

Params = Mapping[str, Any]
Rows = Sequence[Mapping[str, Any]]

_ACTING: ContextVar[Identity | None] = ContextVar("retrograph_acting", default=None)


@contextmanager
def acting(identity: Identity) -> Generator[None]:
    """Says on whose behalf the block changes memories; the outermost one counts."""
    if _ACTING.get() is not None:
        yield
        return
    token = _ACTING.set(identity)
    try:
        yield
    finally:
        _ACTING.reset(token)


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that was done; `memory_id` is "" where it was done to no memory."""

    action: str
    memory_id: str
    detail: str = ""
    bank: str | None = None


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a query does to memories.

    Args:
        touched: Ids of memories that stand there before it runs.
        deeds: What it did, from its parameters and rows.
    """

    touched: Callable[[Params], Sequence[str]]
    deeds: Callable[[Params, Rows], Iterator[Deed]]


def _ids(params: Params) -> Sequence[str]:
    return params["ids"]


def _nothing(_: Params) -> Sequence[str]:
    return ()


def _stored(_: Params, rows: Rows) -> Iterator[Deed]:
    for row in rows:
        if row["outcome"] in ("stored", "merged"):
            yield Deed(row["outcome"], row["id"])


def _returned(action: str) -> Callable[[Params, Rows], Iterator[Deed]]:
    return lambda _, rows: (Deed(action, row["id"]) for row in rows)


def _deleted(params: Params, _: Rows) -> Iterator[Deed]:
    return (Deed("deleted", memory_id) for memory_id in params["ids"])


def _restored(_: Params, rows: Rows) -> Iterator[Deed]:
    return (Deed("restored", row["id"]) for row in rows if not row["twin"])


def _edited(params: Params, rows: Rows) -> Iterator[Deed]:
    names = {row["id"]: ", ".join(sorted(row["properties"])) for row in params["rows"]}
    return (Deed("changed", row["id"], names[row["id"]]) for row in rows)


def _replaced(_: Params, rows: Rows) -> Iterator[Deed]:
    return (Deed("superseded", row["older"], f"by {row['newer']}") for row in rows)


def _back(params: Params, rows: Rows) -> Iterator[Deed]:
    if rows and rows[0]["removed"]:
        yield Deed("unsuperseded", params["older"], f"by {params['newer']}")


def _merged(_: Params, rows: Rows) -> Iterator[Deed]:
    return (Deed("merged", row["id"], f"into {row['into']}") for row in rows)


def _marked(params: Params, rows: Rows) -> Iterator[Deed]:
    said = "useful" if params["step"] > 0 else "not useful"
    return (Deed("marked", row["id"], said) for row in rows)


def _linked(params: Params, rows: Rows) -> Iterator[Deed]:
    given = {row["row"]: row for row in params["rows"]}
    for row in rows:
        link = given[row["row"]]
        yield Deed("linked", link["from_id"], f"to {link['to_id']}")


def _joined(params: Params, rows: Rows) -> Iterator[Deed]:
    if rows and rows[0]["created"]:
        yield Deed("names merged", "", _names(params), params["bank"])


def _apart(params: Params, rows: Rows) -> Iterator[Deed]:
    if rows and rows[0]["removed"]:
        yield Deed("names unmerged", "", _names(params), params["bank"])


def _all_joined(params: Params, rows: Rows) -> Iterator[Deed]:
    return (Deed("names merged", "", _names(row), params["bank"]) for row in rows)


def _all_apart(_: Params, rows: Rows) -> Iterator[Deed]:
    return (Deed("names unmerged", "", _names(row), row["bank"]) for row in rows)


def _imported(params: Params, rows: Rows) -> Iterator[Deed]:
    return (Deed("imported", memory_id, "", params["bank"]) for row in rows for memory_id in row["memories"])


def _reflected(_: Params, rows: Rows) -> Iterator[Deed]:
    return (Deed("reflected", row["id"], f"on task run {row['trajectory_id']}") for row in rows)


def _recorded(params: Params, rows: Rows) -> Iterator[Deed]:
    for row in rows:
        ended = f", ended as {params['status']}" if params["status"] else ""
        if row["is_new"] or row["added"] or ended:
            yield Deed(
                "task run recorded", "", f"{row['id']}: {row['added']} steps{ended}", params["properties"]["bank"]
            )


def _removed(params: Params, rows: Rows) -> Iterator[Deed]:
    return (Deed("task run deleted", "", f"{params['id']}: {row['steps']} steps", params["bank"]) for row in rows)


def _pinned(params: Params, rows: Rows) -> Iterator[Deed]:
    said = "task run pinned" if params["pinned"] else "task run unpinned"
    return (Deed(said, "", row["id"], params["bank"]) for row in rows)


def _thinned(params: Params, rows: Rows) -> Iterator[Deed]:
    return (
        Deed("task run thinned", "", f"{row['id']}: {row['archived']} steps", params["bank"])
        for row in rows
        if row["archived"]
    )


def _names(params: Params) -> str:
    """Two names, as a hash: names are words of memories."""
    return sha256(f"{params['alias']}\0{params['canonical']}".encode()).hexdigest()[:16]


_KINDS: Mapping[str, _Kind] = {
    "write_memories": _Kind(_nothing, _stored),
    "archive_memories": _Kind(_ids, _returned("archived")),
    "delete_memories": _Kind(_ids, _deleted),
    "restore_memories": _Kind(_ids, _restored),
    "edit_memories": _Kind(lambda p: [row["id"] for row in p["rows"]], _edited),
    "supersede_memories": _Kind(lambda p: [row["older"] for row in p["rows"]], _replaced),
    "replace_memories": _Kind(lambda p: [row["older"] for row in p["rows"]], _replaced),
    "remove_supersession": _Kind(lambda p: [p["older"]], _back),
    "approve_memories": _Kind(_ids, _returned("approved")),
    "reject_memories": _Kind(_ids, _returned("rejected")),
    "merge_memories": _Kind(lambda p: [row["id"] for row in p["rows"]], _merged),
    "record_feedback": _Kind(_ids, _marked),
    "link_memories": _Kind(lambda p: [row["from_id"] for row in p["rows"]], _linked),
    "merge_entities": _Kind(_nothing, _joined),
    "unmerge_entities": _Kind(_nothing, _apart),
    "join_entities": _Kind(_nothing, _all_joined),
    "separate_entities": _Kind(_nothing, _all_apart),
    "import_nodes": _Kind(_nothing, _imported),
    "write_trajectory": _Kind(_nothing, _recorded),
    "delete_trajectory": _Kind(_nothing, _removed),
    "pin_trajectory": _Kind(_nothing, _pinned),
    "archive_steps": _Kind(_nothing, _thinned),
    "link_lesson": _Kind(lambda p: [row["memory_id"] for row in p["rows"]], _reflected),
}


_AGAIN: Mapping[str, Callable[[Params], tuple[str, Params]]] = {
    "record_feedback": lambda p: ("read_feedback", {name: p[name] for name in ("bank", "audiences", "ids")}),
    # A memory that was superseded as it was written has given up the key that it would be found by.
    "write_memories": lambda p: ("read_written", {"rows": [_named(row) for row in p["rows"]]}),
    "write_trajectory": lambda p: ("write_trajectory", {**p, "left_out": 0}),
}
"""What to run where the transaction took effect and only its answer was lost, instead of what cannot be run again."""


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("row", "id", "identity_key")}


def again(name: str, params: Params) -> tuple[str, Params]:
    """The query by which one that took effect is answered again; itself, where running it twice does it once."""
    return _AGAIN[name](params) if name in _AGAIN else (name, params)


@dataclass(slots=True)
class Trail:
    """What one transaction leaves in the audit.

    Args:
        calls: Its queries by name, with their parameters.
    """

    calls: Sequence[tuple[str, Params]]
    id: str = field(default_factory=lambda: str(uuid7()))
    before: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    @property
    def touched(self) -> list[str]:
        """Ids of memories to be read before they are changed."""
        found = [memory_id for name, params in self._kept() for memory_id in _KINDS[name].touched(params)]
        return list(dict.fromkeys(found))

    @property
    def leaves_any(self) -> bool:
        """Whether any of the queries changes memories."""
        return any(True for _ in self._kept())

    def rows(self, answers: Sequence[Rows]) -> list[dict[str, Any]]:
        """Rows of `write_audit`; ids follow from the transaction's, so that trying it again writes them once."""
        deeds = [
            deed
            for (name, params), answer in zip(self.calls, answers, strict=True)
            if name in _KINDS and self._counts(name)
            for deed in _KINDS[name].deeds(params, answer)
        ]
        return [
            {
                "id": f"{self.id}-{number}",
                "action": deed.action,
                "memory_id": deed.memory_id,
                "detail": deed.detail,
                "bank": deed.bank or known.get("bank"),
                "audience": known.get("audience"),
                "before": known.get("hash"),
            }
            for number, deed in enumerate(deeds)
            if (known := self.before.get(deed.memory_id, {})) or deed.action in ("stored", "merged") or deed.bank
        ]

    @property
    def by(self) -> dict[str, str | None]:
        """On whose behalf; nobody's where it is upkeep."""
        who = _ACTING.get()
        return {"agent": who and who.agent, "user": who and who.user, "session": who and who.session}

    @property
    def bank(self) -> str | None:
        """The bank of whoever acts."""
        who = _ACTING.get()
        return who and who.bank

    def _kept(self) -> Iterator[tuple[str, Params]]:
        return ((name, params) for name, params in self.calls if name in _KINDS and self._counts(name))

    def _counts(self, name: str) -> bool:
        """A link that a write makes by itself is part of the write."""
        return name != "link_memories" or not any(other == "write_memories" for other, _ in self.calls)
