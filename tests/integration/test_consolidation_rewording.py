"""Summaries worded by an endpoint: what it says is checked, and without it the sources' own words stand."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from retrograph.consolidation import ConsolidationReport, rewording

from .conftest import Garden, ask
from .test_consolidation import changes, consolidate
from .test_consolidation_jobs import LATE, _episode, _harbour


class Endpoint:
    """An OpenAI-compatible server that gives the answers it is told to, the last one again and again."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked.append(json.loads(body) | {"path": self.path})
                outer.keys.append(self.headers.get("Authorization"))
                status, told = outer.answers[min(len(outer.asked), len(outer.answers)) - 1]
                data = json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is told."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    @property
    def spec(self) -> str:
        return f"openai:http://127.0.0.1:{self.server.server_address[1]}/v1#stub"

    def says(self, *texts: str) -> None:
        self.answers = [(200, {"choices": [{"message": {"content": text}}]}) for text in texts]

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A server of this machine alone."""
    monkeypatch.setattr(rewording, "_PAUSE_S", 0.0)
    made = Endpoint()
    yield made
    made.close()


def summarised(garden: Garden, endpoint: Endpoint, **more: Any) -> ConsolidationReport:
    settings = {"summary_model": endpoint.spec, "summary_api_key": "a-secret-key"} | more.pop("settings", {})
    return consolidate(garden, "summarise", now=LATE, settings=settings, **more)


def _text(garden: Garden, report: ConsolidationReport) -> str:
    ((_, summary, _, _),) = changes(report)
    return garden.get(summary).memory.content


def _counts(report: ConsolidationReport) -> dict[str, int]:
    return dict(next(job.counts for job in report.jobs if job.job == "summarise"))


def _chinese(garden: Garden) -> list[str]:
    return garden.plant_all(
        [
            _episode(garden, f"李雷检查了渲染队列第{n}号节点。", n, "渲染队列", f"节点{n}", language="zh")
            for n in range(5)
        ]
    )


def _mixed(garden: Garden) -> list[str]:
    return garden.plant_all(
        [
            _episode(garden, f"李雷检查了 render queue 的 node {n}。", n, "render queue", f"node{n}", language="mixed")
            for n in range(5)
        ]
    )


@pytest.mark.parametrize(
    ("planted", "kept", "dropped"),
    [
        (_harbour, "The crane at the harbour moved load 2.", "Pirates sank the ferry in 1911."),
        (_chinese, "李雷检查了渲染队列的节点。", "王芳升级了数据库。"),
        (_mixed, "李雷检查了 render queue 的 node。", "Kubernetes 集群在 1911 年崩溃。"),
    ],
)
def test_summary_is_worded_by_the_endpoint_without_what_sources_do_not_say(
    garden: Garden, endpoint: Endpoint, planted: Callable[[Garden], Sequence[str]], kept: str, dropped: str
) -> None:
    ids = planted(garden)
    endpoint.says(f"{kept} {dropped}")
    report = summarised(garden, endpoint)
    text = _text(garden, report)
    assert text.endswith(f": {kept}") or text.endswith(f"：{kept}")
    assert _counts(report) == {"worded by the model": 1}
    (asked,) = endpoint.asked
    assert (asked["path"], asked["model"]) == ("/v1/chat/completions", "stub")
    assert endpoint.keys == ["Bearer a-secret-key"]
    memories = asked["messages"][1]["content"]
    assert all(garden.get(i).memory.content in memories for i in ids)
    ((_, summary, sources, _),) = changes(report)
    assert sources == tuple(sorted(ids))
    told = ask(garden.graph, "MATCH (m:Memory {id: $id}) RETURN m.worded_by AS by", id=summary)
    assert told == [{"by": endpoint.spec}]
    assert summarised(garden, endpoint).changed == 0
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize(
    ("answers", "reason", "asked"),
    [
        ([(500, {})], "the endpoint answered HTTP 500", 3),
        ([(401, {})], "the endpoint answered HTTP 401", 1),
        ([(200, {"choices": []})], "the endpoint's answer is no chat completion", 1),
        ([(200, ["?"])], "the endpoint's answer is no chat completion", 1),
        ([(200, {"choices": [{"message": {"content": None}}]})], "the endpoint's answer is no chat completion", 1),
        (
            [(200, {"choices": [{"message": {"content": "Pirates sank it. 海盗来了。"}}]})],
            "its sources bear out no sentence of the answer",
            1,
        ),
    ],
)
def test_own_words_stand_where_the_endpoint_fails_and_the_report_says_why(
    garden: Garden, endpoint: Endpoint, answers: list[tuple[int, Any]], reason: str, asked: int
) -> None:
    _harbour(garden)
    endpoint.answers = answers
    report = summarised(garden, endpoint)
    assert _text(garden, report).startswith("From 1 March 2026 to 6 March 2026, about Harbour (6 memories): The crane")
    assert _counts(report) == {f"in their own words: {reason}": 1}
    assert len(endpoint.asked) == asked


def test_endpoint_that_is_not_there_is_asked_once_and_all_is_summarised(garden: Garden, endpoint: Endpoint) -> None:
    _harbour(garden)
    _chinese(garden)
    endpoint.close()
    report = summarised(garden, endpoint)
    assert len(changes(report)) == 2
    assert _counts(report) == {"in their own words: the endpoint cannot be reached": 2}


def test_endpoint_that_had_trouble_is_asked_again(garden: Garden, endpoint: Endpoint) -> None:
    _harbour(garden)
    endpoint.says("The crane at the harbour moved load 3.")
    endpoint.answers = [(503, {}), *endpoint.answers]
    report = summarised(garden, endpoint)
    assert _text(garden, report).endswith("(6 memories): The crane at the harbour moved load 3.")


def test_nothing_is_asked_in_a_dry_run_or_where_no_endpoint_is_named(garden: Garden, endpoint: Endpoint) -> None:
    _harbour(garden)
    endpoint.says("The crane at the harbour moved load 3.")
    dry = summarised(garden, endpoint, dry_run=True)
    assert endpoint.asked == []
    report = summarised(garden, endpoint, settings={"summary_model": None})
    assert endpoint.asked == []
    assert changes(dry) == changes(report)
    assert _counts(report) == {}
