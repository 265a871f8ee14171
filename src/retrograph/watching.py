"""What happens inside, told to whoever watches: a span of a trace, and a note of how long it took and how it ended.

Names are the code's own (a method, a query's file, a step), never a caller's words: they end in traces and metrics.
Without a configured OpenTelemetry SDK a span is nothing, and without a watcher a note is not taken.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, StatusCode

from retrograph.errors import RetrographError

Layer = Literal["tool", "memory", "encode", "query"]

_tracer = trace.get_tracer("retrograph")


@dataclass(slots=True)
class Step:
    """One thing that was done.

    Args:
        layer: Where: a call of a tool, a method of the facade, an encoder, a query.
        name: Which of them.
        seconds: How long it took; 0 while it lasts.
        error: The code of the error that ended it; None where it ended well.
        result: What it answered, for those who count; it is in no span and no log.
    """

    layer: Layer
    name: str
    seconds: float = 0.0
    error: str | None = None
    result: Any = None


class Watcher(Protocol):
    """Who is told what is done while it watches."""

    def begun(self, step: Step) -> None:
        """A step begins."""
        ...

    def finished(self, step: Step) -> None:
        """A step has ended, well or not."""
        ...


_watchers: ContextVar[tuple[Watcher, ...]] = ContextVar("retrograph_watchers", default=())


@contextmanager
def watched_by(watcher: Watcher) -> Generator[None]:
    """Tells a watcher of all that is done in the block, in whichever thread its context goes on."""
    token = _watchers.set((*_watchers.get(), watcher))
    try:
        yield
    finally:
        _watchers.reset(token)


@contextmanager
def step(layer: Layer, name: str, *, span: str = "", attributes: dict[str, str] | None = None) -> Generator[Step]:
    """Does one step under a span of its own; an error passes through, and leaves its code, not its words.

    Args:
        layer: Where.
        name: Which; the span is called by both.
        span: Another name of the span.
        attributes: Further attributes of the span: words of the code, never of a caller.
    """
    done = Step(layer, name)
    started = time.perf_counter()
    with _tracer.start_as_current_span(
        span or f"{layer} {name}",
        kind=SpanKind.SERVER if layer == "tool" else SpanKind.CLIENT if layer == "query" else SpanKind.INTERNAL,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        watchers = _watchers.get()
        for watcher in watchers:
            watcher.begun(done)
        try:
            yield done
        except BaseException as error:
            done.error = done.error or code_of(error)
            raise
        finally:
            done.seconds = time.perf_counter() - started
            if done.error:
                _fail(current, done.error)
            for watcher in watchers:
                watcher.finished(done)


def code_of(error: BaseException) -> str:
    """A stable word for an error: its code, or the name of its type."""
    return error.code if isinstance(error, RetrographError) else type(error).__name__


def trace_id() -> str | None:
    """The id of the trace that is under way, 32 hexadecimal digits; None where there is none."""
    context = trace.get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else None


def _fail(span: Span, code: str) -> None:
    span.set_attribute("error.type", code)
    span.set_status(StatusCode.ERROR)
