"""Leases in the graph: one process at a time does a piece of work, and a dead one does not block it."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

from uuid_utils import uuid7

from retrograph.errors import Conflict
from retrograph.graph.driver import Graph


@contextmanager
def hold_lease(graph: Graph, name: str, *, seconds: float, wait_s: float = 0) -> Generator[str]:
    """Holds the lease `name` while the block runs, renewing it; gives it back at the end.

    Args:
        graph: The database.
        name: What is leased.
        seconds: After this long without renewal the lease is anybody's, seconds.
        wait_s: How long to wait for another holder, seconds.

    Yields:
        The holder's token.

    Raises:
        Conflict: Somebody else holds it.
    """
    holder = str(uuid7())
    deadline = time.monotonic() + wait_s
    while not graph.run("take_lease", name=name, holder=holder, seconds=seconds)[0]["taken"]:
        if time.monotonic() >= deadline:
            raise Conflict(f"another process is at work on {name!r}", cure="Wait for it to finish, or try again.")
        time.sleep(0.2)
    done = threading.Event()

    def renew() -> None:
        while not done.wait(seconds / 3):
            graph.run("take_lease", name=name, holder=holder, seconds=seconds)

    renewer = threading.Thread(target=renew, name=f"lease {name}", daemon=True)
    renewer.start()
    try:
        yield holder
    finally:
        done.set()
        renewer.join()
        graph.run("release_lease", name=name, holder=holder)
