"""Warming up, and `/health/live` and `/health/ready`, which say how far it is."""

import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from retrograph import errors

if TYPE_CHECKING:
    from retrograph.memory import Memory

_log = logging.getLogger("retrograph.server")

_OK = "ok"
_STARTING = "starting"
_CHECKS = ("engine", "schema", "encoder")
# An answer is good for this long: anybody may ask, and asking must not load the database.
_FRESH_S = 1.0


class Readiness:
    """Loads the models and connects in the background, and knows whether calls can be served.

    Args:
        memory: What is warmed and asked.
    """

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._warming: threading.Thread | None = None
        self._is_warm = False
        self._failure: Exception | None = None
        self._checked_at = float("-inf")
        self._checks: Mapping[str, str] = dict.fromkeys(_CHECKS, _STARTING)

    @property
    def routes(self) -> Mapping[str, Callable[[Request], Awaitable[Response]]]:
        """The health endpoints by path. They ask for no token and tell nothing but words."""
        return {"/health/live": self._live, "/health/ready": self._ready}

    def start(self) -> None:
        """Begins to warm up, unless that is under way or done; returns at once."""
        with self._lock:
            if self._is_warm or (self._warming and self._warming.is_alive()):
                return
            # A daemon: a server told to stop does not wait for models it will not use.
            self._warming = threading.Thread(target=self._warm, name="warm", daemon=True)
            self._warming.start()

    def check(self) -> Mapping[str, str]:
        """The state of engine, schema and encoder: `ok`, `starting`, or the code of what is wrong."""
        with self._lock:
            if time.monotonic() - self._checked_at < _FRESH_S:
                return self._checks
        checks = self._asked()
        with self._lock:
            self._checks, self._checked_at = checks, time.monotonic()
        return checks

    def _warm(self) -> None:
        try:
            self._memory.warm()
        except errors.RetrographError as error:
            # Not fatal: the engine may come later, and every call says what is wrong meanwhile.
            _log.warning("warming up failed: %s", error)
            self._failure = error
        else:
            self._failure, self._is_warm = None, True

    def _asked(self) -> Mapping[str, str]:
        if not self._is_warm:
            failure = self._failure
            self.start()
            return _states(failure, others=_STARTING)
        try:
            self._memory.check()
        except errors.RetrographError as error:
            return _states(error, others=_OK)
        return dict.fromkeys(_CHECKS, _OK)

    async def _live(self, _: Request) -> Response:
        return JSONResponse({"status": "live"})

    async def _ready(self, _: Request) -> Response:
        checks = await anyio.to_thread.run_sync(self.check, abandon_on_cancel=True)
        is_ready = all(state == _OK for state in checks.values())
        return JSONResponse(
            {"status": "ready" if is_ready else "not ready", "checks": dict(checks)},
            status_code=200 if is_ready else 503,
        )


def _states(failure: Exception | None, *, others: str) -> Mapping[str, str]:
    states: dict[str, str] = dict.fromkeys(_CHECKS, others)
    if isinstance(failure, errors.SchemaOutdated):
        states["schema"] = failure.code
    elif isinstance(failure, errors.EncoderError | errors.ExtractionError):
        states["encoder"] = failure.code
    elif isinstance(failure, errors.RetrographError):
        states["engine"] = failure.code
    return states
