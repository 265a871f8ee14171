"""Backup of a stopped engine: its data, its password and its version in one archive that is whole or not there."""

import io
import json
import os
import shutil
import tarfile
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from retrograph.engine.paths import EnginePaths
from retrograph.errors import Conflict, InvalidInput

_MANIFEST = "backup.json"
_DATA = "data"


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was written, or put back.

    Attributes:
        file: The archive.
        version: The Neo4j that last opened its data.
        at: When it was made.
        bytes: Size of the archive.
        set_aside: Where the data that was there before lies now; None where there was none.
    """

    file: Path
    version: str
    at: datetime
    bytes: int
    set_aside: Path | None = None


def write_backup(paths: EnginePaths, target: Path) -> BackupReport:
    """Packs the data of an engine that is stopped, and stays so meanwhile.

    The archive holds the password of the database, so only its owner can read it.

    Raises:
        InvalidInput: There is no data, or the archive cannot be written.
    """
    if not paths.system_database.exists():
        raise InvalidInput("there is nothing to back up: the local engine has no data yet", field="file")
    at = datetime.now(UTC)
    version = _version(paths)
    manifest = json.dumps({"retrograph": "backup", "neo4j": version, "at": at.isoformat()}).encode()
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as archive:
                entry = tarfile.TarInfo(_MANIFEST)
                entry.size = len(manifest)
                archive.addfile(entry, io.BytesIO(manifest))
                for path in (paths.home / _DATA, paths.password, paths.data_version):
                    archive.add(path, arcname=path.name)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {error.strerror}", field="file") from error
    finally:
        partial.unlink(missing_ok=True)
    return BackupReport(target, version, at, target.stat().st_size)


def put_back(paths: EnginePaths, source: Path, *, replace: bool, newest: str) -> BackupReport:
    """Unpacks a backup in place of the data of an engine that is stopped, and stays so meanwhile.

    The data that was there is set aside, not removed.

    Args:
        paths: The engine's.
        source: What `write_backup` wrote.
        replace: Whether data that is there may be set aside.
        newest: The Neo4j that will open it: older data it can read, newer it cannot.

    Raises:
        InvalidInput: The archive cannot be read, or is no backup; nothing was changed.
        Conflict: There is data, and `replace` is not set; or the backup is of a newer Neo4j.
    """
    has_data = paths.system_database.exists()
    if has_data and not replace:
        raise Conflict(
            f"the local engine in {paths.home} has data already",
            cure="Add --replace: what is there is set aside, not removed.",
        )
    paths.create()
    unpacked = Path(tempfile.mkdtemp(prefix="restore-", dir=paths.home))
    try:
        manifest = _unpack(source, unpacked)
        if _as_numbers(manifest["neo4j"]) > _as_numbers(newest):
            raise Conflict(
                f"the backup was made with Neo4j {manifest['neo4j']}, this is {newest}",
                cure="Update Retrograph: pip install --upgrade retrograph",
            )
        aside = paths.home / f"before-restore-{int(time.time())}" if has_data else None
        if aside:
            aside.mkdir()
            for path in (paths.home / _DATA, paths.password, paths.data_version):
                if path.exists():
                    path.replace(aside / path.name)
        # The data last: an engine without its system database is a new one, so a kill in between loses nothing.
        for name in (paths.password.name, paths.data_version.name, _DATA):
            (unpacked / name).replace(paths.home / name)
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)
    at = datetime.fromisoformat(manifest["at"])
    return BackupReport(source, manifest["neo4j"], at, source.stat().st_size, aside)


def _unpack(source: Path, folder: Path) -> dict[str, str]:
    try:
        with tarfile.open(source, mode="r:gz") as archive:
            archive.extractall(folder, filter="data")
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InvalidInput(f"{source} is not there, or is no backup of an engine", field="file") from error
    except (OSError, EOFError, tarfile.TarError, ValueError) as error:
        raise InvalidInput(f"{source} is no backup that can be read: {error}", field="file") from error
    missing = [name for name in (_DATA, "password", "neo4j-version") if not (folder / name).exists()]
    if manifest.get("retrograph") != "backup" or missing:
        raise InvalidInput(
            f"{source} is no backup of an engine", cure="`retrograph backup FILE` makes one.", field="file"
        )
    return manifest


def _version(paths: EnginePaths) -> str:
    return paths.data_version.read_text(encoding="utf-8").strip()


def _as_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
