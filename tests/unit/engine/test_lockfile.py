"""The lock that comes with the package, and the tool that makes it."""

import hashlib
import importlib.util
import re
from collections import Counter
from pathlib import Path, PurePosixPath
from types import ModuleType

import pytest

from retrograph.engine.lockfile import EngineLock

TOOL = Path(__file__).parents[3] / "tools" / "lock_engine.py"


@pytest.fixture
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lock_engine", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_bundled_lock_names_the_server_and_the_browser() -> None:
    lock = EngineLock.bundled()
    names = {PurePosixPath(jar.path).name for jar in lock.jars}
    assert f"neo4j-{lock.neo4j}.jar" in names
    assert f"neo4j-server-{lock.neo4j}.jar" in names
    assert f"neo4j-browser-{lock.browser}.jar" in names
    assert tuple(map(int, lock.neo4j.split("."))) >= (2026, 7), "filters with IN need 2026.07"


def test_bundled_lock_is_complete_and_in_order() -> None:
    jars = EngineLock.bundled().jars
    paths = [jar.path for jar in jars]
    assert paths == sorted(paths)
    assert all(re.fullmatch(r"[0-9a-f]{64}", jar.sha256) and jar.size > 0 for jar in jars)
    # Maven layout, group/artifact/version/artifact-version[-classifier].jar, and nothing that leaves it.
    for path in paths:
        *_, artifact, version, name = PurePosixPath(path).parts
        assert name.startswith(f"{artifact}-{version}")
        assert ".." not in path
        assert not path.startswith("/")


def test_bundled_lock_has_one_version_of_each_artifact() -> None:
    folders = {PurePosixPath(jar.path).parent for jar in EngineLock.bundled().jars}
    twice = {artifact for artifact, count in Counter(folder.parent for folder in folders).items() if count > 1}
    assert not twice


def test_tool_writes_what_the_package_reads_and_the_same_every_time(
    tool: ModuleType, tmp_path: Path, jars: dict[str, bytes]
) -> None:
    for path, body in jars.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_bytes(body)
        (tmp_path / path).with_name("maven-metadata-local.xml").write_text("<metadata/>")
    text = tool.lock_text("2027.01.0", "6.0.0", tmp_path)
    assert text == tool.lock_text("2027.01.0", "6.0.0", tmp_path)
    lock = EngineLock.parse(text)
    assert (lock.neo4j, lock.browser) == ("2027.01.0", "6.0.0")
    assert {jar.path: (jar.size, jar.sha256) for jar in lock.jars} == {
        path: (len(body), hashlib.sha256(body).hexdigest()) for path, body in jars.items()
    }
    assert [jar.path for jar in lock.jars] == sorted(jars)
