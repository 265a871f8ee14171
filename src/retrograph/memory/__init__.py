"""The facade: `Memory`, and `open_memory` that makes one from settings."""

from retrograph.memory.facade import Memory, open_memory

__all__ = ["Memory", "open_memory"]
