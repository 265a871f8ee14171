"""Who a call speaks for, and that its arguments can only narrow it."""

import asyncio

import pytest

from retrograph.errors import InvalidInput
from retrograph.models import Identity
from retrograph.server.identity import BearerTokens, Grant, Right, identity_of_request, narrow

ANN = Identity(bank="atelier", agent="planner", user="ann", session=None)


def test_without_a_token_the_settings_speak(make_memory):
    memory = make_memory(bank="库", agent="a", user="u", session="s")
    assert identity_of_request(memory.identity) == Identity(bank="库", agent="a", user="u", session="s")


@pytest.mark.parametrize("named", [{}, {"bank": "atelier"}, {"user": "ann", "agent": "planner"}])
def test_naming_what_one_is_changes_nothing(named):
    assert narrow(ANN, **named) == ANN


def test_a_session_can_be_chosen_where_none_is_fixed():
    assert narrow(ANN, session="s1").session == "s1"


@pytest.mark.parametrize("name", ["bank", "agent", "user", "session"])
def test_naming_another_is_an_error(name):
    identity = Identity(bank="atelier", agent="planner", user="ann", session="s1")
    with pytest.raises(InvalidInput, match="another") as raised:
        narrow(identity, **{name: "other"})
    assert raised.value.field == name


@pytest.mark.parametrize("name", ["agent", "user"])
def test_naming_somebody_where_one_is_nobody_is_an_error(name):
    # Somebody sees private memories that nobody does not: that would widen, not narrow.
    with pytest.raises(InvalidInput):
        narrow(Identity(bank="atelier"), **{name: "ann"})


def test_a_call_from_a_fixed_session_cannot_write_into_another(make_memory, caller_of):
    call = caller_of(make_memory(session="s1"))
    facts, _ = call.error("memory_write", content="x", session="s2")
    assert (facts["code"], facts["field"]) == ("invalid_input", "session")
    facts, _ = call.error("memory_ingest", turns=[{"content": "a"}, {"content": "b", "session": "s2"}])
    assert facts["field"] == "session"
    assert not call.memory.shelf.memories
    call("memory_write", content="x", session="s1")
    assert [identity.session for name, identity, _ in call.memory.shelf.calls if name == "write"] == ["s1"]


def test_grants_survive_the_journey_through_claims():
    grant = Grant(Identity(bank="b", agent=None, user="u", team="t", session="s"), frozenset({Right.READ}))
    assert Grant.of_claims(grant.claims) == grant


def test_tokens_are_verified_by_hash_and_not_passed_on():
    tokens = BearerTokens({"correct horse": Grant(ANN), "第二个": Grant(Identity(bank="second"))})
    granted = asyncio.run(tokens.verify_token("第二个"))
    assert granted is not None
    assert granted.claims["bank"] == "second"
    assert "第二个" not in granted.model_dump_json()
    for wrong in ("", "correct", "correct horse ", "CORRECT HORSE", "\ud800"):
        assert asyncio.run(tokens.verify_token(wrong)) is None


def test_rights_are_asked_for_by_what_a_tool_does():
    reader = Grant(ANN, frozenset({Right.READ}))
    reader.require(Right.READ)
    with pytest.raises(InvalidInput, match="may not write"):
        reader.require(Right.WRITE)
