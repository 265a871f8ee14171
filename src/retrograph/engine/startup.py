"""One start of the engine, done while holding its lock."""

import re
import secrets
import shutil
import subprocess
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from retrograph.engine.browser import browser_jar, page_settings, prepare_page
from retrograph.engine.config import neo4j_settings, write_config
from retrograph.engine.install import class_path
from retrograph.engine.java import Java, argument_file, find_java, java_arguments, java_environment
from retrograph.engine.lockfile import EngineLock
from retrograph.engine.paths import EnginePaths, write_private
from retrograph.engine.process import (
    MAIN_CLASS,
    accepts,
    answers_bolt,
    engine_process,
    free_ports,
    home_argument,
    is_free,
    kill,
    start_detached,
)
from retrograph.engine.state import EngineState, write_state
from retrograph.errors import EngineAuthError, EngineStartError

if TYPE_CHECKING:
    from retrograph.settings import EngineSettings

_POLL_S = 0.05
_PORT_ATTEMPTS = 3
# What a first start writes: two transaction logs of 64 MiB and the empty stores.
_LEAST_FREE_BYTES = 256 << 20
# Less than one such log: whatever else went wrong, this alone explains it.
_FULL_BYTES = 64 << 20
_SEE_LOGS = "See `retrograph engine logs`."


class _PortTakenError(EngineStartError):
    """Somebody took a port between its choice and its use."""


def start(
    paths: EnginePaths,
    settings: "EngineSettings",
    *,
    lock: EngineLock,
    cache_dir: Path,
    last: EngineState | None,
) -> EngineState:
    """Start a process and wait until it answers.

    Args:
        paths: The engine's files.
        settings: Java, memory, ports, times.
        lock: The jars.
        cache_dir: Where they are.
        last: The run before, whose ports are kept if they are still free.

    Raises:
        EngineInstallError: No Java.
        EngineStartError: It did not start.
        EngineAuthError: The password file was lost.
    """
    java = find_java(settings.java_home)
    check_data_version(paths, lock.neo4j)
    check_password(paths)
    _check_room(paths)
    jars = class_path(lock, cache_dir)
    page = browser_jar(jars)
    if page:
        jars.insert(0, prepare_page(paths, page))
    arguments = java_arguments(
        java, class_path=jars, home=paths.home, heap_mib=settings.heap_mib, options=settings.java_options or ""
    )
    write_private(paths.java_arguments, argument_file(arguments))
    write_private(paths.data_version, lock.neo4j)
    for attempt in range(1, _PORT_ATTEMPTS + 1):
        bolt_port, http_port = _choose_ports(settings, last)
        write_config(
            paths,
            neo4j_settings(bolt_port=bolt_port, http_port=http_port, page_cache_mib=settings.page_cache_mib)
            | page_settings(paths, http_port),
        )
        if not paths.system_database.exists():
            _set_first_password(paths, java)
        try:
            return _launch(paths, settings, java, lock.neo4j, bolt_port, http_port)
        except _PortTakenError:
            if attempt == _PORT_ATTEMPTS:
                raise
            last = None
    raise AssertionError("unreachable")


def _launch(
    paths: EnginePaths, settings: "EngineSettings", java: Java, version: str, bolt_port: int, http_port: int
) -> EngineState:
    log_start = paths.log.stat().st_size if paths.log.exists() else 0
    command = [
        str(java.executable),
        f"@{paths.java_arguments}",
        MAIN_CLASS,
        home_argument(paths.home),
        f"--config-dir={paths.conf}",
    ]
    try:
        pid = start_detached(command, paths.console, environment=java_environment())
    except OSError as error:
        raise EngineStartError(f"Java could not be started: {error}.", cure=_SEE_LOGS) from error
    state = EngineState(
        pid=pid,
        bolt_port=bolt_port,
        http_port=http_port,
        version=version,
        started_at=time.time(),
        idle_s=settings.idle_s,
    )
    write_state(paths, state)
    try:
        wait_ready(paths, state, timeout_s=settings.start_timeout_s, log_start=log_start)
    except EngineStartError:
        process = engine_process(pid, paths.home)
        if process is not None:
            kill(process)
        raise
    return state


def wait_ready(paths: EnginePaths, state: EngineState, *, timeout_s: float, log_start: int = 0) -> None:
    """Wait until both ports answer.

    Args:
        paths: The engine's files.
        state: The run to wait for.
        timeout_s: For how long, seconds.
        log_start: Where in Neo4j's log this run begins, bytes.

    Raises:
        EngineStartError: The process ended, or the time did.
    """
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        # HTTP comes last, and Neo4j takes everything down again if its port was taken meanwhile.
        if answers_bolt(state.bolt_port) and accepts(state.http_port):
            return
        if engine_process(state.pid, paths.home) is None:
            raise _why_it_ended(paths, log_start)
        time.sleep(_POLL_S)
    if _free_bytes(paths) < _FULL_BYTES:  # Neo4j waits in silence then: it cannot even log
        raise _disk_is_full(paths)
    raise EngineStartError(
        f"The engine did not answer within {timeout_s:.0f} seconds.",
        cure=f"Give it longer in RETROGRAPH_ENGINE_START_TIMEOUT_S. {_SEE_LOGS}",
    )


