"""The local engine for real: Neo4j on a Java, started, shared, killed, moved to other ports, stopped."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import neo4j
import psutil
import pytest

from retrograph.engine import Engine, EngineAddress
from retrograph.errors import EngineInstallError
from retrograph.settings import EngineSettings, Settings

START = """
import json, sys
from pathlib import Path
from retrograph.engine import Engine
from retrograph.settings import EngineSettings
settings, data_dir, cache_dir = sys.argv[1:]
settings = EngineSettings(**json.loads(settings))
engine = Engine(settings, data_dir=Path(data_dir), cache_dir=Path(cache_dir))
address = engine.start()
print(json.dumps([address.uri, address.pid]))
"""
SMALL = {"heap_mib": 512, "page_cache_mib": 64, "start_timeout_s": 180}


@pytest.fixture(scope="module")
def cache_dir() -> Path:
    """The jars: those of the user, fetched now if they are not there yet."""
    cache_dir = Settings().cache_dir
    try:
        Engine(EngineSettings(), data_dir=cache_dir, cache_dir=cache_dir).install()
    except EngineInstallError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"the local engine cannot be installed: {error}")
    return cache_dir


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One database for the whole file: a first start is the slow one."""
    return tmp_path_factory.mktemp("with a space 与中文")


@pytest.fixture(scope="module")
def make(data_dir: Path, cache_dir: Path) -> Iterator[Callable[..., Engine]]:
    """Engines over that database; whatever runs at the end is stopped."""

    def make(**settings: Any) -> Engine:
        values = SMALL | {"idle_s": 0} | settings
        return Engine(EngineSettings(**values), data_dir=data_dir, cache_dir=cache_dir)

    # The first password may begin with a hyphen, and then looks like an option.
    home = data_dir / "engine"
    home.mkdir(mode=0o700)
    (home / "password").write_text("-begins_with-a-hyphen_0123456789")
    yield make
    make().stop(force=True)


def query(address: EngineAddress, cypher: str, /, **parameters: object) -> list[dict[str, Any]]:
    with neo4j.GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        records, _, _ = driver.execute_query(cypher, parameters_=parameters)
        return [record.data() for record in records]


def test_engine_answers_as_soon_as_start_returns(make: Callable[..., Engine], data_dir: Path) -> None:
    engine = make()
    engine.stop(force=True)
    address = engine.start()
    assert query(address, "RETURN 1 AS one") == [{"one": 1}]
    status = engine.status()
    assert (status.installed, status.running, status.problems) == (True, True, ())
    assert any("Started." in line for line in engine.logs())


def test_engine_listens_on_loopback_and_calls_nobody(make: Callable[..., Engine]) -> None:
    address = make().start()
    for connection in psutil.Process(address.pid).net_connections("inet"):
        assert connection.laddr.ip.removeprefix("::ffff:") == "127.0.0.1"
        if connection.raddr:
            assert connection.raddr.ip.removeprefix("::ffff:") == "127.0.0.1"
    wanted = {
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        "server.fleet_discovery.enabled": "false",
        "dbms.fleet_manager.enabled": "false",
        "dbms.security.auth_enabled": "true",
        "server.bolt.advertised_address": address.uri.removeprefix("bolt://"),
        "server.http.advertised_address": address.http_url.removeprefix("http://"),
    }
    rows = query(address, "SHOW SETTINGS YIELD name, value WHERE name IN $names RETURN name, value", names=list(wanted))
    assert {row["name"]: row["value"] for row in rows} == wanted


def test_wrong_password_is_refused(make: Callable[..., Engine]) -> None:
    address = make().start()
    driver = neo4j.GraphDatabase.driver(address.uri, auth=("neo4j", "wrong"))
    with driver, pytest.raises(neo4j.exceptions.AuthError):
        driver.execute_query("RETURN 1")


def test_browser_is_served_and_may_talk_to_this_machine_alone(make: Callable[..., Engine]) -> None:
    address = make().start()
    with urllib.request.urlopen(f"{address.http_url}/browser/", timeout=60) as page:
        assert page.status == 200
        policy = page.headers["Content-Security-Policy"]
    assert f"ws://{address.uri.removeprefix('bolt://')}" in policy
    assert "default-src 'self'" in policy
    with urllib.request.urlopen(address.http_url, timeout=60) as discovery:
        assert json.load(discovery)["bolt_direct"] == address.uri


def test_acknowledged_write_survives_a_killed_engine(make: Callable[..., Engine], data_dir: Path) -> None:
    engine = make()
    first = engine.start()
    query(first, "CREATE (:Kept {text: $text})", text="kept 记住")
    process = psutil.Process(first.pid)
    process.kill()
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.05)
    second = engine.start()
    assert second.pid != first.pid
    assert query(second, "MATCH (n:Kept) RETURN n.text AS text") == [{"text": "kept 记住"}]


def test_two_processes_starting_at_once_share_one_engine_that_outlives_them(
    make: Callable[..., Engine], data_dir: Path, cache_dir: Path
) -> None:
    make().stop(force=True)
    command = [
        sys.executable, "-c", START, json.dumps(SMALL | {"idle_s": 0}), str(data_dir), str(cache_dir)
    ]  # fmt: skip
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [process.communicate(timeout=300)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert answers[0] == answers[1]
    address = make().start()
    assert json.loads(answers[0]) == [address.uri, address.pid]
    assert query(address, "RETURN 1 AS one") == [{"one": 1}]


def test_restart_beside_a_program_on_its_ports_moves_to_others(make: Callable[..., Engine]) -> None:
    engine = make()
    first = engine.start()
    engine.stop()
    ports = [int(url.rpartition(":")[2]) for url in (first.uri, first.http_url)]
    with socket.create_server(("127.0.0.1", ports[0])), socket.create_server(("127.0.0.1", ports[1])):
        second = engine.start()
        assert {first.uri, first.http_url}.isdisjoint({second.uri, second.http_url})
        with urllib.request.urlopen(second.http_url, timeout=60) as discovery:
            assert json.load(discovery)["bolt_direct"] == second.uri
        assert query(second, "RETURN 1 AS one") == [{"one": 1}]


def test_idle_engine_stops_cleanly_and_comes_back_with_its_data(make: Callable[..., Engine]) -> None:
    engine = make()
    engine.stop(force=True)
    engine = make(idle_s=2)
    with engine.lease():
        first = engine.start()
        query(first, "MERGE (:Idle)")
    process = psutil.Process(first.pid)
    deadline = time.monotonic() + 120
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert engine.logs(1)[0].endswith("Stopped.")
    assert not engine.status().running
    with engine.lease():
        assert query(engine.start(), "MATCH (n:Idle) RETURN count(n) AS count") == [{"count": 1}]
