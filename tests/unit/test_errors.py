"""The error tree: each error has a code of its own, an exit code, fields, and a cure in its words."""

import pickle

import pytest

from retrograph import errors
from retrograph.errors import (
    EngineUnavailable,
    InvalidInput,
    Refused,
    RetrographError,
)

_CLASSES = sorted(
    (c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, RetrographError)),
    key=lambda kind: kind.__name__,
)


def test_tree_is_the_documented_one() -> None:
    names = {kind.__name__ for kind in _CLASSES}
    assert {
        "SettingsError",
        "EngineInstallError",
        "InvalidInput",
        "NotFound",
        "Refused",
        "Conflict",
        "CypherFileError",
        "GraphError",
        "EngineUnavailable",
        "EngineAuthError",
        "SchemaOutdated",
        "ConstraintViolated",
        "ExtractionError",
        "EncoderError",
        "EncoderMismatch",
    } <= names
    for child in (errors.EngineUnavailable, errors.EngineAuthError, errors.SchemaOutdated, errors.ConstraintViolated):
        assert issubclass(child, errors.GraphError)
    assert issubclass(errors.EncoderMismatch, errors.EncoderError)


def test_codes_are_all_different() -> None:
    codes = [kind.code for kind in _CLASSES]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("kind", _CLASSES, ids=lambda kind: kind.__name__)
def test_exit_code_is_one_of_the_documented_ones(kind: type[RetrographError]) -> None:
    assert kind.exit_code in {1, 2, 3}


def test_wrong_usage_and_an_unreachable_engine_have_exit_codes_of_their_own() -> None:
    assert InvalidInput.exit_code == 2
    assert EngineUnavailable.exit_code == 3


@pytest.mark.parametrize("kind", _CLASSES, ids=lambda kind: kind.__name__)
def test_error_says_what_is_wrong_and_then_the_cure(kind: type[RetrographError]) -> None:
    error = kind("the port 'x' is no number", cure="Give a number.")
    assert str(error) == "the port 'x' is no number\nGive a number."
    assert (error.message, error.cure) == ("the port 'x' is no number", "Give a number.")
    assert str(kind("just this")) == "just this"


def test_only_errors_that_waiting_can_mend_are_retryable() -> None:
    assert {kind.__name__ for kind in _CLASSES if kind.retryable} == {
        "BankMoving",
        "EngineUnavailable",
        "OutcomeUnknown",
    }


def test_refusal_carries_its_scores_and_does_not_share_them() -> None:
    scores = {"salience": 0.2}
    refused = Refused("too vague", scores=scores)
    scores["salience"] = 1.0
    assert refused.scores == {"salience": 0.2}
    assert Refused("x").scores == {}


def test_invalid_input_names_its_field() -> None:
    assert InvalidInput("x", field="limit").field == "limit"


@pytest.mark.parametrize("kind", _CLASSES, ids=lambda kind: kind.__name__)
def test_error_survives_the_way_to_another_process(kind: type[RetrographError]) -> None:
    back = pickle.loads(pickle.dumps(kind("what", cure="how")))
    assert type(back) is kind
    assert (back.message, back.cure) == ("what", "how")
