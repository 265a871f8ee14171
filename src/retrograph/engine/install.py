"""Fetching the engine's jars: in parallel, going on where a broken run stopped, each verified.

A jar is written under a temporary name and renamed once its sha256 is right, so a file under its own name is
always whole. It is fetched with httpx, which honours the proxy variables, asks for the rest of a file, and
lets threads share one pool of connections (pooch fetches one file at a time, each from its beginning).
"""

import errno
import hashlib
import shutil
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from retrograph.engine.lockfile import EngineLock, Jar, file_matches
from retrograph.errors import EngineInstallError

if TYPE_CHECKING:
    import httpx

Progress = Callable[[int, int], None]

LICENCE_NOTICE = (
    "Neo4j Community {version} is licensed under the GPL version 3 (https://neo4j.com/licensing). "
    "It is fetched from a Maven repository, not part of Retrograph, and runs as a process of its own."
)
GO_ON = "Run `retrograph engine install` again to go on where it stopped."
_THREADS = 8
_ATTEMPTS = 3
_CHUNK = 1 << 16
_TIMEOUT_S = 30
_SPARE_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class InstallReport:
    """What an install did.

    Attributes:
        version: Neo4j's version.
        jars: Jars the engine consists of.
        fetched: Jars that had to be fetched.
        fetched_bytes: Size of those, bytes.
        folder: Where the jars are.
        notice: What must be said once about Neo4j's licence; None when it was said by an earlier install.
    """

    version: str
    jars: int
    fetched: int
    fetched_bytes: int
    folder: Path
    notice: str | None


def jar_folder(cache_dir: Path) -> Path:
    """Where the jars of every version lie, in repository layout: versions share what they have in common."""
    return cache_dir / "jars"


def class_path(lock: EngineLock, cache_dir: Path) -> list[Path]:
    """The jars of a lock, in its order."""
    return [jar_folder(cache_dir) / jar.path for jar in lock.jars]


def is_installed(lock: EngineLock, cache_dir: Path) -> bool:
    """Whether every jar was verified by an install and still has its size; costs one `stat` a jar."""
    try:
        if _marker(lock, cache_dir).read_text(encoding="utf-8") != lock.digest:
            return False
        return all((jar_folder(cache_dir) / jar.path).stat().st_size == jar.size for jar in lock.jars)
    except FileNotFoundError:
        return False


def install(lock: EngineLock, *, cache_dir: Path, mirror: str, progress: Progress | None = None) -> InstallReport:
    """Make every jar of the lock be there, whole and right.

    Args:
        lock: The jars.
        cache_dir: Folder to keep them in.
        mirror: Base URL of a Maven repository.
        progress: Called with (bytes done, bytes in all), from one thread at a time.

    Returns:
        What was done.

    Raises:
        EngineInstallError: No network, no such file there, a wrong checksum, no room, no right to write.
    """
    folder = jar_folder(cache_dir)
    with _disk_errors(cache_dir):
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(cache_dir / "install.lock"):
            marker = _marker(lock, cache_dir)
            seen_before = marker.exists()
            missing = [jar for jar in lock.jars if not file_matches(folder / jar.path, jar)]
            need = sum(jar.size for jar in missing)
            meter = _Meter(total=lock.size, done=lock.size - need, report=progress)
            if missing:
                _check_room(cache_dir, need)
                _fetch_all(missing, folder, mirror, meter)
            marker.write_text(lock.digest, encoding="utf-8")
    return InstallReport(
        version=lock.neo4j,
        jars=len(lock.jars),
        fetched=len(missing),
        fetched_bytes=need,
        folder=folder,
        notice=None if seen_before else LICENCE_NOTICE.format(version=lock.neo4j),
    )


def _marker(lock: EngineLock, cache_dir: Path) -> Path:
    return cache_dir / f"neo4j-{lock.neo4j}.installed"


class _Meter:
    """Counts bytes over all threads and never goes back, even when a jar has to be fetched anew."""

    def __init__(self, *, total: int, done: int, report: Progress | None) -> None:
        self._lock = threading.Lock()
        self._total = total
        self._base = done
        self._of_jar: dict[str, int] = {}
        self._shown = -1
        self._report = report
        self.cancelled = threading.Event()
        self.set("", 0)

    def set(self, path: str, count: int) -> None:
        with self._lock:
            self._of_jar[path] = count
            done = self._base + sum(self._of_jar.values())
            if self._report is not None and done > self._shown:
                self._shown = done
                self._report(done, self._total)


