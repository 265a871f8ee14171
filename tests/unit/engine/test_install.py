"""Fetching the engine: parallel, resumed, verified, and clear about what went wrong."""

import errno
import shutil
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from retrograph.engine import install as install_module
from retrograph.engine.install import install, is_installed
from retrograph.engine.lockfile import EngineLock
from retrograph.errors import EngineInstallError

ONE, TWO, THREE = (
    "org/example/one/1/one-1.jar",
    "org/example/two/2/two-2.jar",
    "net/example/three/3/three-3.jar",
)


@pytest.fixture
def lock(jars: dict[str, bytes], lock_for: Any) -> EngineLock:
    return lock_for(jars)


def content(cache: Path) -> dict[str, bytes]:
    folder = cache / "jars"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_install_puts_every_jar_in_place_and_reports_it(
    mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path
) -> None:
    assert not is_installed(lock, tmp_path)
    report = install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert content(tmp_path) == jars
    assert is_installed(lock, tmp_path)
    assert (report.jars, report.fetched, report.fetched_bytes) == (3, 3, lock.size)
    assert report.version == "2026.08.1"


def test_install_says_the_licence_once(mirror: Any, lock: EngineLock, tmp_path: Path) -> None:
    notices = [install(lock, cache_dir=tmp_path, mirror=mirror.url).notice for _ in range(2)]
    assert notices[0] is not None
    assert "GPL version 3" in notices[0]
    assert "process of its own" in notices[0]
    assert notices[1] is None


def test_second_install_asks_for_nothing(mirror: Any, lock: EngineLock, tmp_path: Path) -> None:
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    mirror.asked.clear()
    assert install(lock, cache_dir=tmp_path, mirror=mirror.url).fetched == 0
    assert mirror.asked == []


def test_progress_rises_to_the_whole_and_counts_what_was_there(
    mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path
) -> None:
    target = tmp_path / "jars" / TWO
    target.parent.mkdir(parents=True)
    target.write_bytes(jars[TWO])
    seen: list[tuple[int, int]] = []
    install(lock, cache_dir=tmp_path, mirror=mirror.url, progress=lambda done, of: seen.append((done, of)))
    counts = [done for done, _ in seen]
    assert counts == sorted(counts)
    assert counts[0] == len(jars[TWO])
    assert seen[-1] == (lock.size, lock.size)


def test_half_written_jar_goes_on_where_it_stopped(
    mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path
) -> None:
    part = tmp_path / "jars" / f"{TWO}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(jars[TWO][:70_000])
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert (TWO, "bytes=70000-") in mirror.asked
    assert content(tmp_path) == jars


def test_half_written_jar_starts_over_where_the_mirror_knows_no_ranges(
    mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path
) -> None:
    mirror.ranges = False
    part = tmp_path / "jars" / f"{TWO}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(jars[TWO][:70_000])
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert content(tmp_path) == jars


@pytest.mark.parametrize("beginning", [b"x" * 70_000, b"x" * 150_000, b"x" * 400_000])
def test_half_written_jar_with_a_wrong_beginning_is_fetched_anew(
    beginning: bytes, mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path
) -> None:
    part = tmp_path / "jars" / f"{TWO}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(beginning)
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert content(tmp_path) == jars


@pytest.mark.parametrize("damaged", [b"", b"two" * 10, b"owt" * 50_000])
def test_damaged_jar_in_its_place_is_replaced(
    damaged: bytes, mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path
) -> None:
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    (tmp_path / "jars" / TWO).write_bytes(damaged)
    mirror.asked.clear()
    assert install(lock, cache_dir=tmp_path, mirror=mirror.url).fetched == 1
    assert mirror.paths_asked() == [TWO]
    assert content(tmp_path) == jars


def test_shortened_jar_counts_as_not_installed(mirror: Any, lock: EngineLock, tmp_path: Path) -> None:
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    (tmp_path / "jars" / TWO).write_bytes(b"two")
    assert not is_installed(lock, tmp_path)


def test_jars_without_a_finished_install_count_as_not_installed(
    mirror: Any, lock: EngineLock, jars: dict[str, bytes], lock_for: Any, tmp_path: Path
) -> None:
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    other = lock_for(jars | {ONE: b"eno" * 1000})  # same sizes, other contents
    assert not is_installed(other, tmp_path)


def test_broken_connection_is_tried_again_and_resumed(
    mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path
) -> None:
    mirror.cut[TWO] = [100_000]
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert content(tmp_path) == jars
    assert [path for path, _ in mirror.asked].count(TWO) == 2


