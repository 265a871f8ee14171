"""The local engine as its users see it: install, start, lease, stop, status, logs."""

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from filelock import FileLock, Timeout

from retrograph.engine import startup
from retrograph.engine.backup import BackupReport, put_back, write_backup
from retrograph.engine.browser import put_guide
from retrograph.engine.install import InstallReport, Progress, install, is_installed
from retrograph.engine.java import find_java
from retrograph.engine.lockfile import EngineLock
from retrograph.engine.paths import EnginePaths
from retrograph.engine.process import answers_bolt, engine_process, find_engine_processes, terminate
from retrograph.engine.state import EngineState, Lease, idle_for, live_leases, read_state, touch_last_use
from retrograph.engine.watchdog import ensure_watchdog
from retrograph.errors import Conflict, EngineInstallError, EngineStartError, InvalidInput, RetrographError

if TYPE_CHECKING:
    from retrograph.settings import EngineSettings

USERNAME = "neo4j"
# A machine under load may keep an engine from answering; only after this long it is taken for hung.
_HANG_S = 30


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """How to reach a running engine.

    Attributes:
        uri: For a driver, such as `bolt://127.0.0.1:41237`.
        http_url: Neo4j Browser's server, such as `http://127.0.0.1:41238`.
        username: User name.
        password: Password; keep it out of logs and command lines.
        pid: Process number.
    """

    uri: str
    http_url: str
    username: str
    password: str
    pid: int

    def __repr__(self) -> str:
        return f"EngineAddress(uri={self.uri!r}, http_url={self.http_url!r}, pid={self.pid})"


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """What is known about the engine; asking changes nothing.

    Attributes:
        installed: Every jar is there.
        running: The process lives and answers.
        version: Neo4j's version: of the running engine, else of the one that would be started.
        uri: Bolt address, while running.
        http_url: Neo4j Browser's server, while running.
        pid: Process number, while the process lives.
        started_at: When the process was started, while it lives.
        idle_since: When the engine was last used, while it lives and nobody holds a lease.
        leases: How many users hold a lease.
        rss_bytes: Resident memory, bytes, while the process lives.
        data_dir: The engine's folder.
        log: Neo4j's log file.
        problems: What keeps it from working, each a sentence with its cure.
    """

    installed: bool
    running: bool
    version: str
    uri: str | None
    http_url: str | None
    pid: int | None
    started_at: datetime | None
    idle_since: datetime | None
    leases: int
    rss_bytes: int | None
    data_dir: Path
    log: Path
    problems: tuple[str, ...]