def _check_room(cache_dir: Path, need: int) -> None:
    free = shutil.disk_usage(cache_dir).free
    if free < need + _SPARE_BYTES:
        raise EngineInstallError(
            f"No room on the disk of {str(cache_dir)!r}: {_mib(free)} MiB free, "
            f"{_mib(need + _SPARE_BYTES)} MiB needed.",
            cure="Free some space, or name another folder in RETROGRAPH_CACHE_DIR.",
        )


@contextmanager
def _disk_errors(cache_dir: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"The disk of {str(cache_dir)!r} became full while the engine was fetched."
            cure = f"Free some space, or name another folder in RETROGRAPH_CACHE_DIR. {GO_ON}"
        else:
            message = f"Cannot write to {str(cache_dir)!r}: {error}."
            cure = "Make the folder writable, or name another one in RETROGRAPH_CACHE_DIR."
        raise EngineInstallError(message, cure=cure) from error


def _fetch_all(jars: list[Jar], folder: Path, mirror: str, meter: _Meter) -> None:
    import httpx  # an install is rare, and every command that talks to a running engine would pay for it

    with (
        httpx.Client(timeout=_TIMEOUT_S, follow_redirects=True) as client,
        ThreadPoolExecutor(_THREADS, thread_name_prefix="engine-install") as pool,
    ):
        fetch = _Fetch(client=client, mirror=mirror.rstrip("/"), folder=folder, meter=meter)
        # The largest first, so that the last thread does not end up alone with one of them.
        futures = [pool.submit(fetch, jar) for jar in sorted(jars, key=lambda jar: -jar.size)]
        try:
            for future in as_completed(futures):
                future.result()
        finally:
            # After a failure or an interrupt the others must not run on to the end of their files.
            meter.cancelled.set()
            pool.shutdown(wait=True, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class _Fetch:
    client: "httpx.Client"
    mirror: str
    folder: Path
    meter: _Meter

    def __call__(self, jar: Jar) -> None:
        """Fetch one jar, trying again where that can help, and put it in its place."""
        import httpx

        part = self.folder / f"{jar.path}.part"
        part.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            resumed = part.exists()
            try:
                self._download(jar, part)
            except httpx.HTTPStatusError as error:
                if error.response.status_code < 500 or attempt == _ATTEMPTS:
                    raise self._refused(jar, error.response.status_code) from error
                continue
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                if attempt == _ATTEMPTS or isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
                    raise self._unreachable(error) from error
                continue
            if self.meter.cancelled.is_set():
                return
            if file_matches(part, jar):
                part.replace(self.folder / jar.path)
                return
            found = _describe(part)
            part.unlink()
            if not resumed:  # a wrong beginning of an earlier run deserves a fresh try, a wrong whole does not
                raise self._wrong(jar, found)
        raise self._wrong(jar, "a beginning that did not fit its end")

    def _download(self, jar: Jar, part: Path) -> None:
        have = part.stat().st_size if part.exists() else 0
        if have >= jar.size:
            part.unlink()
            have = 0
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        with self.client.stream("GET", f"{self.mirror}/{jar.path}", headers=headers) as response:
            response.raise_for_status()
            if response.status_code != 206:
                have = 0
            with part.open("ab" if have else "wb") as file:
                for chunk in response.iter_bytes(_CHUNK):
                    if self.meter.cancelled.is_set():
                        return
                    file.write(chunk)
                    have += len(chunk)
                    if have > jar.size:  # not the file of the lock: do not let it fill the disk
                        return
                    self.meter.set(jar.path, have)

    def _unreachable(self, error: Exception) -> EngineInstallError:
        return EngineInstallError(
            f"Cannot fetch the engine from {self.mirror!r}: {error or type(error).__name__}.",
            cure=f"Check the network and HTTPS_PROXY, or name a mirror in RETROGRAPH_ENGINE_MIRROR. {GO_ON}",
        )

    def _refused(self, jar: Jar, status: int) -> EngineInstallError:
        return EngineInstallError(
            f"{self.mirror!r} answered {status} for {jar.path!r}.",
            cure=f"Name a complete Maven repository in RETROGRAPH_ENGINE_MIRROR. {GO_ON}",
        )

    def _wrong(self, jar: Jar, found: str) -> EngineInstallError:
        return EngineInstallError(
            f"{jar.path!r} from {self.mirror!r} is not the file of the lock: expected {jar.size} bytes with "
            f"sha256 {jar.sha256}, found {found}. It was thrown away.",
            cure="Something on the way changes files (a proxy, a mirror): name another repository in "
            "RETROGRAPH_ENGINE_MIRROR.",
        )


def _describe(path: Path) -> str:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{path.stat().st_size} bytes with sha256 {digest}"


def _mib(count: int) -> int:
    return -(-count // (1 << 20))
