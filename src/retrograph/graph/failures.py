"""The one place where the driver's errors become Retrograph's."""

from neo4j import exceptions as driver

from retrograph.errors import (
    ConstraintViolated,
    EngineAuthError,
    EngineUnavailable,
    GraphError,
    OutcomeUnknown,
    RetrographError,
)

_START_IT = "Start it (`retrograph engine start`), or check RETROGRAPH_URI; `retrograph doctor` looks at both."

_BY_CODE: dict[str, tuple[type[GraphError], str, str]] = {
    # Neo4j has written it to its log, and will or will not find it there when it starts again.
    "Neo.DatabaseError.Transaction.TransactionCommitFailed": (
        OutcomeUnknown,
        "the database broke off while it stored this",
        "See whether its disk is full, and restart it; then do it again: what was stored is not stored twice.",
    ),
    "Neo.DatabaseError.Transaction.TransactionStartFailed": (
        EngineUnavailable,
        "the database has stopped itself and has to be restarted",
        "See whether its disk is full and free some space; then restart it (the local engine: `retrograph engine stop "
        "--force`, and the next use starts it again).",
    ),
}
"""Errors of a server that broke down: to the driver they are any `DatabaseError`."""

DRIVER_ERRORS: dict[type[Exception], tuple[type[GraphError], str, str]] = {
    driver.AuthError: (
        EngineAuthError,
        "the database refuses the user name or password",
        "Set RETROGRAPH_USERNAME and RETROGRAPH_PASSWORD to an account of that database.",
    ),
    driver.TokenExpired: (EngineAuthError, "the database's sign-in has expired", "Sign in again."),
    driver.Forbidden: (EngineAuthError, "the account may not do this", "Grant it read and write."),
    driver.ServiceUnavailable: (EngineUnavailable, "no database answers", _START_IT),
    driver.IncompleteCommit: (
        OutcomeUnknown,
        "the connection was cut before the database said whether it was done",
        "Do it again: the same words, ids and source ids are stored once.",
    ),
    driver.SessionExpired: (EngineUnavailable, "the database closed the connection", "Try again."),
    driver.ConnectionPoolError: (
        EngineUnavailable,
        "all connections are busy",
        "Try again, or ask for less at once.",
    ),
    driver.UnsupportedServerProduct: (
        GraphError,
        "what answers at the address is no Neo4j that can be used",
        "Retrograph needs Neo4j ≥ 2026.07: check RETROGRAPH_URI.",
    ),
    driver.TransientError: (EngineUnavailable, "the database could not finish in time", "Try again."),
    driver.ConstraintError: (ConstraintViolated, "a uniqueness rule would be broken", "Try again."),
    driver.CypherSyntaxError: (
        GraphError,
        "the database does not understand a query",
        "Retrograph needs Neo4j ≥ 2026.07: `retrograph doctor` tells the version that runs.",
    ),
    driver.CypherTypeError: (GraphError, "a query met a value of the wrong type", "Please report this."),
    driver.DatabaseUnavailable: (EngineUnavailable, "the database is starting or stopped", "Try again."),
    driver.NotALeader: (EngineUnavailable, "the cluster is choosing a leader", "Try again."),
    driver.ConfigurationError: (
        GraphError,
        "the address or a connection setting cannot work",
        "RETROGRAPH_URI looks like bolt://127.0.0.1:7687 or neo4j+s://name.databases.neo4j.io.",
    ),
    driver.ClientError: (GraphError, "the database refuses a query", "`retrograph doctor` checks it."),
    driver.DatabaseError: (GraphError, "the database failed", "`retrograph engine logs` tells more."),
    driver.DriverError: (GraphError, "the database driver failed", "Please report this."),
    driver.Neo4jError: (GraphError, "the database answered with an error", "`retrograph doctor` checks it."),
}
"""Driver error class to ours, what happened, and the cure. A subclass is mapped by its nearest parent."""


def graph_error(error: Exception, *, doing: str) -> RetrographError:
    """Maps a driver error; the nearest mapped parent decides.

    Args:
        error: What the driver raised.
        doing: Name of the query, for the message.

    Returns:
        The error to raise `from error`.
    """
    code: str | None = getattr(error, "code", None)
    if code in _BY_CODE:
        ours, what, cure = _BY_CODE[code]
        return ours(f"{what} ({doing}: {_first_line(error)})", cure=cure)
    for kind in type(error).__mro__:
        if kind in DRIVER_ERRORS:
            ours, what, cure = DRIVER_ERRORS[kind]
            return ours(f"{what} ({doing}: {_first_line(error)})", cure=cure)
    return GraphError(f"the database driver failed ({doing}: {_first_line(error)})", cure="Please report this.")


def _first_line(error: Exception) -> str:
    text = getattr(error, "message", None) or str(error) or type(error).__name__
    return text.splitlines()[0][:300]
