"""The edge that every call passes: it is counted, traced and throttled, and what went wrong becomes an answer."""

import logging
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any

import mcp_types
from fastmcp.exceptions import NotFoundError, PromptError, ResourceError, ToolError, ValidationError
from fastmcp.prompts.base import PromptResult
from fastmcp.resources.base import ResourceResult
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import ToolResult
from pydantic import ValidationError as ArgumentsError

from retrograph.errors import RetrographError
from retrograph.models import Identity
from retrograph.server.arguments import screen
from retrograph.server.failures import CallFailed, Failure, failure_of, failure_of_arguments
from retrograph.server.identity import identity_of_request
from retrograph.server.metrics import Metrics
from retrograph.server.prompts import PROMPTS
from retrograph.server.resources import RESOURCES
from retrograph.server.throttle import Throttle
from retrograph.watching import Step, code_of, step, watched_by

_log = logging.getLogger("retrograph.server")

_SCHEMES = {uri.partition("://")[0] for uri in RESOURCES}
_UNKNOWN = "unknown"


class Edge(Middleware):
    """Where whatever went wrong becomes what a caller is told.

    Args:
        own: The server's own identity.
        metrics: Counts the calls.
        throttle: Says who calls too often; None lets everything pass.
        tools: Names of the tools: only these are told to metrics and traces, never a name that a caller made up.
    """

    def __init__(self, own: Identity, metrics: Metrics, throttle: Throttle | None, *, tools: Iterable[str]) -> None:
        self._own = own
        self._metrics = metrics
        self._throttle = throttle
        self._tools = frozenset(tools)

    async def on_call_tool(
        self,
        context: MiddlewareContext[mcp_types.CallToolRequestParams],
        call_next: CallNext[mcp_types.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Screens the arguments; turns a failure into an error result with cause, cure and code."""
        name = context.message.name if context.message.name in self._tools else _UNKNOWN
        known = {"gen_ai.tool.name": name, "gen_ai.operation.name": "execute_tool"}
        with self._call(name, "tools/call", known) as done:
            try:
                self._admit()
                screen(context.message.arguments or {})
                result = await call_next(context)
            except (ToolError, ValidationError, RetrographError) as error:
                return _told(error, done).result
            if name == "memory_feedback":
                self._metrics.marked(**_marks(context.message.arguments or {}))
            return result

    async def on_read_resource(
        self,
        context: MiddlewareContext[mcp_types.ReadResourceRequestParams],
        call_next: CallNext[mcp_types.ReadResourceRequestParams, ResourceResult],
    ) -> ResourceResult:
        """As for a tool; a resource's error is one of the protocol."""
        scheme = str(context.message.uri).partition("://")[0]
        name = f"{scheme if scheme in _SCHEMES else _UNKNOWN}://"
        with self._call(name, "resources/read", {}) as done:
            try:
                self._admit()
                return await call_next(context)
            except (ToolError, ResourceError, ValidationError) as error:
                raise ResourceError(_told(error, done).text) from None

    async def on_get_prompt(
        self,
        context: MiddlewareContext[mcp_types.GetPromptRequestParams],
        call_next: CallNext[mcp_types.GetPromptRequestParams, PromptResult],
    ) -> PromptResult:
        """As for a tool; a prompt's error is one of the protocol."""
        name = context.message.name if context.message.name in PROMPTS else _UNKNOWN
        with self._call(name, "prompts/get", {"gen_ai.prompt.name": name}) as done:
            try:
                self._admit()
                screen(context.message.arguments or {})
                return await call_next(context)
            except (ToolError, PromptError, ValidationError, RetrographError) as error:
                raise PromptError(_told(error, done).text) from None

    def _admit(self) -> None:
        if self._throttle:
            self._throttle.admit(identity_of_request(self._own))

    @contextmanager
    def _call(self, name: str, method: str, known: dict[str, str]) -> Generator[Step]:
        attributes = {"mcp.method.name": method, **known}
        with watched_by(self._metrics), step("tool", name, span=f"{method} {name}", attributes=attributes) as done:
            try:
                yield done
            except NotFoundError:
                # A tool, resource or prompt that there is not.
                done.error = "not_found"
                raise
            except BaseException as error:
                done.error = done.error or code_of(error)
                raise
            finally:
                event = {"event": {"call": name, "method": method, "outcome": done.error or "ok"}}
                _log.info("%s %s: %s", method, name, done.error or "ok", extra=event)


def _marks(arguments: Mapping[str, Any]) -> dict[str, int]:
    return {name: len(set(arguments.get(name) or ())) for name in ("useful", "not_useful")}


def _told(error: Exception, done: Step) -> Failure:
    failure = _failure(error)
    done.error = failure.code
    return failure


def _failure(error: Exception) -> Failure:
    cause = error.__cause__
    if isinstance(error, CallFailed):
        return error.failure
    if isinstance(error, ValidationError) and isinstance(cause, ArgumentsError):
        return failure_of_arguments(cause)
    return failure_of(cause if isinstance(cause, CallFailed) else error)
