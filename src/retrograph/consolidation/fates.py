"""Which memories time has overtaken: one decision, from the memory alone, for every job that asks.

No job changes what it is decided from, so that it does not matter in which order the jobs run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from retrograph.settings import ConsolidationSettings

EXPIRED = "expired"
FADED = "faded"
CORE_ACCESSES = 10
"""A memory used so often does not decay; recall says the same (docs/recall.md)."""

_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Fates:
    """Decides at one instant, by one bank's settings.

    Args:
        now: The instant.
        settings: What is unimportant, and what is long ago.
        half_lives: By domain or type, of memories that have none of their own, days.
    """

    now: datetime
    settings: ConsolidationSettings
    half_lives: Mapping[str, float] = field(default_factory=dict[str, float])

    def of(self, memory: Mapping[str, Any]) -> str:
        """`expired`, `faded`, or "" for a current memory that is kept.

        A pinned memory is always kept. One that the owner took back from the archive is not archived again for
        what was so before.
        """
        if memory.get("pinned"):
            return ""
        if self._is_expired(memory):
            return EXPIRED
        return FADED if self._is_faded(memory) else ""

    def _is_expired(self, memory: Mapping[str, Any]) -> bool:
        expires_at, kept_at = memory.get("expires_at"), memory.get("kept_at")
        return expires_at is not None and expires_at <= self.now and (kept_at is None or kept_at < expires_at)

    def _is_faded(self, memory: Mapping[str, Any]) -> bool:
        if memory["importance"] >= self.settings.archive_below or is_core(memory):
            return False
        # What is forgotten slowly has more time to be touched again.
        days = max(self.settings.untouched_days, self._half_life(memory))
        return touched_at(memory) <= self.now - timedelta(days=days)

    def _half_life(self, memory: Mapping[str, Any]) -> float:
        own = memory.get("half_life_days")
        named = (self.half_lives.get(memory.get(name) or "") for name in ("domain", "type"))
        return own or next((days for days in named if days), 0.0)


def is_core(memory: Mapping[str, Any]) -> bool:
    """Pinned, or used so often that it does not decay."""
    return bool(memory.get("pinned")) or (memory.get("access_count") or 0) >= CORE_ACCESSES


def touched_at(memory: Mapping[str, Any]) -> datetime:
    """When a memory was last written, told again, edited, used, or taken back from the archive."""
    times = (memory.get("updated_at"), memory.get("last_accessed_at"), memory.get("kept_at"))
    return max((at for at in times if at is not None), default=_LONG_AGO)
