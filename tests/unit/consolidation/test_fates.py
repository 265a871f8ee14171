"""What time has overtaken, decided from the memory alone."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrograph.consolidation.fates import EXPIRED, FADED, Fates, is_core, touched_at
from retrograph.settings import ConsolidationSettings

NOW = datetime(2026, 6, 1, tzinfo=UTC)
OLD = NOW - timedelta(days=31)
FATES = Fates(NOW, ConsolidationSettings(), {"slow": 90, "event": 60})


def memory(**more: Any) -> dict[str, Any]:
    return {"importance": 0.2, "updated_at": OLD, "type": "fact"} | more


@pytest.mark.parametrize(
    ("given_", "fate"),
    [
        ({}, FADED),
        ({"importance": 0.3}, ""),
        ({"updated_at": NOW - timedelta(days=29)}, ""),
        ({"updated_at": NOW - timedelta(days=30)}, FADED),
        ({"last_accessed_at": NOW - timedelta(days=1)}, ""),
        ({"kept_at": NOW - timedelta(days=1)}, ""),
        ({"access_count": 9}, FADED),
        ({"access_count": 10}, ""),
        ({"pinned": True}, ""),
        ({"half_life_days": 32}, ""),
        ({"half_life_days": 31}, FADED),
        ({"domain": "slow"}, ""),
        ({"domain": "other"}, FADED),
        ({"type": "event"}, ""),
        ({"type": "event", "half_life_days": 14}, FADED),
        ({"expires_at": NOW}, EXPIRED),
        ({"expires_at": NOW, "pinned": True}, ""),
        ({"expires_at": NOW + timedelta(seconds=1), "importance": 0.9}, ""),
        ({"expires_at": OLD, "importance": 0.9, "kept_at": NOW}, ""),
        ({"expires_at": NOW, "importance": 0.9, "kept_at": OLD}, EXPIRED),
    ],
)
def test_fate_follows_from_the_memory(given_: dict[str, Any], fate: str) -> None:
    assert FATES.of(memory(**given_)) == fate


@given(st.integers(0, 400), st.floats(0, 1), st.integers(0, 20), st.booleans())
def test_what_is_overtaken_stays_so_as_time_goes_on(days: int, importance: float, uses: int, pinned: bool) -> None:
    one = memory(
        updated_at=NOW - timedelta(days=days), importance=importance, access_count=uses, pinned=pinned, expires_at=None
    )
    later = Fates(NOW + timedelta(days=100), FATES.settings, FATES.half_lives)
    assert not FATES.of(one) or later.of(one)


def test_core_is_pinned_or_used_ten_times() -> None:
    assert [is_core(m) for m in ({}, {"access_count": 9}, {"access_count": 10}, {"pinned": True})] == [
        False, False, True, True,
    ]  # fmt: skip


def test_touched_is_the_latest_of_all_touches() -> None:
    assert touched_at({"updated_at": OLD, "last_accessed_at": NOW, "kept_at": None}) == NOW
    assert touched_at({"updated_at": OLD}) == OLD
