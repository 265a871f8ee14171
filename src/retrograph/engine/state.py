"""What processes of one user tell each other about the engine: its last run, and who uses it.

A lease is a locked file. The system drops the lock when its holder dies, however it dies, so nobody has to
guess from process numbers and clocks whether a lease still counts.
"""

import itertools
import json
import os
import time
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from retrograph.engine.paths import EnginePaths, write_private

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class EngineState:
    """The engine's last run; the process may have ended since.

    Attributes:
        pid: Process number.
        bolt_port: Port of Bolt on loopback.
        http_port: Port of Neo4j Browser on loopback.
        version: Neo4j's version.
        started_at: When it was started, seconds since the epoch.
        idle_s: After how long without use it is to be stopped, seconds; 0 for never.
    """

    pid: int
    bolt_port: int
    http_port: int
    version: str
    started_at: float
    idle_s: float


def read_state(paths: EnginePaths) -> EngineState | None:
    """The last run, or None if there was none or its note is unreadable."""
    try:
        return EngineState(**json.loads(paths.state.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def write_state(paths: EnginePaths, state: EngineState) -> None:
    """Note a run, in one step."""
    write_private(paths.state, json.dumps(asdict(state)))


def touch_last_use(paths: EnginePaths) -> None:
    """Note that the engine is used now."""
    paths.last_use.touch()
    os.utime(paths.last_use)


def idle_for(paths: EnginePaths) -> float:
    """Seconds since the engine was last used."""
    try:
        return max(0.0, time.time() - paths.last_use.stat().st_mtime)
    except FileNotFoundError:
        return 0.0


class Lease:
    """A process's word that it uses the engine; until it is closed, or the process dies, no idle stop.

    Safe to close from another thread, and more than once.
    """

    def __init__(self, paths: EnginePaths) -> None:
        paths.create()
        self._paths = paths
        self._file = paths.leases / f"{os.getpid()}-{next(_numbers)}.lease"
        self._lock = FileLock(self._file, thread_local=False)
        self._lock.acquire()
        while not self._file.exists():  # the watchdog took it for a dead one between its creation and its locking
            self._lock.release(force=True)
            self._lock.acquire()
        touch_last_use(paths)

    def close(self) -> None:
        """Give the lease back; the idle time counts from now."""
        if self._lock.is_locked:
            touch_last_use(self._paths)
            self._file.unlink(missing_ok=True)
            self._lock.release(force=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def live_leases(paths: EnginePaths) -> list[int]:
    """Process numbers of those who hold a lease, one for each; removes what dead processes left."""
    holders: list[int] = []
    for file in paths.leases.glob("*.lease"):
        lock = FileLock(file, blocking=False, is_singleton=False)
        try:
            with lock:
                file.unlink(missing_ok=True)
        except Timeout:
            holders.append(int(file.name.partition("-")[0]))
    return sorted(holders)
