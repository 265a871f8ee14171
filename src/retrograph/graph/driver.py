# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# The driver leaves its **config untyped.
"""The one execution path to Neo4j: every query of Retrograph goes through `Graph`."""

import itertools
import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, LiteralString, Self, TypeVar, cast

import neo4j
from neo4j import (
    GraphDatabase,
    ManagedTransaction,
    NotificationDisabledClassification,
)
from neo4j.exceptions import (
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ResultFailedError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from retrograph import cypher
from retrograph.cypher import CypherQuery
from retrograph.errors import BankMoving
from retrograph.graph.failures import graph_error
from retrograph.graph.interrupts import interrupt_held_back
from retrograph.graph.transactions import Transaction, row_of
from retrograph.watching import Step, step

Call = tuple[CypherQuery | str, dict[str, Any]]

_MANY = 3
"""Queries of one transaction that its span names one by one."""

T = TypeVar("T")

_log = logging.getLogger(__name__)
_HELD_PAUSE_S = 0.2
_VANISHED = "Neo.ClientError.Statement.EntityNotFound"
"""What Neo4j answers where a query comes to a node that was deleted after an index gave it: it reads no snapshot."""
_MOST_VANISHED = 5
_PAUSE_S = (0.02, 0.2)
_PAUSES_S = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a database is and how to sign in."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str | None = None


@dataclass(slots=True)
class Traffic:
    """What went through a graph.

    Args:
        transactions: Begun.
        in_flight: Under way now.
        retries: Tried again after a passing error, such as a deadlock.
        reconnects: Connections made anew because the database went away.
    """

    transactions: int = 0
    in_flight: int = 0
    retries: int = 0
    reconnects: int = 0


class Graph:
    """A database that holds banks. Thread-safe; holds one pool of connections.

    Args:
        connect: Tells where the database is. Asked again after the database went away, so that a local engine
            that was killed is started again.
        connect_timeout_s: How long to wait for a connection, seconds.
        retry_s: How long a transaction may be tried again after a passing error, seconds.
    """

    def __init__(
        self, connect: Callable[[], Connection], *, connect_timeout_s: float = 10, retry_s: float = 15
    ) -> None:
        self._connect = connect
        self._connect_timeout_s = connect_timeout_s
        self._retry_s = retry_s
        self._lock = threading.Lock()
        self._driver: neo4j.Driver | None = None
        self._connection: Connection | None = None
        self._bookmarks = GraphDatabase.bookmark_manager()
        self._traffic = Traffic()

    @property
    def traffic(self) -> "Traffic":
        """What went through since the graph was made."""
        with self._lock:
            return replace(self._traffic)

    def run(self, query: CypherQuery | str, **params: Any) -> list[dict[str, Any]]:
        """Runs one query in a managed transaction, routed by its mode.

        Args:
            query: A query, or the name of its file.
            **params: Its parameters; an optional one may be None.

        Returns:
            The rows; times as aware `datetime` in UTC.

        Raises:
            GraphError: The database refused, failed or does not answer.
        """
        return self.run_all([(query, params)])[0]

    def run_all(self, calls: Sequence[Call]) -> list[list[dict[str, Any]]]:
        """Runs several queries in one transaction: all of them take effect, or none.

        Returns:
            The rows of each.

        Raises:
            GraphError: The database refused, failed or does not answer.
        """
        work = Transaction([(_loaded(query), params) for query, params in calls])
        tries = itertools.count()

        def once(tx: ManagedTransaction) -> list[list[dict[str, Any]]]:
            if next(tries):
                self._count(retries=1)
            return work.run(tx)

        def attempt() -> list[list[dict[str, Any]]]:
            driver, connection = self._open()
            try:
                with driver.session(database=connection.database, bookmark_manager=self._bookmarks) as session:
                    return session.execute_write(once) if work.writes else session.execute_read(once)
            except IncompleteCommit as error:
                if not work.writes:
                    raise ServiceUnavailable(*error.args) from error
                work.is_unsure = True
                raise

        with _query_step(work.names):
            return self._while_moving(lambda: self._with_reconnect(attempt, doing="+".join(work.names)))

    def stream(self, query: CypherQuery | str, **params: Any) -> Iterator[dict[str, Any]]:
        """The rows of one reading query as they come, for answers that are too long to be held.

        It is not tried again: rows were handed out already.

        Raises:
            GraphError: The database refused, failed or does not answer.
        """
        loaded = _loaded(query)
        text, given = loaded.bind(params)
        driver, connection = self._open()
        try:
            with driver.session(
                database=connection.database, bookmark_manager=self._bookmarks, default_access_mode=neo4j.READ_ACCESS
            ) as session:
                with interrupt_held_back():
                    rows = iter(session.run(cast(LiteralString, text), given))
                while True:
                    with interrupt_held_back():
                        record = next(rows, None)
                    if record is None:
                        return
                    yield row_of(record)
        except (DriverError, Neo4jError) as error:
            raise graph_error(error, doing=loaded.name) from error

    def run_implicit(self, query: CypherQuery | str, **params: Any) -> list[dict[str, Any]]:
        """Runs one query outside a managed transaction, as schema changes and `CALL … IN TRANSACTIONS` need it.

        Raises:
            GraphError: The database refused, failed or does not answer.
        """
        loaded = _loaded(query)
        text, given = loaded.bind(params)
        return self.run_statement(text, given, doing=loaded.name)

    def run_statement(self, text: str, params: dict[str, Any] | None = None, *, doing: str) -> list[dict[str, Any]]:
        """Runs a statement of a migration file; never a caller's text.

        No transaction function retries it, so a deadlock with another process is tried again here.

        Raises:
            GraphError: The database refused, failed or does not answer.
        """

        def attempt() -> list[dict[str, Any]]:
            driver, connection = self._open()
            with driver.session(database=connection.database, bookmark_manager=self._bookmarks) as session:
                return [row_of(record) for record in session.run(cast(LiteralString, text), params or {})]

        def patiently() -> list[dict[str, Any]]:
            for pause_s in _PAUSES_S:
                try:
                    return attempt()
                except TransientError as error:
                    _log.info("%s: %s; trying again in %.1f s", doing, error, pause_s)
                    self._count(retries=1)
                    time.sleep(pause_s)
            return attempt()

        with _query_step([doing]):
            return self._with_reconnect(patiently, doing=doing)

    def verify(self) -> str:
        """Checks that the database answers and the password is right.

        Returns:
            The server's agent string, `Neo4j/2026.08.1`.

        Raises:
            EngineUnavailable: Nothing answers.
            EngineAuthError: The password is wrong.
        """

        def attempt() -> str:
            return self._open()[0].get_server_info().agent

        return self._with_reconnect(attempt, doing="sign in")

    @property
    def connection(self) -> Connection:
        """Where the database is."""
        return self._open()[1]

    def close(self) -> None:
        """Closes all connections. The graph can be used again and will connect anew."""
        with self._lock:
            driver, self._driver = self._driver, None
        if driver:
            driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _count(self, **more: int) -> None:
        with self._lock:
            for name, number in more.items():
                setattr(self._traffic, name, getattr(self._traffic, name) + number)

    def _open(self) -> tuple[neo4j.Driver, Connection]:
        with self._lock:
            if self._driver is None or self._connection is None:
                self._connection = self._connect()
                self._driver = GraphDatabase.driver(
                    self._connection.uri,
                    auth=(self._connection.username, self._connection.password),
                    connection_timeout=self._connect_timeout_s,
                    connection_acquisition_timeout=self._connect_timeout_s,
                    max_transaction_retry_time=self._retry_s,
                    liveness_check_timeout=30,
                    keep_alive=True,
                    telemetry_disabled=True,
                    user_agent="retrograph",
                    # An unknown label is no fault: every label is unknown to an empty database.
                    notifications_disabled_classifications=[NotificationDisabledClassification.UNRECOGNIZED],
                )
            return self._driver, self._connection

    def _while_moving(self, attempt: Callable[[], T]) -> T:
        """Waits for a move that holds the bank, as long as anything is tried again."""
        deadline = time.monotonic() + self._retry_s
        while True:
            try:
                return attempt()
            except BankMoving:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_HELD_PAUSE_S)

    def _with_reconnect(self, attempt: Callable[[], T], *, doing: str) -> T:
        self._count(transactions=1, in_flight=1)
        try:
            return self._attempted(attempt, doing=doing)
        finally:
            self._count(in_flight=-1)

    def _attempted(self, attempt: Callable[[], T], *, doing: str) -> T:
        """Does it again, once each, after a connection was cut while it committed and after the database went away.

        And a few times after another transaction deleted what this one had just found: it was rolled back.

        Ids are the client's and writes MERGE on them, and what adds up looks for its receipt, so that doing it again
        does it once.
        """
        cut: IncompleteCommit | None = None
        has_reconnected = False
        vanished = 0
        deadline = time.monotonic() + self._retry_s
        while True:
            driver = self._driver
            try:
                with interrupt_held_back():
                    return attempt()
            except IncompleteCommit as error:
                if cut:
                    raise graph_error(error, doing=doing) from error
                # One connection is gone; whether the database is, the next attempt finds out.
                cut = error
                _log.info("%s: %s; doing it again", doing, error)
            except (ServiceUnavailable, SessionExpired) as error:
                self._leave(driver or self._driver)
                if has_reconnected:
                    raise graph_error(cut or error, doing=doing) from error
                has_reconnected = True
                _log.info("%s: %s; connecting again", doing, error)
                self._count(reconnects=1)
            except ResultFailedError as error:
                # The driver met what failed a second time, in its rollback, and so did not try again itself.
                cause = error.__cause__
                if not isinstance(cause, TransientError) or time.monotonic() > deadline:
                    failed = cause if isinstance(cause, Neo4jError) else error
                    raise graph_error(cut or failed, doing=doing) from error
                _log.info("%s: %s; doing it again", doing, cause)
                time.sleep(random.uniform(*_PAUSE_S))
            except (DriverError, Neo4jError) as error:
                vanished += 1
                if getattr(error, "code", None) != _VANISHED or vanished > _MOST_VANISHED:
                    raise graph_error(cut or error, doing=doing) from error
                _log.info("%s: something was deleted meanwhile; doing it again", doing)

    def _leave(self, driver: neo4j.Driver | None) -> None:
        """Closes a driver whose database went away; what others have opened since stays."""
        with self._lock:
            if driver is None or self._driver is not driver:
                return
            self._driver = None
        driver.close()


def _query_step(names: Sequence[str]) -> AbstractContextManager[Step]:
    """One step a transaction, named by the files of its queries, never by their texts or parameters."""
    shown = "+".join(names) if len(names) <= _MANY else f"{names[0]}+{len(names) - 1}"
    known = {"db.system.name": "neo4j", "db.operation.name": shown}
    return step("query", names[0] if len(names) == 1 else "batch", span=f"query {shown}", attributes=known)


def _loaded(query: CypherQuery | str) -> CypherQuery:
    return cypher.load(query) if isinstance(query, str) else query
