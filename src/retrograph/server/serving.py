"""Running the server: over stdio for one client, over streamable HTTP for many."""

import asyncio
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.middleware import Middleware

from retrograph.errors import SettingsError
from retrograph.server.app import build_server
from retrograph.server.jobs import working_on_jobs
from retrograph.server.logs import log_to_stderr
from retrograph.server.metrics import Metrics
from retrograph.server.peers import is_loopback
from retrograph.server.stdio import divert_stdin
from retrograph.server.throttle import Throttle
from retrograph.server.tracing import send_traces
from retrograph.server.verifiers import verifiers_of
from retrograph.settings import Settings

if TYPE_CHECKING:
    from fastmcp import FastMCP

    from retrograph.memory import Memory

MCP_PATH = "/mcp"


def serve(
    settings: Settings,
    *,
    transport: Literal["stdio", "http"] = "stdio",
    host: str | None = None,
    port: int | None = None,
) -> None:
    """Serves the memory that the settings name until the client hangs up or the process is told to stop.

    Standard output belongs to the protocol; logs go to standard error.

    Args:
        settings: Settings.
        transport: `stdio` for the one client that started this process, `http` for many.
        host: Address to bind; default: `settings.server.host`.
        port: Port to bind; 0 takes a free one and logs it; default: `settings.server.port`.

    Raises:
        SettingsError: The address cannot be bound, or may not be without a token, or keys cannot be read.
    """
    log_to_stderr(settings.log_level, form=settings.log_format)
    send_traces(settings)
    if transport == "http":
        _serve_http(settings, host or settings.server.host, settings.server.port if port is None else port)
        return
    end = divert_stdin()
    # Told to stop, the server ends as when its client hangs up: a reader that waits for input hears no signal.
    with _opened(settings) as memory, working_on_jobs(memory, metrics := Metrics(memory)), _on_signals(_ending(end)):
        asyncio.run(build_server(memory, metrics=metrics).run_stdio_async(show_banner=False))


def http_options(settings: Settings) -> dict[str, Any]:
    """How the HTTP application is made: no state between requests, and only known names answered.

    A page in a browser can make any name resolve to this machine, but it cannot choose its Host and Origin.
    """
    allowed = list(settings.server.allowed_hosts)
    return {
        "path": MCP_PATH,
        "stateless_http": True,
        "middleware": [Middleware(RequestBodyLimitMiddleware, settings.server.max_request_kib * 1024)],
        "host_origin_protection": True,
        "allowed_hosts": allowed,
        # Behind a proxy that ends TLS the scheme and port of the origin differ from what is seen here.
        "allowed_origins": [f"{scheme}://{name}:*" for name in allowed for scheme in ("http", "https")],
    }


def require_token_beyond_loopback(settings: Settings, host: str) -> None:
    """Passes an address that only this machine reaches, or a server that asks for a token.

    Raises:
        SettingsError: Anybody on the network could read and write the memory.
    """
    server = settings.server
    if is_loopback(host) or server.token or server.auth == "tokens" or server.jwt_keys:
        return
    raise SettingsError(
        f"refusing to listen on {host!r} without a token: anybody who reaches this machine could read, "
        "write and delete the memory.",
        cure="Make a token for each client (`retrograph token create`) and set RETROGRAPH_SERVER_AUTH=tokens, or set "
        "RETROGRAPH_SERVER_TOKEN to one long random text, or bind 127.0.0.1 and put a proxy in front.",
    )


def _serve_http(settings: Settings, host: str, port: int) -> None:
    require_token_beyond_loopback(settings, host)
    listener = _listen(host, port)
    address = listener.getsockname()
    shown = f"[{address[0]}]" if ":" in address[0] else address[0]
    limits = settings.server
    with listener, _opened(settings) as memory, working_on_jobs(memory, metrics := Metrics(memory)):
        server = build_server(
            memory,
            verifiers=verifiers_of(memory),
            throttle=Throttle(per_minute=limits.calls_per_minute, at_once=limits.calls_at_once),
            metrics=metrics,
        )
        # Not a log of events but the answer to "where?": said whatever the level.
        sys.stderr.write(f"retrograph serves MCP on http://{shown}:{address[1]}{MCP_PATH}\n")
        sys.stderr.flush()
        # uvicorn ends in good order and then raises the signal once more, which must not skip the closing.
        with _on_signals(signal.default_int_handler), suppress(KeyboardInterrupt):
            asyncio.run(_run_http(server, listener, settings))


async def _run_http(server: "FastMCP[Any]", listener: socket.socket, settings: Settings) -> None:
    await server.run_http_async(
        show_banner=False,
        sockets=[listener],
        uvicorn_config={"log_config": None, "access_log": False, "server_header": False},
        **http_options(settings),
    )


def _ending(end: Callable[[], None]) -> Callable[[int, FrameType | None], None]:
    def handler(_number: int, _frame: FrameType | None) -> None:
        end()

    return handler


@contextmanager
def _on_signals(handler: Callable[[int, FrameType | None], Any]) -> Generator[None]:
    """Handles the signals that ask a process to stop; only the main thread may, elsewhere nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


def _listen(host: str, port: int) -> socket.socket:
    listener = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Open from now on: clients that come early wait for the first answer instead of being refused.
        listener.listen(128)
    except OSError as error:
        if listener:
            listener.close()
        raise SettingsError(
            f"cannot listen on {host!r} port {port}: {error.strerror or error}.",
            cure="Choose another with --host and --port, or RETROGRAPH_SERVER_HOST and "
            "RETROGRAPH_SERVER_PORT; port 0 takes a free one.",
        ) from error
    return listener


def _opened(settings: Settings) -> "Memory":
    from retrograph.memory import (
        Memory,
    )  # here: it loads the drivers, which a wrong setting need not wait for

    return Memory(settings)