class Engine:
    """A Neo4j Community of this user's own, shared by all processes that name the same data folder.

    Args:
        settings: Java, memory, ports, times.
        data_dir: The database, its password and its state go to `engine/` in here.
        cache_dir: The jars; may be shared by any number of engines, and thrown away.
        lock: The jars it consists of; those of this version of Retrograph unless given.
    """

    def __init__(
        self,
        settings: "EngineSettings",
        *,
        data_dir: Path,
        cache_dir: Path,
        lock: EngineLock | None = None,
    ) -> None:
        self._settings = settings
        self._cache_dir = cache_dir.absolute()
        # Resolved: two names of one folder must be one engine, and its home is how its process is known.
        self._paths = EnginePaths(data_dir.resolve() / "engine")
        self._lock = lock or EngineLock.bundled()

    def install(self, *, progress: Progress | None = None) -> InstallReport:
        """Fetch what is missing, verify everything; goes on where a broken run stopped.

        Args:
            progress: Called with (bytes done, bytes in all), from one thread at a time.

        Raises:
            EngineInstallError: No network, no room, a wrong checksum, no right to write.
        """
        return install(self._lock, cache_dir=self._cache_dir, mirror=self._settings.mirror, progress=progress)

    def is_installed(self) -> bool:
        """Whether every jar was verified and is still there."""
        return is_installed(self._lock, self._cache_dir)

    def start(self) -> EngineAddress:
        """The engine's address; starts it if it does not run. Installs nothing.

        Any number of processes may call this at once: one starts it, all get the same address. Counts as a
        use, so a caller has `idle_s` seconds to take its lease; a lease taken before the start is safe at any
        `idle_s`.

        Raises:
            EngineInstallError: Not installed, or there is no Java.
            EngineStartError: It did not start; the message says why.
            EngineAuthError: Its password file was lost.
        """
        state = self._running()
        if state is None:
            self._check_installed()
            self._paths.create()
            with self._exclusive():
                state = self._running() or self._start_anew()
        touch_last_use(self._paths)
        if state.idle_s:
            ensure_watchdog(self._paths)
        return EngineAddress(
            uri=_bolt_url(state),
            http_url=_http_url(state),
            username=USERNAME,
            password=startup.read_password(self._paths),
            pid=state.pid,
        )

    def lease(self) -> Lease:
        """Mark this process as a user: no idle stop until the lease is closed or the process dies."""
        return Lease(self._paths)

    def stop(self, *, force: bool = False) -> bool:
        """Stop the engine.

        Args:
            force: Also when somebody holds a lease.

        Returns:
            Whether there was an engine to stop.

        Raises:
            Conflict: Somebody holds a lease and `force` is not set.
        """
        if not self._paths.home.exists():
            return False
        with self._exclusive():
            return self._end(force=force)

    def backup(self, target: Path, *, force: bool = False) -> BackupReport:
        """Stop the engine and pack its data into one file; the next use starts it again.

        Args:
            target: The archive to write.
            force: Also when somebody holds a lease.

        Raises:
            Conflict: Somebody holds a lease and `force` is not set.
            InvalidInput: There is no data, or the file cannot be written.
        """
        if not self._paths.home.exists():
            raise InvalidInput("there is nothing to back up: the local engine has no data yet", field="file")
        with self._exclusive():
            self._end(force=force)
            return write_backup(self._paths, target)

    def restore(self, source: Path, *, replace: bool = False, force: bool = False) -> BackupReport:
        """Stop the engine and put a backup in place of its data; what was there is set aside.

        Args:
            source: What `backup` wrote.
            replace: Whether data that is there may be set aside.
            force: Also when somebody holds a lease.

        Raises:
            Conflict: There is data and `replace` is not set, somebody holds a lease and `force` is not set, or the
                backup is of a newer Neo4j.
            InvalidInput: The file is no backup; nothing was changed.
        """
        self._paths.create()
        with self._exclusive():
            self._end(force=force)
            return put_back(self._paths, source, replace=replace, newest=self._lock.neo4j)

    def status(self) -> EngineStatus:
        """What is known about the engine; changes nothing and starts nothing."""
        state = read_state(self._paths)
        process = engine_process(state.pid, self._paths.home) if state else None
        alive = state if process else None
        running = alive is not None and answers_bolt(alive.bolt_port)
        leases = len(live_leases(self._paths))
        idle_since = time.time() - idle_for(self._paths) if alive and not leases else None
        return EngineStatus(
            installed=self.is_installed(),
            running=running,
            version=alive.version if alive else self._lock.neo4j,
            uri=_bolt_url(alive) if alive and running else None,
            http_url=_http_url(alive) if alive and running else None,
            pid=alive.pid if alive else None,
            started_at=_utc(alive.started_at) if alive else None,
            idle_since=_utc(idle_since) if idle_since else None,
            leases=leases,
            rss_bytes=_rss(process),
            data_dir=self._paths.home,
            log=self._paths.log,
            problems=tuple(self._problems(hangs=alive is not None and not running)),
        )

    def logs(self, lines: int = 100) -> list[str]:
        """The last lines of what Java printed and Neo4j logged, oldest first.

        Args:
            lines: How many at most.
        """
        return startup.tail(self._paths, lines)

    def show_bank(self, bank: str) -> bool:
        """Make the guide in Neo4j Browser be that of a bank.

        Returns:
            Whether it will be shown; not by an engine that has run since before there was a guide.
        """
        return put_guide(self._paths, bank=bank)

    def _end(self, *, force: bool) -> bool:
        """Ends the engine, holding the lock; whether there was one."""
        processes = find_engine_processes(self._paths.home)
        holders = live_leases(self._paths)
        if processes and holders and not force:
            raise Conflict(
                f"The engine is in use by process {', '.join(map(str, holders))}.",
                cure="End them first, or use --force.",
            )
        for process in processes:
            terminate(process)
        return bool(processes)

    def _running(self) -> EngineState | None:
        state = read_state(self._paths)
        if state is None or engine_process(state.pid, self._paths.home) is None:
            return None
        return state if answers_bolt(state.bolt_port) else None

    def _start_anew(self) -> EngineState:
        """Start while holding the lock: first wait for, or end, what another process began and left."""
        state = read_state(self._paths)
        left = find_engine_processes(self._paths.home)
        if state and any(process.pid == state.pid for process in left):
            starting_s = state.started_at + self._settings.start_timeout_s - time.time()
            try:
                startup.wait_ready(self._paths, state, timeout_s=max(_HANG_S, starting_s))
            except EngineStartError:
                pass  # it hangs or died meanwhile: it is ended below
            else:
                return state
        for process in left:
            terminate(process)
        return startup.start(self._paths, self._settings, lock=self._lock, cache_dir=self._cache_dir, last=state)

    def _check_installed(self) -> None:
        if not self.is_installed():
            raise EngineInstallError(
                f"The local engine (Neo4j {self._lock.neo4j}) is not installed in {str(self._cache_dir)!r}.",
                cure="Run `retrograph engine install`, or name another Neo4j in RETROGRAPH_URI.",
            )

    @contextmanager
    def _exclusive(self) -> Generator[None]:
        # Whoever holds it may be starting, and after that somebody else may have to.
        patience_s = 2 * self._settings.start_timeout_s + 60
        lock = FileLock(self._paths.lock, timeout=patience_s)
        try:
            lock.acquire()
        except Timeout as error:
            raise EngineStartError(
                f"Another process has been starting or stopping the engine for {patience_s:.0f} seconds.",
                cure="See `retrograph engine logs`, and end that process.",
            ) from error
        try:
            yield
        finally:
            lock.release()

    def _problems(self, *, hangs: bool) -> Iterator[str]:
        checks = [
            self._check_installed,
            lambda: find_java(self._settings.java_home),
            lambda: startup.check_data_version(self._paths, self._lock.neo4j),
            lambda: startup.check_password(self._paths),
        ]
        for check in checks:
            try:
                check()
            except RetrographError as error:
                yield str(error).replace("\n", " ")
        if hangs:
            yield "The engine's process lives but does not answer. Wait, or use `retrograph engine stop`."


def _bolt_url(state: EngineState) -> str:
    return f"bolt://127.0.0.1:{state.bolt_port}"


def _http_url(state: EngineState) -> str:
    return f"http://127.0.0.1:{state.http_port}"


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)


def _rss(process: psutil.Process | None) -> int | None:
    try:
        return process.memory_info().rss if process else None
    except psutil.Error:
        return None
