"""Where answers go: JSON and text to stdout, progress and remarks to stderr."""

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from retrograph.models import Hit, SearchResult

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN_WIDTH = 10_000


def show(renderable: Any) -> None:
    """Prints text or a table on stdout; outside a terminal without colours, and no line is broken."""
    console = _console(is_error=False)
    with console.capture() as captured:
        console.print(renderable)
    # Not by the console itself, which answers a closed pipe with an exit code of its own.
    sys.stdout.write(captured.get())


def remark(text: str) -> None:
    """One line for the person, on stderr."""
    sys.stderr.write(f"{visible(text)}\n")
    sys.stderr.flush()


def visible(text: str) -> str:
    """The text with control characters made visible: a memory must not steer the reader's terminal."""
    return "".join(_shown(letter) for letter in text)


def jsonable(value: Any) -> Any:
    """Dataclasses of `retrograph.models`, or a list of them, as JSON can say it; times as ISO 8601 in UTC."""
    from pydantic import TypeAdapter

    kind = cast(type[Any], type(value))
    return TypeAdapter[Any](kind).dump_python(value, mode="json")


def print_json(value: Any) -> None:
    """One JSON document on stdout, always ending in a line break; indented for a terminal."""
    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not is_utf8, indent=2 if sys.stdout.isatty() else None)
    sys.stdout.write(text + "\n")


def search_answer(result: SearchResult, *, with_terms: bool) -> dict[str, Any]:
    """A recall's answer as `search --json` prints it: a result is the memory with its relevance and path."""
    answer = {
        "query": result.query,
        "results": [hit_answer(hit, with_terms=with_terms) for hit in result.hits],
        "omitted": result.omitted,
        "tokens": result.tokens,
        "took_ms": result.took_ms,
        "weights": dict(result.weights),
    }
    return answer if result.text is None else {**answer, "text": result.text}


def hit_answer(hit: Hit, *, with_terms: bool) -> dict[str, Any]:
    """One result: the memory's own fields, then why it was recalled."""
    why: dict[str, Any] = jsonable(hit)
    memory: dict[str, Any] = why.pop("memory")
    if not with_terms:
        del why["terms"]
    return {**memory, **why}


@contextmanager
def progress(label: str, *, total: int | None = None, unit: str = "") -> Generator[Callable[[int, int | None], None]]:
    """A progress bar on stderr where that is a terminal, else nothing.

    Args:
        label: What is being done.
        total: How much there is to do; None where that is not known yet.
        unit: `bytes` shows sizes; else numbers.

    Yields:
        To be called with what is done so far, and the total where it changed (else None).
    """
    if not sys.stderr.isatty():
        yield lambda done, total=None: None
        return
    from rich import progress as bars

    amount = [bars.DownloadColumn(), bars.TransferSpeedColumn()] if unit == "bytes" else [bars.MofNCompleteColumn()]
    columns = [bars.TextColumn("{task.description}"), bars.BarColumn(), *amount, bars.TimeRemainingColumn()]
    with bars.Progress(*columns, console=_console(is_error=True), transient=True) as bar:
        task = bar.add_task(label, total=total)

        def update(done: int, total: int | None = None) -> None:
            bar.update(task, completed=done)
            if total is not None:
                bar.update(task, total=total)

        yield update


@cache
def _invisible() -> dict[str, str]:
    shown = {chr(code): f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in (9, 10)}
    # Marks that turn the direction of writing can make a line read as something else.
    return shown | {chr(code): f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}


def _shown(letter: str) -> str:
    return _invisible().get(letter, letter)


def _console(*, is_error: bool) -> "Console":
    from rich.console import Console

    stream = sys.stderr if is_error else sys.stdout
    return Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not stream.isatty(),
        width=None if stream.isatty() else _PLAIN_WIDTH,
    )
