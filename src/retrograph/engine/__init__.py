"""The local engine: a Neo4j of the user's own, fetched once, shared by all processes, stopped when idle.

What is here is loaded when it is asked for: the watchdog lives for hours and must not carry the installer.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retrograph.engine.install import InstallReport
    from retrograph.engine.local import Engine, EngineAddress, EngineStatus
    from retrograph.engine.state import Lease

__all__ = ["Engine", "EngineAddress", "EngineStatus", "InstallReport", "Lease"]

_HOME_OF = {
    "Engine": "retrograph.engine.local",
    "EngineAddress": "retrograph.engine.local",
    "EngineStatus": "retrograph.engine.local",
    "InstallReport": "retrograph.engine.install",
    "Lease": "retrograph.engine.state",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
