"""The vocabulary: every type has a layer, audiences never meet, results are frozen."""

import dataclasses
from enum import StrEnum

import pytest

from retrograph import models
from retrograph.models import Identity, MemoryType, Scope, SearchFilter, Source, Status, token

_CLASSES = [c for c in vars(models).values() if isinstance(c, type) and dataclasses.is_dataclass(c)]
_ENUMS = [c for c in vars(models).values() if isinstance(c, type) and issubclass(c, StrEnum) and c is not StrEnum]


@pytest.mark.parametrize("kind", MemoryType)
def test_every_type_lives_in_a_layer(kind: MemoryType) -> None:
    assert kind.layer.value in {"episodic", "semantic", "procedural"}


@pytest.mark.parametrize("source", Source)
def test_every_source_has_a_confidence(source: Source) -> None:
    assert 0 < source.default_confidence <= 1


def test_a_person_is_trusted_more_than_a_tool_and_a_tool_more_than_an_inference() -> None:
    user, tool, inference = (s.default_confidence for s in (Source.USER, Source.TOOL, Source.INFERENCE))
    assert user > tool > inference


@pytest.mark.parametrize("kind", _CLASSES, ids=lambda kind: kind.__name__)
def test_every_model_is_frozen_slotted_and_documented(kind: type) -> None:
    assert kind.__dataclass_params__.frozen  # pyright: ignore[reportAttributeAccessIssue]
    assert "__slots__" in vars(kind)
    assert kind.__doc__
    assert not kind.__doc__.startswith(f"{kind.__name__}("), "the docstring is the one dataclasses make up"


@pytest.mark.parametrize("kind", _ENUMS, ids=lambda kind: kind.__name__)
def test_every_word_of_a_vocabulary_is_lower_case(kind: type[StrEnum]) -> None:
    assert [word.value for word in kind if not word.value.replace("_", "").isalpha() or not word.value.islower()] == []


def test_reader_hears_everyone_their_team_and_themselves_only() -> None:
    ann = Identity("b", user="ann", agent="helper", team="red")
    assert {ann.audience(scope) for scope in Scope} <= set(ann.audiences)
    assert ann.audience(Scope.PRIVATE) not in Identity("b", user="bob", agent="helper", team="red").audiences
    assert ann.audience(Scope.TEAM) not in Identity("b", user="ann", team="blue").audiences
    assert ann.audience(Scope.GLOBAL) in Identity("b").audiences


def test_user_agent_and_team_of_one_name_are_three_audiences() -> None:
    user, agent = Identity("b", user="x"), Identity("b", agent="x")
    team = Identity("b", team="x")
    tokens = {user.audience(Scope.PRIVATE), agent.audience(Scope.PRIVATE), team.audience(Scope.TEAM)}
    assert len(tokens) == 3


def test_name_that_looks_like_the_token_of_everyone_is_private() -> None:
    everyone = Identity("b").audience(Scope.GLOBAL)
    for name in ("g", "", "ug", everyone):
        if name:
            assert Identity("b", user=name).audience(Scope.PRIVATE) != everyone


def test_nobody_to_keep_it_from_makes_private_global() -> None:
    assert Identity("b").audience(Scope.PRIVATE) == Identity("b").audience(Scope.GLOBAL)
    assert Identity("b").default_scope is Scope.GLOBAL
    assert Identity("b", agent="a").default_scope is Scope.PRIVATE


@pytest.mark.parametrize("name", ["José", "jose", "José ", "JOSÉ", "何塞", "a-b", "a b"])
def test_token_is_injective_and_survives_an_analyzer(name: str) -> None:
    assert token(name).isalnum()
    assert token(name) == token(name).lower()
    assert bytes.fromhex(token(name)).decode() == name


def test_filter_asks_for_current_memories_unless_told_otherwise() -> None:
    assert tuple(SearchFilter().statuses) == (Status.ACTIVE,)
    assert not SearchFilter().deep
