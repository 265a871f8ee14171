"""Sizes grow with what is held, and never below what a fresh engine has."""

import pytest

from retrograph.engine.sizing import sizes_for
from retrograph.settings import EngineSettings


def test_a_small_database_needs_no_more_than_the_settings_give() -> None:
    sizes, own = sizes_for(20_000, dimensions=384), EngineSettings()
    assert (sizes.heap_mib, sizes.page_cache_mib) == (own.heap_mib, own.page_cache_mib)


@pytest.mark.parametrize("memories", [0, 1_000, 50_000, 100_000, 999_999])
def test_more_memories_never_need_less(memories: int) -> None:
    here, more = sizes_for(memories, dimensions=384), sizes_for(2 * memories + 1, dimensions=384)
    assert here.heap_mib <= more.heap_mib
    assert here.page_cache_mib <= more.page_cache_mib
    assert here.whole_mib <= more.whole_mib


def test_the_whole_holds_heap_page_cache_and_mapped_vectors() -> None:
    million, longer = sizes_for(1_000_000, dimensions=384), sizes_for(1_000_000, dimensions=1024)
    assert (million.heap_mib, million.page_cache_mib) == (4864, 3072)
    assert million.whole_mib > million.heap_mib + million.page_cache_mib + 1_000_000 * 384 * 4 / 2**20
    assert longer.whole_mib - million.whole_mib == pytest.approx(1_000_000 * 640 * 4 / 2**20, abs=1)
