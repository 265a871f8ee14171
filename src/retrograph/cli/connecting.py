"""The database itself, for the commands that look after it rather than after memories."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from retrograph.graph import Connection, Graph

if TYPE_CHECKING:
    from retrograph.engine import Engine
    from retrograph.settings import Settings


def open_graph(settings: "Settings", engine: "Engine") -> Graph:
    """A handle on the database that the settings name; nothing is connected or started until it is used.

    Args:
        settings: Settings; where their bank lives in a shard, that is the database.
        engine: The local engine, started at first use where the settings name no `uri`.
    """
    pattern = settings.shard_of(settings.bank)
    if pattern is not None:
        settings = settings.at_shard(pattern)
    return Graph(
        lambda: _connection(settings, engine),
        connect_timeout_s=settings.connect_timeout_s,
        retry_s=settings.retry_s,
    )


def held(settings: "Settings", engine: "Engine") -> AbstractContextManager[object]:
    """Keeps the local engine from stopping while it is in use; does nothing for a database elsewhere."""
    return nullcontext() if settings.uri else engine.lease()


def _connection(settings: "Settings", engine: "Engine") -> Connection:
    if settings.uri:
        password = settings.password.get_secret_value() if settings.password else ""
        return Connection(settings.uri, settings.username, password, settings.database)
    address = engine.start()
    return Connection(address.uri, address.username, address.password)
