"""Stops an engine nobody uses: `python -m retrograph.engine.watchdog HOME`, started with the engine.

A process of its own, because the engine outlives whoever started it. It ends with the engine. It imports
nothing heavy: it lives as long as a conversation and does nothing but look.
"""

import sys
import time
from pathlib import Path

from filelock import FileLock, Timeout

from retrograph.engine.paths import EnginePaths
from retrograph.engine.process import engine_process, start_detached, terminate
from retrograph.engine.state import EngineState, idle_for, live_leases, read_state, touch_last_use


def watch(paths: EnginePaths) -> None:
    """Look until the engine is gone; stop it once it has been idle for as long as its state says."""
    while True:
        state = _wanted(paths)
        if state is None:
            return
        if live_leases(paths):
            touch_last_use(paths)
        elif idle_for(paths) >= state.idle_s and _stop_if_idle(paths):
            return
        time.sleep(min(10, max(0.2, state.idle_s / 10)))


def _wanted(paths: EnginePaths) -> EngineState | None:
    state = read_state(paths)
    if state is None or state.idle_s == 0 or engine_process(state.pid, paths.home) is None:
        return None
    return state


def _stop_if_idle(paths: EnginePaths) -> bool:
    with FileLock(paths.lock):
        # Looked at again: somebody may have come while this waited for the lock.
        state = read_state(paths)
        process = engine_process(state.pid, paths.home) if state else None
        if state is None or process is None:
            return True
        if live_leases(paths) or idle_for(paths) < state.idle_s:
            return False
        terminate(process)
        return True


def ensure_watchdog(paths: EnginePaths) -> None:
    """Start a watchdog unless one lives."""
    lock = FileLock(paths.watchdog_lock, blocking=False, is_singleton=False)
    try:
        with lock:
            pass
    except Timeout:
        return
    command = [sys.executable, "-P", "-m", "retrograph.engine.watchdog", str(paths.home)]
    start_detached(command, paths.console.with_name("watchdog.log"))


def main(arguments: list[str]) -> int:
    """Be the one watchdog of a home, or leave at once if there is one."""
    paths = EnginePaths(Path(arguments[0]))
    try:
        # Again, for an engine started after the last look but while the lock was still held.
        while _wanted(paths):
            with FileLock(paths.watchdog_lock, timeout=2):
                watch(paths)
    except Timeout:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
