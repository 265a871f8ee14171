"""An engine that is killed between two calls: the next call finds the new one."""

import os
import signal

from retrograph.engine import Engine
from retrograph.graph import Connection, Graph, migrate


def test_engine_killed_between_two_calls_is_reached_again(spare_engine: Engine) -> None:
    def connect() -> Connection:
        found = spare_engine.start()
        return Connection(found.uri, found.username, found.password)

    with Graph(connect) as graph:
        migrate(graph)
        graph.run("create_bank", bank="kept", encoder="e", slot="a", dimensions=3)
        os.kill(spare_engine.start().pid, signal.SIGKILL)
        kept = {"encoder": "e", "slot": "a", "dimensions": 3, "is_arriving": False}
        assert graph.run("get_bank", bank="kept") == [kept]
