"""`/metrics`: what the server does, in numbers for Prometheus.

Labels are words of the code (a tool, an outcome, an error's code, a step): never a bank, a user, or a memory's words,
which whoever reads metrics need not see, and which would make a time series of each.
"""

import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

import anyio.to_thread
import psutil
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, Summary, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from retrograph.errors import RetrographError
from retrograph.models import Load, Outcome, SearchResult, WriteResult
from retrograph.server.identity import Right, grant_of_token
from retrograph.server.peers import is_this_machine

if TYPE_CHECKING:
    from retrograph.memory import Memory
    from retrograph.watching import Step

_log = logging.getLogger("retrograph.server")

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_FRESH_S = 15.0
"""How long what the database counted is good for: whoever scrapes must not load it."""

_WHY = {
    "admin": "/metrics needs a token with the right admin.\n",
    "loopback": "/metrics needs a token with the right admin, or a request from this machine, past no proxy.\n",
}

_recall_parts: ContextVar[dict[str, float] | None] = ContextVar("retrograph_recall_parts", default=None)


class Metrics:
    """Counts what is done; a `Watcher` of every call and of the job worker.

    Args:
        memory: Whose database is looked at when somebody asks.
    """

    def __init__(self, memory: "Memory") -> None:
        self._access = memory.settings.server.metrics
        self.registry = CollectorRegistry()

        def named(kind: Any, name: str, what: str, *labels: str, **more: Any) -> Any:
            return kind(f"retrograph_{name}", what, labels, registry=self.registry, **more)

        self._calls = named(Counter, "calls", "Calls of tools, resources and prompts", "name", "outcome")
        self._call_seconds = named(Histogram, "call_seconds", "Time of a call", "name", buckets=_SECONDS)
        self._writes = named(Counter, "writes", "What the gate made of writes", "outcome")
        self._recalls = named(Counter, "recalls", "Recalls, by whether they found something", "found")
        self._hits = named(Counter, "hits", "Memories that recalls found")
        self._feedback = named(Counter, "feedback", "Hits that were marked", "mark")
        self._recall_seconds = named(Histogram, "recall_seconds", "Time of a recall", buckets=_SECONDS)
        self._step_seconds = named(
            Histogram, "recall_step_seconds", "Time of a recall's steps", "step", buckets=_SECONDS
        )
        self._query_seconds = named(Summary, "query_seconds", "Time of a transaction", "query")
        self._query_errors = named(Counter, "query_errors", "Transactions that failed", "error")
        self._encode_seconds = named(Histogram, "encode_seconds", "Time of the encoder", "what", buckets=_SECONDS)
        for outcome in Outcome:
            self._writes.labels(outcome.value)
        for label in ("yes", "no"):
            self._recalls.labels(label)
        for label in ("useful", "not_useful"):
            self._feedback.labels(label)
        self.registry.register(_Database(memory))
        ProcessCollector(registry=self.registry)

    @property
    def routes(self) -> Mapping[str, Callable[[Request], Awaitable[Response]]]:
        """The endpoint by path; none where nobody may ask."""
        return {} if self._access == "off" else {"/metrics": self._answer}

    def text(self) -> bytes:
        """All numbers, in the form that Prometheus reads."""
        return generate_latest(self.registry)

    def begun(self, step: "Step") -> None:
        """A recall adds up its parts."""
        if step.name == "recaller.search":
            _recall_parts.set({})

    def finished(self, step: "Step") -> None:
        """Counts what was done."""
        match step.layer:
            case "tool":
                self._calls.labels(step.name, step.error or "ok").inc()
                self._call_seconds.labels(step.name).observe(step.seconds)
            case "query":
                self._query_seconds.labels(step.name).observe(step.seconds)
                if step.error:
                    self._query_errors.labels(step.error).inc()
                self._is_part("query", step.seconds)
            case "encode":
                self._encode_seconds.labels(step.name).observe(step.seconds)
                self._is_part("encode", step.seconds)
            case "memory":
                self._done(step)

    def marked(self, *, useful: int, not_useful: int) -> None:
        """Counts feedback."""
        self._feedback.labels("useful").inc(useful)
        self._feedback.labels("not_useful").inc(not_useful)

    def _done(self, step: "Step") -> None:
        if step.name == "writer.store" and not step.error:
            for result in cast(Sequence[WriteResult], step.result):
                self._writes.labels(result.outcome.value).inc()
        elif step.name == "recaller.search":
            parts = _recall_parts.get() or {}
            _recall_parts.set(None)
            if step.error:
                return
            found = cast(SearchResult, step.result).hits
            self._recalls.labels("yes" if found else "no").inc()
            self._hits.inc(len(found))
            self._recall_seconds.observe(step.seconds)
            for name, seconds in parts.items():
                self._step_seconds.labels(name).observe(seconds)
            self._step_seconds.labels("rest").observe(max(0.0, step.seconds - sum(parts.values())))

    def _is_part(self, name: str, seconds: float) -> None:
        parts = _recall_parts.get()
        if parts is not None:
            parts[name] = parts.get(name, 0.0) + seconds

    async def _answer(self, request: Request) -> Response:
        grant = grant_of_token()
        is_known = grant is not None and grant.may(Right.ADMIN)
        if not is_known and not (self._access == "loopback" and is_this_machine(request)):
            return PlainTextResponse(_WHY[self._access], status_code=403)
        body = await anyio.to_thread.run_sync(self.text)
        return Response(body, headers={"Content-Type": CONTENT_TYPE_LATEST})


class _Database(Collector):
    """What is asked when somebody reads: the database's counts, and this process's connections to it."""

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._asked_at = float("-inf")
        self._load: Load | None = None

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        load = self._asked()
        yield GaugeMetricFamily("retrograph_database_up", "1 where the database answered", value=float(bool(load)))
        yield GaugeMetricFamily("retrograph_tcp_connections", "Open TCP connections of this process", value=_sockets())
        if load is None:
            return
        for name, what in (
            ("jobs", "Jobs that are not finished"),
            ("turns", "Turns that wait in jobs"),
            ("memories", "Memories that are not archived"),
            ("archived", "Memories that are archived"),
            ("recalled", "Memories that are not archived and were ever recalled"),
        ):
            title = {"jobs": "jobs_waiting", "turns": "turns_waiting", "recalled": "memories_recalled"}.get(name, name)
            yield GaugeMetricFamily(f"retrograph_{title}", what, value=getattr(load, name))
        yield GaugeMetricFamily("retrograph_transactions_in_flight", "Transactions under way", value=load.in_flight)
        for name, what in (
            ("transactions", "Transactions begun"),
            ("retries", "Transactions tried again after a passing error"),
            ("reconnects", "Connections made anew because the database went away"),
        ):
            yield CounterMetricFamily(f"retrograph_{name}", what, value=getattr(load, name))

    def _asked(self) -> Load | None:
        with self._lock:
            if time.monotonic() - self._asked_at >= _FRESH_S:
                try:
                    self._load = self._memory.load()
                except RetrographError as error:
                    _log.info("the database was not counted: %s", error.code)
                    self._load = None
                self._asked_at = time.monotonic()
            return self._load


def _sockets() -> int:
    try:
        return sum(each.status == psutil.CONN_ESTABLISHED for each in psutil.Process().net_connections("tcp"))
    except psutil.Error:
        return 0
