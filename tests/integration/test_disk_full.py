"""A disk that is full: what fails says so, nothing is half-written, and with space again all goes on."""

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from retrograph.cli.app import run
from retrograph.consolidation import check_bank
from retrograph.engine import Engine
from retrograph.errors import EngineUnavailable, OutcomeUnknown, RetrographError
from retrograph.memory import Memory
from retrograph.models import Turn
from retrograph.settings import Settings

_SMALL_MIB = 4
_LARGE_MIB = 800


def _mounted(folder: Path, mib: int) -> bool:
    """Whether a disk of that size could be put there: Linux lets its administrator."""
    mount = shutil.which("mount")
    if not (sys.platform == "linux" and mount and hasattr(os, "geteuid") and os.geteuid() == 0):
        return False
    command = [mount, "-t", "tmpfs", "-o", f"size={mib}m", "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _disk(folder: Path, mib: int) -> Generator[Path]:
    if not _mounted(folder, mib):
        pytest.skip("a disk of its own can only be mounted by the administrator of a Linux system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    yield from _disk(tmp_path, _SMALL_MIB)


@pytest.fixture
def engine_disk(tmp_path: Path) -> Generator[Path]:
    yield from _disk(tmp_path, _LARGE_MIB)


def _fill(disk: Path, *, leaving: int) -> Path:
    """A file that takes all of a disk but so many bytes."""
    filler = disk / "filler"
    at = os.statvfs(disk)
    left = at.f_bavail * at.f_frsize - leaving
    with filler.open("wb") as out:
        while left > 0:
            left -= out.write(b"\0" * min(left, 1 << 20))
    return filler


def test_export_onto_a_full_disk_says_so_and_leaves_no_file(
    small_disk: Path, memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    memory.ingest([Turn(f"Boat {n} 号 left the port of Ghent.", id=f"{n}") for n in range(8)])
    at = memory.settings
    password = at.password.get_secret_value() if at.password else ""
    config = small_disk / "retrograph.toml"
    config.write_text(f'uri = "{at.uri}"\nusername = "{at.username}"\npassword = "{password}"\n')
    filler = _fill(small_disk, leaving=8_192)
    words = ["export", str(small_disk / "bank.jsonl"), "--bank", memory.identity.bank, "--config", str(config)]
    assert run(words) == 2
    assert "cannot be written: No space left on device" in capsys.readouterr().err
    assert sorted(path.name for path in small_disk.iterdir()) == ["filler", "retrograph.toml"]
    filler.unlink()
    assert run(words) == 0
    assert run(["import", *words[1:2], "--dry-run", "--config", str(config)]) == 0


def test_engine_whose_disk_is_full_says_so_and_has_all_that_was_acknowledged_afterwards(
    engine_disk: Path, memory: Memory
) -> None:
    cache = Settings.load().cache_dir
    base = Settings.load(
        data_dir=engine_disk / "data",
        cache_dir=cache,
        bank="full",
        retry_s=2,
        engine={"heap_mib": 256, "page_cache_mib": 16},
    )
    engine = Engine(base.engine, data_dir=base.data_dir, cache_dir=base.cache_dir)
    lease = engine.lease()
    try:
        acknowledged, failed = _write_until_it_is_full(base, engine_disk, memory)
        assert isinstance(failed, OutcomeUnknown | EngineUnavailable), repr(failed)
        assert "disk is full" in failed.cure
        (engine_disk / "filler").unlink()
        lease.close()
        engine.stop(force=True)
        lease = engine.lease()
        with _opened(base, memory) as again:
            told = again.ingest(_turns(len(acknowledged)))
            assert [told.stored, told.unchanged] == [0, len(acknowledged)]
            assert list(told.ids) == acknowledged
            assert again.write("There is space again, 又有空间了.", force=True).id
            # The batch that failed may be there, whole, or not at all.
            assert again.stats().memories - len(acknowledged) - 1 in (0, _AT_ONCE)
            faults = check_bank(again.resources.graph, "full", encoder=lambda: memory.resources.encoder).faults
            assert faults == ()
    finally:
        lease.close()
        engine.stop(force=True)


_AT_ONCE = 5


def _turns(count: int, start: int = 0) -> list[Turn]:
    log = "0123456789" * 9_000
    return [
        Turn(f"Boat {n} 号 left the port of Ghent.", id=f"boat-{n}", metadata={"log": f"{n} {log}"})
        for n in range(start, start + count)
    ]


def _opened(settings: Settings, models: Memory) -> Memory:
    opened = Memory(settings)
    opened.resources.extractor = models.resources.extractor
    opened.resources._encoder = models.resources.encoder
    return opened


def _write_until_it_is_full(settings: Settings, disk: Path, models: Memory) -> tuple[list[str], RetrographError]:
    """Ids that were acknowledged, and what the first write and the first read after them fail with."""
    acknowledged: list[str] = []
    with _opened(settings, models) as memory:
        memory.ingest(_turns(_AT_ONCE))
        acknowledged += [told or "" for told in memory.ingest(_turns(_AT_ONCE)).ids]
        _fill(disk, leaving=1 << 20)
        failed: RetrographError | None = None
        while failed is None:
            try:
                told = memory.ingest(_turns(_AT_ONCE, len(acknowledged)))
                acknowledged += [memory_id or "" for memory_id in told.ids]
            except RetrographError as error:
                failed = error
        with pytest.raises(EngineUnavailable, match="has to be restarted"):
            memory.search("which boats left?")
        return acknowledged, failed
