"""What a caller is told when something fails: cause, cure and code, and nothing of the machine behind it.

Errors a caller can mend are passed on in their own words. Errors only the operator can mend get a fixed
sentence and a reference id; the words, which may hold queries, paths or addresses, go to the log with it.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from mcp_types import TextContent
from pydantic import ValidationError

from retrograph import errors

_log = logging.getLogger("retrograph.server")

_MESSAGE_LIMIT = 600
_IN_THEIR_OWN_WORDS: tuple[type[errors.RetrographError], ...] = (
    errors.InvalidInput,
    errors.NotFound,
    errors.Refused,
    errors.Conflict,
)
_DOCTOR = "On the server's machine run `retrograph doctor`, which names the cure."
_FOR_THE_OPERATOR: Mapping[type[errors.RetrographError], tuple[str, str]] = {
    errors.SettingsError: ("A setting of the server cannot work.", _DOCTOR),
    errors.EngineInstallError: (
        "The database engine is not installed or could not be fetched.",
        "On the server's machine run `retrograph engine install`, then call again.",
    ),
    errors.EngineUnavailable: (
        "The database does not answer; nothing was stored by this call.",
        "Call again in a few seconds. If it stays so: " + _DOCTOR,
    ),
    errors.BankMoving: (
        "The bank is being moved to another database; nothing was stored by this call.",
        "Call again in a few seconds.",
    ),
    errors.BankMoved: (
        "The bank has been moved to another database; nothing was stored by this call.",
        "Start the server with the settings that the bank was moved to.",
    ),
    errors.OutcomeUnknown: (
        "The connection to the database was cut while it stored this; it may be stored or not.",
        "Call again: the same words are stored once.",
    ),
    errors.EngineStartError: (
        "The local database engine did not start; nothing was stored by this call.",
        _DOCTOR,
    ),
    errors.EngineAuthError: ("The database refuses the server's user name or password.", _DOCTOR),
    errors.SchemaOutdated: (
        "The database's schema and this server differ in version.",
        "On the server's machine run `retrograph migrate`, or use the newer Retrograph.",
    ),
    errors.ConstraintViolated: (
        "The write met another one of the same thing; nothing was stored by this call.",
        "Call again.",
    ),
    errors.CypherFileError: ("This installation of the server is damaged.", "Install Retrograph again."),
    errors.GraphError: ("The database answered with an error.", _DOCTOR),
    errors.ExtractionError: ("A language model of the server could not be loaded or run.", _DOCTOR),
    errors.EncoderMismatch: (
        "This bank was written with another encoder, so its vectors cannot be compared.",
        "On the server's machine run `retrograph reembed`, or set the encoder the bank was written with.",
    ),
    errors.EncoderError: ("The server's encoder could not be loaded or did not answer.", _DOCTOR),
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What the caller of a failed tool, resource or prompt is told.

    Args:
        code: Stable word for programs: the error's `code`, or `internal`.
        message: The cause, one sentence.
        cure: What the caller can do.
        retryable: The same call may succeed later.
        reference: Id under which the server's log holds the rest; None where the message is the whole of it.
        facts: Further facts for programs, such as the field's name or the gate's scores.
    """

    code: str
    message: str
    cure: str = ""
    retryable: bool = False
    reference: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def text(self) -> str:
        """The failure as a model reads it."""
        reference = f" (reference {self.reference})" if self.reference else ""
        return "\n".join(part for part in (f"{self.code}: {self.message}{reference}", self.cure) if part)

    @property
    def result(self) -> ToolResult:
        """The failure as a tool's result.

        The code is in `_meta`, not in the structured content: clients hold that against the output schema,
        even that of an error.
        """
        meta = {"code": self.code, "retryable": self.retryable, "reference": self.reference, **self.facts}
        return ToolResult(
            content=[TextContent(type="text", text=self.text)],
            meta={"retrograph/error": {name: value for name, value in meta.items() if value is not None}},
            is_error=True,
        )


class CallFailed(ToolError):  # noqa: N818  (it is not an error of its own: it carries one)
    """A failure on its way to the caller; the log has it already.

    Args:
        failure: What the caller is told.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text, log_level=logging.DEBUG)
        self.failure = failure


def failure_of(error: Exception) -> Failure:
    """What a caller is told of an error, by its type; what is withheld is logged under the reference id."""
    if isinstance(error, CallFailed):
        return error.failure
    if isinstance(error, _IN_THEIR_OWN_WORDS) and type(error) not in _FOR_THE_OPERATOR:
        return Failure(
            code=error.code,
            message=_clean(error.message),
            cure=_clean(error.cure),
            retryable=error.retryable,
            facts=_facts(error),
        )
    reference = uuid4().hex[:12]
    _log.error("failed call, reference %s", reference, exc_info=error)
    for kind in type(error).__mro__:
        if kind in _FOR_THE_OPERATOR and isinstance(error, errors.RetrographError):
            message, cure = _FOR_THE_OPERATOR[kind]
            return Failure(error.code, message, cure, error.retryable, reference)
    return Failure("internal", "Internal error; the server's log has it.", "", False, reference)


def failure_of_arguments(error: ValidationError) -> Failure:
    """What a caller is told of arguments that do not fit the tool's schema: each field, never its value."""
    found: list[str] = []
    fields: list[str] = []
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        name = ".".join(str(part) for part in fault["loc"]) or "arguments"
        fields.append(_clean(name))
        found.append(f"{_clean(name)}: {_said(fault['type'], fault['msg'])}")
    shown = "; ".join(found[:10])
    return Failure(
        "invalid_input",
        shown,
        "Nothing was done. Correct the argument as the tool's input schema says and call again.",
        facts={"field": fields[0] if fields else ""},
    )


def _said(kind: str, message: str) -> str:
    plain = {
        "unexpected_keyword_argument": "the tool has no such argument",
        "missing_argument": "is required",
        "missing_keyword_only_argument": "is required",
        "missing": "is required",
    }
    return plain.get(kind, _clean(message))


def _facts(error: errors.RetrographError) -> dict[str, Any]:
    if isinstance(error, errors.InvalidInput) and error.field:
        return {"field": error.field}
    if isinstance(error, errors.Refused) and error.scores:
        return {"scores": {name: round(value, 4) for name, value in error.scores.items()}}
    return {}


def _clean(text: str) -> str:
    """Text that every JSON reader takes, not longer than a caller wants to read."""
    sound = text.encode("utf-8", "replace").decode("utf-8")
    return sound if len(sound) <= _MESSAGE_LIMIT else sound[:_MESSAGE_LIMIT] + "…"
