"""Logs as JSON: one line a record, and no word of a memory in it."""

import json
import logging

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from retrograph import errors
from retrograph.server.logs import log_to_stderr

pytestmark = pytest.mark.usefixtures("logging_as_before")
SECRET = "Zanzibar 秘密"


@pytest.fixture
def lines(capsys):
    """What was logged so far, parsed."""

    def read():
        captured = capsys.readouterr()
        assert captured.out == ""
        return [json.loads(line) for line in captured.err.splitlines()]

    return read


def test_a_record_is_one_line_with_time_level_and_logger(lines):
    log_to_stderr("info", form="json")
    logging.getLogger("retrograph.graph.driver").info("%s: trying again in %.1f s", "recall", 0.5)
    (line,) = lines()
    assert line["message"] == "recall: trying again in 0.5 s"
    assert (line["level"], line["logger"]) == ("info", "retrograph.graph.driver")
    assert line["at"].endswith("+00:00")
    assert "trace_id" not in line


def test_a_line_break_in_what_is_logged_stays_in_its_line(lines):
    log_to_stderr("info", form="json")
    logging.getLogger("retrograph.server").warning("two\nlines 两行")
    assert [line["message"] for line in lines()] == ["two\nlines 两行"]


def test_a_record_carries_the_trace_it_belongs_to(lines):
    log_to_stderr("info", form="json")
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("test")
    with tracer.start_as_current_span("call") as span:
        logging.getLogger("retrograph.server").info("within")
    logging.getLogger("retrograph.server").info("outside")
    within, outside = lines()
    assert within["trace_id"] == trace.format_trace_id(span.get_span_context().trace_id)
    assert "trace_id" not in outside


def test_of_an_error_its_type_and_place_are_logged_and_not_its_words(lines):
    log_to_stderr("info", form="json")
    try:
        try:
            raise ValueError(f"Node already exists with content = {SECRET!r}")
        except ValueError as cause:
            raise errors.ConstraintViolated(f"met {SECRET}") from cause
    except errors.ConstraintViolated as error:
        logging.getLogger("retrograph.server").error("failed call, reference %s", "abc", exc_info=error)
        logging.getLogger("retrograph.server").warning("jobs wait: %s", error)
    first, second = lines()
    assert SECRET not in json.dumps([first, second], ensure_ascii=False)
    assert first["message"] == "failed call, reference abc"
    assert (first["error"]["type"], first["error"]["code"]) == ("ConstraintViolated", "constraint")
    assert first["error"]["cause"]["type"] == "ValueError"
    assert any("test_logs.py" in frame for frame in first["error"]["stack"])
    assert second["message"] == "jobs wait: constraint"


def test_code_of_the_database_is_logged_and_no_other(lines):
    class FromElsewhereError(Exception):
        code: object = None

    log_to_stderr("info", form="json")
    for code in ("Neo.ClientError.Statement.EntityNotFound", SECRET, 404):
        error = FromElsewhereError(SECRET)
        error.code = code
        logging.getLogger("retrograph.server").error(
            "failed call, reference %s", "abc", exc_info=(type(error), error, None)
        )
    assert [line["error"].get("code") for line in lines()] == ["Neo.ClientError.Statement.EntityNotFound", None, None]


def test_words_about_the_installation_are_logged(lines):
    log_to_stderr("info", form="json")
    error = errors.EngineUnavailable("bolt://127.0.0.1:7687 does not answer", cure="Start it.")
    logging.getLogger("retrograph.server").warning("warming up failed: %s", error)
    assert lines()[0]["message"] == "warming up failed: bolt://127.0.0.1:7687 does not answer Start it."


def test_other_libraries_words_may_be_a_request_and_are_withheld(lines):
    log_to_stderr("info", form="json")
    logging.getLogger("mcp.server").warning(f"Failed to validate request: {SECRET}")
    logging.getLogger("uvicorn.error").warning("Invalid line %r", SECRET)
    logging.getLogger("neo4j.io").error("%s broke", "bolt://x")
    first, second = lines()
    assert SECRET not in json.dumps([first, second], ensure_ascii=False)
    assert "test_logs" in first["message"]
    assert second["message"] == "Invalid line %r"


def test_a_call_is_an_event_with_name_and_outcome(lines, caller_of, memory):
    log_to_stderr("info", form="json")
    call = caller_of(memory)
    call("memory_write", content=SECRET)
    call.error("memory_get", memory_id=SECRET)
    assert call.result(SECRET).is_error
    shown = lines()
    assert SECRET not in json.dumps(shown, ensure_ascii=False)
    calls = [(line["call"], line["outcome"]) for line in shown if "call" in line]
    assert calls == [("memory_write", "ok"), ("memory_get", "not_found"), ("unknown", "not_found")]
