"""Fixtures: a real Neo4j for all tests of a run, a fresh bank for each test.

Where the Neo4j comes from: RETROGRAPH_TEST_URI if it is set; else a container where a Docker engine runs; else
the local engine, installed into the cache folder if it is not there.
"""

import logging
import os
import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest
from uuid_utils import uuid7

from retrograph.engine import Engine
from retrograph.graph import Connection, Graph, migrate
from retrograph.memory import Memory
from retrograph.settings import Settings

_IMAGE = "neo4j:2026.08.1-community"
_PASSWORD = "a-password-for-tests"


@pytest.fixture(scope="session", autouse=True)
def _own_environment(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """No test sees the settings, banks or engine of whoever runs it."""
    patch = pytest.MonkeyPatch()
    kept = ("RETROGRAPH_CACHE_DIR", "RETROGRAPH_TEST_URI", "RETROGRAPH_TEST_PASSWORD", "RETROGRAPH_ENGINE_MIRROR")
    for name in list(os.environ):
        if name.startswith("RETROGRAPH_") and name not in kept:
            patch.delenv(name)
    patch.setenv("RETROGRAPH_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    patch.setenv("TZ", "UTC")
    # Engines that live for minutes: what Java would learn of them costs more than it brings.
    patch.setenv("RETROGRAPH_ENGINE_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")
    notices, told = _NoticesFail(logging.WARNING), logging.getLogger("neo4j.notifications")
    told.setLevel(logging.WARNING)  # Its own: the command line quiets the driver as a whole.
    told.addHandler(notices)
    yield
    told.removeHandler(notices)
    patch.undo()


class _NoticesFail(logging.Handler):
    """A notice of the server, of deprecation above all, fails the test.

    The driver's own warnings (`warn_notification_severity`) would too, at the price of `inspect.stack()` for each
    query: more than half of what the tests' Python cost.
    """

    def emit(self, record: logging.LogRecord) -> None:
        # An unknown label or property is no fault: every one is unknown to an empty database.
        if "UNRECOGNIZED" not in (notice := record.getMessage()):
            raise AssertionError(notice)


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Generator[Connection]:
    """A Neo4j at the schema of this version, for all tests of the run."""
    uri = os.environ.get("RETROGRAPH_TEST_URI")
    if uri:
        source = _given(uri)
    elif _docker_answers():
        source = _container()
    else:
        source = _local_engine(tmp_path_factory.mktemp("engine"))
    for connection in source:
        with Graph(lambda at=connection: at) as graph:
            migrate(graph)
        yield connection


@pytest.fixture(scope="session")
def graph(database: Connection) -> Generator[Graph]:
    """The database as a graph."""
    with Graph(lambda: database) as opened:
        yield opened


@pytest.fixture
def settings(database: Connection) -> Settings:
    """Settings for the database, with a bank that nobody has used."""
    return Settings.load(
        uri=database.uri,
        username=database.username,
        password=database.password,
        bank=f"test-{uuid7()}",
    )


@pytest.fixture(scope="session")
def _shared_memory(database: Connection) -> Generator[Memory]:
    made = Memory(Settings.load(uri=database.uri, username=database.username, password=database.password))
    yield made
    made.close()


@pytest.fixture
def memory(_shared_memory: Memory, settings: Settings) -> Memory:
    """A memory of a fresh bank; its models are loaded once a run."""
    return _shared_memory.for_identity(settings.identity)


def _given(uri: str) -> Generator[Connection]:
    yield Connection(uri, "neo4j", os.environ.get("RETROGRAPH_TEST_PASSWORD", ""))


def _container() -> Generator[Connection]:
    from testcontainers.neo4j import Neo4jContainer

    with Neo4jContainer(_IMAGE, password=_PASSWORD) as container:
        yield Connection(container.get_connection_url(), "neo4j", _PASSWORD)


def _local_engine(folder: Path) -> Generator[Connection]:
    base = Settings.load(data_dir=folder)
    engine = Engine(base.engine, data_dir=folder, cache_dir=base.cache_dir)
    if not engine.is_installed():
        engine.install()
    lease = engine.lease()
    address = engine.start()
    yield Connection(address.uri, address.username, address.password)
    lease.close()
    engine.stop(force=True)


def _docker_answers() -> bool:
    docker = shutil.which("docker")
    if not docker:
        return False
    return subprocess.run([docker, "info"], capture_output=True, check=False).returncode == 0