def test_server_error_is_tried_again(mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path) -> None:
    mirror.status[ONE] = [503]
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert content(tmp_path) == jars


def test_server_error_that_stays_names_the_file_and_the_status(mirror: Any, lock: EngineLock, tmp_path: Path) -> None:
    mirror.status[ONE] = [503] * 10
    with pytest.raises(EngineInstallError, match=f"503 for '{ONE}'"):
        install(lock, cache_dir=tmp_path, mirror=mirror.url)


def test_run_after_a_broken_one_fetches_only_what_is_missing(
    mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path
) -> None:
    missing = mirror.files.pop(ONE)
    with pytest.raises(EngineInstallError, match="404") as caught:
        install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert "RETROGRAPH_ENGINE_MIRROR" in caught.value.cure
    assert not is_installed(lock, tmp_path)
    there = content(tmp_path).keys() & jars.keys()
    mirror.files[ONE] = missing
    mirror.asked.clear()
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert not there & set(mirror.paths_asked())
    assert content(tmp_path) == jars


@pytest.mark.parametrize("body", [b"eno" * 1000, b"one" * 999, b"one" * 100_000], ids=["other", "shorter", "longer"])
def test_wrong_checksum_is_refused_and_nothing_is_kept(
    body: bytes, mirror: Any, lock: EngineLock, tmp_path: Path
) -> None:
    mirror.files[ONE] = body
    with pytest.raises(EngineInstallError, match=ONE) as caught:
        install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert lock.jars[0].sha256 in caught.value.message
    assert not (tmp_path / "jars" / ONE).exists()
    assert not (tmp_path / "jars" / f"{ONE}.part").exists()
    assert not is_installed(lock, tmp_path)


def test_no_network_names_the_mirror_and_the_cure(lock: EngineLock, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with pytest.raises(EngineInstallError, match=url) as caught:
        install(lock, cache_dir=tmp_path, mirror=url)
    assert "HTTPS_PROXY" in caught.value.cure
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("url", ["ftp://example.org", "no url", "http://[", ""])
def test_mirror_that_is_no_web_address_is_refused(url: str, lock: EngineLock, tmp_path: Path) -> None:
    with pytest.raises(EngineInstallError, match="Cannot fetch") as caught:
        install(lock, cache_dir=tmp_path, mirror=url)
    assert "RETROGRAPH_ENGINE_MIRROR" in caught.value.cure


def test_proxy_of_the_environment_is_used(
    mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror.files = {f"http://nowhere.invalid/maven/{path}": body for path, body in jars.items()}
    monkeypatch.setenv("HTTP_PROXY", mirror.url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    install(lock, cache_dir=tmp_path, mirror="http://nowhere.invalid/maven/")
    assert content(tmp_path) == jars


def test_full_disk_is_found_before_anything_is_fetched(
    mirror: Any, lock: EngineLock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(install_module.shutil, "disk_usage", lambda _: usage._replace(free=1 << 20))
    with pytest.raises(EngineInstallError, match=r"No room on the disk of .*: 1 MiB free, 65 MiB needed"):
        install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert mirror.asked == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_disk_that_becomes_full_is_told_with_its_cure(
    number: int, mirror: Any, lock: EngineLock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(number, "full")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(EngineInstallError, match="became full") as caught:
        install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert "RETROGRAPH_CACHE_DIR" in caught.value.cure


def test_cache_folder_that_cannot_be_made_is_told(mirror: Any, lock: EngineLock, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EngineInstallError, match="Cannot write to"):
        install(lock, cache_dir=tmp_path / "file" / "cache", mirror=mirror.url)


def test_two_installs_at_once_fetch_each_jar_once(
    mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path
) -> None:
    both = threading.Barrier(2)
    fetched: list[int] = []

    def run() -> None:
        both.wait()
        fetched.append(install(lock, cache_dir=tmp_path, mirror=mirror.url).fetched)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(fetched) == [0, 3]
    assert mirror.paths_asked() == sorted(jars)


def test_interrupted_progress_ends_the_install_and_leaves_it_resumable(
    mirror: Any, lock: EngineLock, jars: dict[str, bytes], tmp_path: Path
) -> None:
    def interrupt(done: int, _: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(lock, cache_dir=tmp_path, mirror=mirror.url, progress=interrupt)
    assert not is_installed(lock, tmp_path)
    install(lock, cache_dir=tmp_path, mirror=mirror.url)
    assert content(tmp_path) == jars
