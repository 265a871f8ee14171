# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""What is done inside a transaction besides its queries: the mark of a move, the receipt, the trail in the audit."""

from collections.abc import Sequence
from typing import Any, LiteralString, cast

import neo4j
from neo4j import ManagedTransaction
from neo4j.time import DateTime

from retrograph import cypher
from retrograph.cypher import CypherQuery
from retrograph.errors import Conflict
from retrograph.graph.auditing import Trail, again
from retrograph.graph.moves import bank_written, refuse_moving

_EACH = frozenset({"release_identity_keys"})
"""Queries that answer a row for each of theirs, or the transaction does nothing: what they look at was changed."""

Rows = list[dict[str, Any]]


class Transaction:
    """Queries that take effect together, as often as they have to be tried.

    Args:
        bound: The queries with their parameters.

    Attributes:
        names: Names of the queries.
        writes: Whether any of them does.
        is_unsure: An earlier try was cut off while it committed: it may have taken effect.
    """

    def __init__(self, bound: Sequence[tuple[CypherQuery, dict[str, Any]]]) -> None:
        self._bound = bound
        self._texts = [query.bind(params) for query, params in bound]
        named = [(query.name, params) for query, params in bound]
        self._trail = Trail(named)
        self.names = [query.name for query, _ in bound]
        self.writes = any(query.mode == "write" for query, _ in bound)
        self.is_unsure = False
        self._bank = bank_written(named, self._trail.bank) if self.writes else None

    def run(self, tx: ManagedTransaction) -> list[Rows]:
        """Runs them.

        Returns:
            The rows of each.

        Raises:
            BankMoving: The bank is on the move.
            BankMoved: It lives elsewhere now.
            Conflict: What they change was changed by somebody else at the same moment.
        """
        trail = self._trail
        if self.is_unsure and trail.leaves_any and _own(tx, "read_receipt", id=f"{trail.id}-")[0]["is_done"]:
            # Ids are the client's and writes MERGE on them: running it again answers, and changes nothing more.
            return [_answers(tx, text, params) for text, params in self._again()]
        if self._bank is not None:
            refuse_moving(self._bank, _own(tx, "check_bank", bank=self._bank))
        if trail.leaves_any and (touched := trail.touched):
            trail.before = {row["id"]: row for row in _own(tx, "read_hashes", ids=touched)}
        found: list[Rows] = []
        for (query, given), (text, params) in zip(self._bound, self._texts, strict=True):
            found.append(_answers(tx, text, params))
            if query.name in _EACH and len(found[-1]) < len(given["rows"]):
                raise Conflict(
                    "somebody else replaced the memory at the same moment; nothing was stored",
                    cure="`retrograph history` shows its current version: update that one.",
                )
        if trail.leaves_any and (rows := trail.rows(found)):
            _own(tx, "write_audit", rows=rows, by=trail.by)
        return found

    def _again(self) -> list[tuple[str, dict[str, Any]]]:
        texts: list[tuple[str, dict[str, Any]]] = []
        for query, params in self._bound:
            name, given = again(query.name, params)
            texts.append((query if name == query.name else cypher.load(name)).bind(dict(given)))
        return texts


def _own(tx: ManagedTransaction, name: str, **params: Any) -> Rows:
    return _answers(tx, *cypher.load(name).bind(params))


def _answers(tx: ManagedTransaction, text: str, params: dict[str, Any]) -> Rows:
    return [row_of(record) for record in tx.run(cast(LiteralString, text), params)]


def row_of(record: neo4j.Record) -> dict[str, Any]:
    """A row of an answer; times as aware `datetime`."""
    return {key: _native(value) for key, value in record.items()}


_PLAIN = frozenset((str, int, float, bool, type(None)))
"""Most of an answer: nothing becomes of these."""


def _native(value: Any) -> Any:
    """The driver's times become aware datetimes; nodes become their properties."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, DateTime):
        return value.to_native()
    if isinstance(value, list):
        return [_native(item) for item in cast(list[Any], value)]
    if isinstance(value, dict):
        return {key: _native(item) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, (neo4j.graph.Node, neo4j.graph.Relationship)):
        return {key: _native(item) for key, item in value.items()}
    return value
