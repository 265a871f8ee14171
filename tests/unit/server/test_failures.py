"""What a caller is told when something fails."""

import inspect
import logging

import pytest
from fastmcp.exceptions import McpError

from retrograph import errors
from retrograph.server.failures import failure_of

SECRETS = "MATCH (m:Memory) /home/ann/.local/share/retrograph bolt://10.0.0.7:7687 password123"
EVERY_ERROR = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.RetrographError) and kind is not errors.RetrographError
]
OWN_WORDS = {errors.InvalidInput, errors.NotFound, errors.Refused, errors.Conflict}


@pytest.mark.parametrize("kind", EVERY_ERROR, ids=lambda kind: kind.__name__)
def test_every_error_has_a_code_a_cause_and_a_cure_for_the_caller(kind):
    failure = failure_of(kind("what is wrong", cure="what to do"))
    assert failure.code == kind.code != "internal"
    assert failure.message
    assert failure.cure
    assert failure.retryable == kind.retryable


@pytest.mark.parametrize("kind", [kind for kind in EVERY_ERROR if kind not in OWN_WORDS], ids=lambda k: k.__name__)
def test_errors_of_the_machine_are_told_without_their_words_and_logged_with_the_reference(call, caplog, kind):
    call.memory.shelf.failures["search"] = kind(SECRETS, cure=SECRETS)
    with caplog.at_level(logging.ERROR, "retrograph.server"):
        facts, text = call.error("memory_search", query="x")
    assert facts["code"] == kind.code
    assert not [word for word in SECRETS.split() if word in text]
    assert "Traceback" not in text
    assert facts["reference"] in text
    assert facts["reference"] in caplog.text
    assert "MATCH" in caplog.text


def test_an_unforeseen_error_is_masked_and_logged_under_its_reference(call, caplog):
    call.memory.shelf.failures["get"] = RuntimeError(SECRETS)
    with caplog.at_level(logging.ERROR, "retrograph.server"):
        facts, text = call.error("memory_get", memory_id="x")
    assert facts["code"] == "internal"
    assert text == f"internal: Internal error; the server's log has it. (reference {facts['reference']})"
    assert facts["reference"] in caplog.text
    assert SECRETS in caplog.text


@pytest.mark.parametrize("error", [TimeoutError(SECRETS), OSError(SECRETS), ValueError(SECRETS), KeyError(SECRETS)])
def test_no_builtin_error_says_more_than_internal(call, error):
    call.memory.shelf.failures["write"] = error
    facts, text = call.error("memory_write", content="x")
    assert facts["code"] == "internal"
    assert "MATCH" not in text


def test_a_refusal_carries_its_scores(call):
    call.memory.shelf.failures["write"] = errors.Refused("no.", cure="force.", scores={"salience": 0.123456})
    facts, _ = call.error("memory_write", content="x")
    assert facts["scores"] == {"salience": 0.1235}


def test_messages_are_cut_and_made_sound(call):
    call.memory.shelf.failures["get"] = errors.NotFound("no memory \ud800" + "x" * 5000, cure="Search.")
    facts, text = call.error("memory_get", memory_id="x")
    assert facts["code"] == "not_found"
    assert len(text) < 700
    assert "no memory ?" in text


def test_an_unknown_tool_is_an_error_result(call):
    result = call.result("memory_destroy")
    assert result.is_error
    assert "Unknown tool" in result.content[0].text


def test_a_resource_of_no_memory_is_a_protocol_error_with_its_code(call):
    async def read(client):
        return await client.read_resource("memory://nowhere")

    with pytest.raises(McpError, match="not_found: no memory"):
        call.ask(read)


def test_a_broken_resource_and_prompt_are_masked(call):
    call.memory.shelf.failures |= {"stats": RuntimeError(SECRETS), "search": RuntimeError(SECRETS)}

    async def read(client):
        return await client.read_resource("stats://bank")

    async def prompt(client):
        return await client.get_prompt("recall_context", {"topic": "x"})

    for question in (read, prompt):
        with pytest.raises(McpError, match=r"internal: .*reference") as raised:
            call.ask(question)
        assert "MATCH" not in str(raised.value)