def _why_it_ended(paths: EnginePaths, log_start: int) -> EngineStartError:
    said = _read_from(paths.console, 0) + _read_from(paths.log, log_start)
    if re.search(r"BindException|Address already in use|already in use, cannot bind", said):
        return _PortTakenError(
            "The engine ended: a port it was to use is taken.",
            cure="Leave RETROGRAPH_ENGINE_BOLT_PORT and RETROGRAPH_ENGINE_HTTP_PORT unset to use free ones.",
        )
    no_space = r"No space left on device|There is not enough space on the disk|Disk quota exceeded"
    if re.search(no_space, said) or _free_bytes(paths) < _FULL_BYTES:
        return _disk_is_full(paths)
    if re.search(r"Could not reserve enough space|Cannot allocate memory|insufficient memory", said):
        return EngineStartError(
            "The engine ended: there is not enough memory for it.",
            cure="Lower RETROGRAPH_ENGINE_HEAP_MIB and RETROGRAPH_ENGINE_PAGE_CACHE_MIB.",
        )
    errors = [line for line in said.splitlines() if re.search(r"ERROR|Caused by|Error:|Exception", line)]
    last = " | ".join((errors or said.splitlines())[-5:]) or "it said nothing"
    return EngineStartError(f"The engine ended while it started: {last}", cure=_SEE_LOGS)


def _choose_ports(settings: "EngineSettings", last: EngineState | None) -> tuple[int, int]:
    """Ports the user asked for, else those of the last run, else free ones."""
    spare = free_ports(2)
    chosen: list[int] = []
    wishes = (
        ("RETROGRAPH_ENGINE_BOLT_PORT", settings.bolt_port, last.bolt_port if last else 0),
        ("RETROGRAPH_ENGINE_HTTP_PORT", settings.http_port, last.http_port if last else 0),
    )
    for (name, asked, before), free in zip(wishes, spare, strict=True):
        if asked and not is_free(asked):
            raise EngineStartError(
                f"Port {asked} is taken by another program.",
                cure=f"Name another one in {name}, or leave it unset to use a free one.",
            )
        chosen.append(asked or (before if before and is_free(before) else free))
    return chosen[0], chosen[1]


def check_data_version(paths: EnginePaths, version: str) -> None:
    """Refuse data that a newer Neo4j has opened: it may have changed its form.

    Raises:
        EngineStartError: It has.
    """
    if not paths.data_version.exists():
        return
    found = paths.data_version.read_text(encoding="utf-8").strip()
    if _numbers(found) > _numbers(version):
        raise EngineStartError(
            f"The data in {str(paths.home)!r} was last opened by Neo4j {found}, which is newer than the "
            f"{version} of this Retrograph.",
            cure="Upgrade Retrograph, or name another folder in RETROGRAPH_DATA_DIR.",
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def check_password(paths: EnginePaths) -> None:
    """Refuse data whose password nobody knows.

    Raises:
        EngineAuthError: There is data, and no password file.
    """
    if paths.system_database.exists() and not paths.password.exists():
        raise EngineAuthError(
            f"The engine's data is there, but its password file {str(paths.password)!r} is gone.",
            cure="Put the file back from a backup, or name another folder in RETROGRAPH_DATA_DIR.",
        )


def read_password(paths: EnginePaths) -> str:
    """The password of the running engine.

    Raises:
        EngineAuthError: Its file is gone.
    """
    check_password(paths)
    return paths.password.read_text(encoding="utf-8").strip()


def _check_room(paths: EnginePaths) -> None:
    if _free_bytes(paths) < _LEAST_FREE_BYTES:
        raise _disk_is_full(paths)


def _free_bytes(paths: EnginePaths) -> int:
    return shutil.disk_usage(paths.home).free


def _disk_is_full(paths: EnginePaths) -> EngineStartError:
    return EngineStartError(
        f"The engine finds no room on the disk of {str(paths.home)!r}: {_free_bytes(paths) >> 20} MiB free, "
        f"{_LEAST_FREE_BYTES >> 20} MiB needed.",
        cure="Free some space, or name another folder in RETROGRAPH_DATA_DIR.",
    )


def _set_first_password(paths: EnginePaths, java: Java) -> None:
    """Give a new database its random password before its first start.

    The password goes to Java in a private file, never on a command line.
    """
    if not paths.password.exists():
        write_private(paths.password, secrets.token_urlsafe(32))
    password = paths.password.read_text(encoding="utf-8").strip()
    secret = paths.conf / "first-password.args"
    # "--": a random password may begin with a hyphen.
    command = ["org.neo4j.cli.AdminTool", "dbms", "set-initial-password", "--", password]
    write_private(secret, argument_file(command))
    try:
        answer = subprocess.run(
            [java.executable, f"@{paths.java_arguments}", f"@{secret}"],
            env=java_environment() | {"NEO4J_HOME": str(paths.home), "NEO4J_CONF": str(paths.conf)},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    finally:
        secret.unlink()
    if answer.returncode:
        said = answer.stderr.replace(password, "…").strip().splitlines()
        raise EngineStartError(f"The first password could not be set: {' | '.join(said[-5:])}", cure=_SEE_LOGS)


def _read_from(path: Path, start: int) -> str:
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def tail(paths: EnginePaths, lines: int) -> list[str]:
    """The last lines of Java's output and Neo4j's log together, oldest first."""
    last: deque[str] = deque(maxlen=lines)
    for path in (paths.console, paths.log):
        if path.exists():
            with path.open(encoding="utf-8", errors="replace") as file:
                last.extend(line.rstrip("\n") for line in file)
    return list(last)
