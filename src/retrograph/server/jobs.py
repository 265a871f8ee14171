"""The server's worker: does the jobs that wait, in the background, whoever queued them."""

import logging
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from retrograph.errors import RetrographError
from retrograph.watching import Watcher, watched_by

if TYPE_CHECKING:
    from retrograph.memory import Memory
    from retrograph.models import JobView

_log = logging.getLogger("retrograph.server")

_POLL_S = 5.0
_KEEP_S = 60.0
_END_S = 20.0


class _Troubles:
    """What goes wrong round after round: an engine may come back, so the same trouble of a database is told once."""

    def __init__(self) -> None:
        self._before: dict[str, str] = {}
        self._now: dict[str, str] = {}

    def begin(self) -> None:
        """A new round: what does not happen again in it is over."""
        self._before, self._now = self._now, {}

    def tell(self, place: str, error: RetrographError) -> None:
        """Logs an error of the database that is the shard `place`, or of home."""
        self._now[place] = str(error)
        if self._before.get(place) != self._now[place]:
            _log.warning("jobs wait%s: %s", f" in shard {place}" if place else "", error)


class _Stopped(Exception):  # noqa: N818  (no error: the way out of a job that goes on elsewhere)
    pass


@contextmanager
def working_on_jobs(memory: "Memory", watcher: Watcher | None = None, *, poll_s: float = _POLL_S) -> Generator[None]:
    """Works on jobs while the block runs; at its end a job stops after the batch it is at and goes on later.

    Args:
        memory: What does them, each under the identity that queued it.
        watcher: Who is told what is done.
        poll_s: How often to look for jobs, seconds.
    """
    stop = threading.Event()

    def between_batches(_: "JobView") -> None:
        if stop.is_set():
            raise _Stopped

    def work() -> None:
        with watched_by(watcher) if watcher else nullcontext():
            worked()

    def worked() -> None:
        troubles = _Troubles()
        kept_at = time.monotonic()
        while not stop.wait(poll_s):
            troubles.begin()
            try:
                for job in memory.run_jobs(everybody=True, progress=between_batches, trouble=troubles.tell):
                    _log.info("job %s: %s, %d of %d turns", job.id, job.state, job.done, job.total)
                if time.monotonic() - kept_at >= _KEEP_S:
                    memory.resources.keep_usage()
                    kept_at = time.monotonic()
            except _Stopped:
                return
            except RetrographError as error:
                troubles.tell("", error)

    worker = threading.Thread(target=work, name="jobs", daemon=True)
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join(_END_S)
