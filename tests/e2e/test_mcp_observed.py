"""A running server watched from outside: metrics, JSON logs, traces; and no word of a memory in any of them."""

import asyncio
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from fastmcp import Client

from .test_mcp_http import Served

WORDS = ("Quetzalcoatlus", "翼龙化石", "paleo-archive", "fossil-curator")
TOLD = f"Remember that the {WORDS[0]} skull, {WORDS[1]}, is kept in the cold room."

TRACED = """
import asyncio, json, sys
from fastmcp import Client
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

kept = InMemorySpanExporter()
provider = TracerProvider(shutdown_on_exit=False)
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)

from retrograph.memory import open_memory
from retrograph.server import build_server

async def talk(memory, told, word):
    async with Client(build_server(memory, warm=False)) as client:
        await client.call_tool("memory_write", {"content": told, "force": True})
        await client.call_tool("memory_search", {"query": word})
        await client.call_tool("memory_get", {"memory_id": word}, raise_on_error=False)
        await client.read_resource("entity://" + word)

with open_memory() as memory:
    asyncio.run(talk(memory, *sys.argv[1:]))
print(json.dumps([json.loads(span.to_json()) for span in kept.get_finished_spans()], ensure_ascii=False))
"""


@pytest.fixture
def watched(environment, tmp_path):
    settings = {
        "RETROGRAPH_LOG_FORMAT": "json",
        "RETROGRAPH_LOG_LEVEL": "info",
        "RETROGRAPH_BANK": environment["RETROGRAPH_BANK"] + "-" + WORDS[2],
        "RETROGRAPH_AGENT": WORDS[3],
    }
    server = Served(environment | settings, tmp_path / "server.log")
    yield server
    server.process.terminate()
    server.process.wait(timeout=60)


def test_metrics_and_logs_tell_what_was_done_and_no_word_of_it(watched):
    async def talk():
        async with Client(f"{watched.root}/mcp") as client:
            await client.call_tool("memory_write", {"content": TOLD, "force": True})
            found = await client.call_tool("memory_search", {"query": f"Where is the {WORDS[0]} skull?"})
            ids = [hit["id"] for hit in found.structured_content["hits"]]
            await client.call_tool("memory_feedback", {"useful": ids})
            await client.call_tool("memory_get", {"memory_id": WORDS[1]}, raise_on_error=False)
            stats = await client.read_resource("stats://bank")
            return ids, json.loads(stats[0].text)

    ids, stats = asyncio.run(talk())
    assert len(ids) == 1
    assert (stats["usage"]["searches"], stats["usage"]["hit_rate"], stats["usage"]["use_rate"]) == (1, 1, 1)
    assert stats["utilisation"] == 1
    metrics = httpx.get(f"{watched.root}/metrics").text
    for line in (
        'retrograph_calls_total{name="memory_search",outcome="ok"} 1.0',
        'retrograph_calls_total{name="memory_get",outcome="not_found"} 1.0',
        'retrograph_writes_total{outcome="stored"} 1.0',
        'retrograph_recalls_total{found="yes"} 1.0',
        'retrograph_feedback_total{mark="useful"} 1.0',
        'retrograph_query_seconds_count{query="recall"} ',
        'retrograph_recall_step_seconds_count{step="encode"} 1.0',
        "retrograph_database_up 1.0",
        "retrograph_transactions_total ",
        "process_resident_memory_bytes ",
    ):
        assert line in metrics
    log = watched.log.read_text("utf-8")
    events = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    calls = [(event["call"], event["outcome"]) for event in events if "call" in event]
    assert ("memory_search", "ok") in calls
    assert ("memory_get", "not_found") in calls
    for text in (metrics, log):
        assert not [word for word in (*WORDS, WORDS[0].lower()) if word in text]


def test_a_trace_goes_from_the_call_through_the_facade_to_the_query_without_a_word(environment):
    done = subprocess.run(
        [sys.executable, "-c", TRACED, TOLD, WORDS[0]], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    spans = {span["context"]["span_id"]: span for span in json.loads(done.stdout)}
    assert not [word for word in (*WORDS, WORDS[0].lower()) if word in done.stdout]

    def chain(name):
        span = next(each for each in spans.values() if each["name"] == name)
        names = [name]
        while span["parent_id"]:
            span = spans[span["parent_id"]]
            names.append(span["name"])
        return names

    call = "tools/call memory_search"
    # The last is the client's, whose trace the server took up.
    assert chain("query recall") == [
        "query recall",
        "memory recaller.search",
        "memory search",
        call,
        f"MCP send {call}",
    ]
    assert "tools/call memory_write" in chain("encode documents")
    ours = [span for span in spans.values() if not span["name"].startswith("MCP send ")]
    kept = {name for span in ours for name in span["attributes"]}
    assert kept <= {
        "mcp.method.name", "gen_ai.tool.name", "gen_ai.operation.name", "gen_ai.prompt.name", "db.system.name",
        "db.operation.name", "error.type",
    }  # fmt: skip


class _Collector(BaseHTTPRequestHandler):
    """Takes what an exporter sends."""

    def do_POST(self):
        self.server.paths.append(self.path)
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.server.came.set()

    def log_message(self, *_):
        """Says nothing."""


@pytest.fixture
def collector():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Collector)
    server.paths, server.came = [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_traces_are_sent_where_the_settings_say(environment, collector, tmp_path):
    url = f"http://127.0.0.1:{collector.server_address[1]}"
    served = Served(environment | {"RETROGRAPH_SERVER_TRACES_URL": url}, tmp_path / "server.log")

    async def talk():
        async with Client(f"{served.root}/mcp") as client:
            await client.call_tool("memory_search", {"query": "anything 什么"})

    try:
        asyncio.run(talk())
    finally:
        served.process.terminate()
        served.process.wait(timeout=60)
    assert collector.came.wait(30), served.log.read_text("utf-8")
    assert set(collector.paths) == {"/v1/traces"}
