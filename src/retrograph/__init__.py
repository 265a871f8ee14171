"""Hindsight for AI agents: a graph-native long-term memory on Neo4j.

>>> import retrograph
>>> with retrograph.open(bank="notes") as memory:  # doctest: +SKIP
...     memory.write("Remember that the render queue runs on rig7.")
...     memory.search("where does rendering happen?").hits[0].memory.content
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from retrograph.memory import Memory
    from retrograph.memory import open_memory as open

__all__ = ["Memory", "__version__", "open"]


def __getattr__(name: str) -> Any:
    # The facade is loaded at first use: `import retrograph` alone costs nothing.
    if name == "open":
        return import_module("retrograph.memory").open_memory
    if name == "Memory":
        return import_module("retrograph.memory").Memory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
