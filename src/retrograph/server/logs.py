"""Logs on standard error: as text, or one JSON object a line, in which no words of memories stand."""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

from retrograph.errors import RetrographError
from retrograph.watching import trace_id

_FRAMEWORKS = ("fastmcp", "mcp", "uvicorn", "uvicorn.error", "uvicorn.access")
_WIRE = ("neo4j.io", "neo4j.pool")
_OURS = "retrograph"
_FRAMES = 12
_SAYS_NO_CONTENT = {
    "settings",
    "engine_install",
    "engine_unavailable",
    "engine_start",
    "engine_auth",
    "schema_outdated",
    "encoder",
    "cypher_file",
}
"""Codes of errors whose words are about the installation; those of others may quote what somebody wrote."""


def log_to_stderr(level: str, *, form: str = "plain") -> None:
    """Sends every log of this process to standard error, one line a record where it is JSON.

    Args:
        level: Least level.
        form: `plain`, or `json`.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonLines() if form == "json" else logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    )
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for name in _WIRE:
        # They tell of each connection that broke; what comes of it is told by us, as an error or as connecting again.
        logging.getLogger(name).setLevel(logging.CRITICAL if level != "debug" else logging.DEBUG)
    for name in _FRAMEWORKS:
        logger = logging.getLogger(name)
        # FastMCP brings a handler that draws boxes round its lines.
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(max(logging.WARNING, logging.getLevelNamesMapping()[level.upper()]))


class JsonLines(logging.Formatter):
    """One JSON object a record.

    Our own messages are written to hold no content. Of other libraries' only the template is passed on, since what
    they fill in may be a request; and of an error its type, its code and where it was raised, its words only where
    they are about the installation.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        is_ours = record.name.partition(".")[0] == _OURS
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record) if is_ours else _template(record),
        }
        event = getattr(record, "event", None)
        if is_ours and isinstance(event, dict):
            line |= event
        if trace := trace_id():
            line["trace_id"] = trace
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if error is not None:
            line["error"] = _error(error)
        return json.dumps(line, ensure_ascii=False, default=lambda value: type(value).__name__)


def _message(record: logging.LogRecord) -> str:
    """Our own message; an error among its arguments is named, not quoted, unless it is about the installation."""
    if not isinstance(record.args, tuple):
        return record.getMessage()
    return str(record.msg) % tuple(_said(each) if isinstance(each, BaseException) else each for each in record.args)


def _said(error: BaseException) -> str:
    if isinstance(error, RetrographError) and error.code in _SAYS_NO_CONTENT:
        return " ".join(str(error).split())
    return error.code if isinstance(error, RetrographError) else type(error).__name__


def _template(record: logging.LogRecord) -> str:
    if record.args and isinstance(record.msg, str):
        return record.msg
    return f"(words withheld) {record.module}.{record.funcName}:{record.lineno}"


def _error(error: BaseException) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    found: dict[str, Any] = {
        "type": type(error).__name__,
        "stack": [f"{frame.filename.rpartition('site-packages/')[2]}:{frame.lineno} {frame.name}" for frame in frames],
    }
    if isinstance(error, RetrographError):
        found["code"] = error.code
        if error.code in _SAYS_NO_CONTENT:
            found["message"] = error.message
    elif isinstance(code := getattr(error, "code", None), str) and code.startswith("Neo."):
        found["code"] = code  # the database's own, from a list of its manual
    if error.__cause__ is not None:
        found["cause"] = _error(error.__cause__)
    return found
