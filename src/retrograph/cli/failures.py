"""How an error is told to whoever called the command: a sentence and its cure, or JSON, and an exit code."""

import json
import os
import sys
from typing import Any

import typer

from retrograph.errors import InvalidInput, Refused, RetrographError

USAGE = 2
INTERRUPTED = 130
PIPE_CLOSED = 141


def report(error: RetrographError, *, as_json: bool) -> int:
    """Tells of an error: on stderr as `error: …` and the cure, or with `as_json` as an object on stdout.

    Returns:
        The exit code.
    """
    if as_json:
        told: dict[str, Any] = {"code": error.code, "message": error.message, "cure": error.cure}
        if isinstance(error, InvalidInput) and error.field:
            told["field"] = error.field
        if isinstance(error, Refused) and error.scores:
            told["scores"] = error.scores
        _print_json(told)
    else:
        _print_text(error.message, error.cure)
    return error.exit_code


def report_usage(error: typer.TyperException, *, as_json: bool) -> int:
    """Tells of a command that was called wrongly.

    Returns:
        The exit code.
    """
    message = error.format_message().strip()
    context = getattr(error, "ctx", None)
    if not message:  # A bare `retrograph` has shown its help already.
        return USAGE
    command = context.command_path if context is not None else "retrograph"
    cure = f"`{command} --help` shows how it is called."
    if as_json:
        _print_json({"code": "usage", "message": message, "cure": cure})
    else:
        _print_text(message, cure)
    return USAGE


def stop_writing() -> int:
    """The reader of stdout has gone: what is still buffered goes nowhere, without a word.

    Returns:
        The exit code that a shell expects of a program ended by a closed pipe.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED


def _print_json(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"error": told}) + "\n")
    sys.stdout.flush()


def _print_text(message: str, cure: str) -> None:
    lines = [f"error: {message}", *([f"  {cure}"] if cure else [])]
    sys.stderr.write("\n".join(lines) + "\n")
