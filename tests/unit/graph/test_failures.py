"""Each error of the driver becomes one of ours, with what happened and a cure."""

import inspect

import pytest
from neo4j import exceptions as driver

from retrograph.errors import (
    ConstraintViolated,
    EngineAuthError,
    EngineUnavailable,
    GraphError,
    OutcomeUnknown,
    RetrographError,
)
from retrograph.graph.failures import DRIVER_ERRORS, graph_error

_ROOTS = (driver.Neo4jError, driver.DriverError)
_CLASSES = sorted(
    (
        kind
        for _, kind in inspect.getmembers(driver, inspect.isclass)
        if issubclass(kind, Exception) and issubclass(kind, _ROOTS)
    ),
    key=lambda kind: kind.__name__,
)
# Wrong use of the driver, for which "please report this" is the right cure.
_OUR_FAULT = (driver.ResultError, driver.SessionError, driver.TransactionError, driver.BrokenRecordError)


def _made(kind: type[Exception], message: str = "it broke") -> Exception:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    return error


def test_driver_has_errors_to_map() -> None:
    assert len(_CLASSES) > 15


@pytest.mark.parametrize("kind", _CLASSES, ids=lambda kind: kind.__name__)
def test_every_driver_error_is_mapped_by_itself_or_a_parent_that_says_enough(kind: type[Exception]) -> None:
    nearest = next((parent for parent in kind.__mro__ if parent in DRIVER_ERRORS), None)
    assert nearest is not None, f"{kind.__name__} has no parent in DRIVER_ERRORS"
    assert kind in _ROOTS or issubclass(kind, _OUR_FAULT) or nearest not in _ROOTS, (
        f"{kind.__name__} would only be called {DRIVER_ERRORS[nearest][1]!r}"
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [("TransactionCommitFailed", OutcomeUnknown), ("TransactionStartFailed", EngineUnavailable)],
)
def test_server_that_broke_down_is_told_by_its_code_with_the_disk_in_the_cure(
    code: str, expected: type[GraphError]
) -> None:
    broken = driver.Neo4jError._hydrate_neo4j(code=f"Neo.DatabaseError.Transaction.{code}", message="see the logs")
    ours = graph_error(broken, doing="write_memories")
    assert type(ours) is expected
    assert "write_memories" in ours.message
    assert "disk is full" in ours.cure


@pytest.mark.parametrize("kind", _CLASSES, ids=lambda kind: kind.__name__)
def test_mapped_error_says_what_was_being_done_and_the_cure(kind: type[Exception]) -> None:
    ours = graph_error(_made(kind), doing="find_people")
    assert isinstance(ours, GraphError)
    assert "find_people" in ours.message
    assert ours.cure


@pytest.mark.parametrize(
    ("raised", "expected", "retryable"),
    [
        (driver.ServiceUnavailable, EngineUnavailable, True),
        (driver.SessionExpired, EngineUnavailable, True),
        (driver.TransientError, EngineUnavailable, True),
        (driver.ForbiddenOnReadOnlyDatabase, GraphError, None),
        (driver.AuthError, EngineAuthError, False),
        (driver.ConstraintError, ConstraintViolated, False),
        (driver.CypherSyntaxError, GraphError, False),
    ],
)
def test_driver_error_becomes_the_expected_one(
    raised: type[Exception], expected: type[RetrographError], retryable: bool | None
) -> None:
    ours = graph_error(_made(raised), doing="x")
    assert isinstance(ours, expected)
    assert retryable is None or ours.retryable is retryable


def test_error_that_is_no_driver_error_is_still_mapped() -> None:
    assert isinstance(graph_error(OSError("socket gone"), doing="x"), GraphError)


def test_only_the_first_line_of_a_long_server_message_is_passed_on() -> None:
    ours = graph_error(_made(driver.ClientError, "first " + "x" * 1000 + "\nsecond line"), doing="x")
    assert "second line" not in ours.message
    assert len(ours.message) < 500
