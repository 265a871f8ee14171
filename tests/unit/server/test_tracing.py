"""Spans: from the call through the facade to the query, without a word of a caller; sent nowhere unless asked."""

import json
import sys
from itertools import pairwise

import fastmcp
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from retrograph import errors, watching
from retrograph.errors import SettingsError
from retrograph.server.tracing import send_traces

SECRET = "Zanzibar 秘密"


@pytest.fixture
def spans(monkeypatch):
    """What was traced, by name."""
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(watching, "_tracer", provider.get_tracer("retrograph"))
    return lambda: {span.name: span for span in kept.get_finished_spans()}


def test_a_call_is_one_trace_down_to_the_query(call, spans):
    call("memory_search", query=SECRET)
    found = spans()
    chain = ["query recall", "memory recaller.search", "tools/call memory_search"]
    for child, parent in pairwise(chain):
        assert found[child].parent.span_id == found[parent].context.span_id
    assert found[chain[-1]].parent is None
    assert found[chain[-1]].attributes["gen_ai.tool.name"] == "memory_search"


def test_no_span_holds_a_word_of_a_caller_or_of_an_error(call, spans, memory):
    call("memory_write", content=SECRET, tags=[SECRET])
    call("memory_search", query=SECRET)
    call.error("memory_get", memory_id=SECRET)
    memory.shelf.failures["search"] = RuntimeError(f"failed on {SECRET}")
    call.error("memory_search", query=SECRET)
    shown = json.dumps([json.loads(span.to_json()) for span in spans().values()], ensure_ascii=False)
    assert "Zanzibar" not in shown
    assert "秘密" not in shown
    assert spans()["tools/call memory_get"].attributes["error.type"] == "not_found"
    assert not spans()["tools/call memory_get"].events


def test_the_trace_of_a_client_is_taken_up(call, spans):
    parent = f"00-{'ab' * 16}-{'cd' * 8}-01"
    call.ask(lambda client: client.call_tool("memory_search", {"query": "x"}, meta={"traceparent": parent}))
    span = spans()["tools/call memory_search"]
    assert f"{span.context.trace_id:032x}" == "ab" * 16
    assert f"{span.parent.span_id:016x}" == "cd" * 8


def test_fastmcp_makes_no_spans_of_its_own(call):
    assert fastmcp.settings.telemetry_mode == "propagation_only"


def test_nothing_is_sent_unless_the_settings_say_where(memory, monkeypatch):
    monkeypatch.setattr("opentelemetry.trace.set_tracer_provider", pytest.fail)
    send_traces(memory.settings)


def test_a_missing_package_is_named_with_a_cure(make_memory, monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(SettingsError, match="traces_url") as raised:
        send_traces(make_memory(server={"traces_url": "http://127.0.0.1:4318"}).settings)
    assert "retrograph[otel]" in raised.value.cure


def test_a_step_tells_its_watchers_and_an_error_s_code_alone(spans):
    told = []

    class Watching:
        def begun(self, step):
            told.append(("begun", step.name))

        def finished(self, step):
            told.append((step.name, step.error, step.result))

    with watching.watched_by(Watching()):
        with watching.step("memory", "stats") as done:
            done.result = 3
        with pytest.raises(errors.NotFound), watching.step("query", "get_memory"):
            raise errors.NotFound(f"no {SECRET}")
    with watching.step("memory", "unseen"):
        pass
    assert told == [("begun", "stats"), ("stats", None, 3), ("begun", "get_memory"), ("get_memory", "not_found", None)]
    assert spans()["query get_memory"].status.description is None
