"""The engine's life with a Java that only pretends: who starts, who shares, who stops it, what goes wrong."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from filelock import FileLock, Timeout

from retrograph.engine import Engine, local, startup
from retrograph.engine.paths import EnginePaths
from retrograph.engine.process import answers_bolt, engine_process, terminate
from retrograph.engine.state import EngineState, read_state, write_state
from retrograph.errors import (
    Conflict,
    EngineAuthError,
    EngineInstallError,
    EngineStartError,
    EngineUnavailable,
)
from retrograph.settings import EngineSettings

posix = pytest.mark.skipif(os.name == "nt", reason="signals and modes of POSIX")


def starts(home: Path) -> int:
    """How often a Java was started in this home."""
    file = home / "starts"
    return len(file.read_text().splitlines()) if file.exists() else 0


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def port_of(uri: str) -> int:
    return int(uri.rpartition(":")[2])


# --- starting and sharing


def test_start_gives_an_address_that_answers(make_engine: Any, home: Path) -> None:
    address = make_engine().start()
    assert address.uri.startswith("bolt://127.0.0.1:")
    assert address.http_url.startswith("http://127.0.0.1:")
    assert answers_bolt(port_of(address.uri))
    assert psutil.pid_exists(address.pid)
    assert address.username == "neo4j"
    assert address.password == (home / "password").read_text()


def test_address_in_a_log_does_not_show_the_password(make_engine: Any) -> None:
    address = make_engine().start()
    assert address.password not in repr(address)


def test_second_start_gives_the_same_address(make_engine: Any, home: Path) -> None:
    assert make_engine().start() == make_engine().start()
    assert starts(home) == 1


@posix
def test_data_folder_by_another_name_is_the_same_engine(
    make_engine: Any, home: Path, fake_java: Path, tmp_path: Path, lock_for: Any, jars: dict[str, bytes]
) -> None:
    address = make_engine().start()
    (tmp_path / "link").symlink_to(tmp_path / "data", target_is_directory=True)
    other = Engine(
        EngineSettings(java_home=fake_java, idle_s=0),
        data_dir=tmp_path / "link",
        cache_dir=tmp_path / "cache",
        lock=lock_for(jars),
    )
    assert other.start() == address
    assert starts(home) == 1


def test_four_starts_at_once_start_one_engine(make_engine: Any, home: Path) -> None:
    engines = [make_engine() for _ in range(4)]
    together = threading.Barrier(4)
    addresses: list[Any] = []

    def run(engine: Any) -> None:
        together.wait()
        addresses.append(engine.start())

    threads = [threading.Thread(target=run, args=(engine,)) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(addresses) == 4
    assert len({address.uri for address in addresses}) == 1
    assert starts(home) == 1


def test_engine_is_nobodys_child(make_engine: Any) -> None:
    address = make_engine().start()
    process = psutil.Process(address.pid)
    assert os.getpid() not in [parent.pid for parent in process.parents()]
    if os.name == "posix":
        assert os.getsid(address.pid) == address.pid


def test_start_without_an_install_names_the_command(make_engine: Any, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "cache")
    with pytest.raises(EngineInstallError, match="not installed") as caught:
        make_engine().start()
    assert "retrograph engine install" in caught.value.cure


# --- the password


def test_password_is_random_and_kept(make_engine: Any) -> None:
    engine = make_engine()
    first = engine.start().password
    engine.stop()
    assert engine.start().password == first
    assert len(first) >= 32


@posix
def test_password_is_readable_by_its_owner_alone(make_engine: Any, home: Path) -> None:
    home.chmod(0o755)
    make_engine().start()
    assert stat.S_IMODE((home / "password").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_password_is_on_no_command_line(make_engine: Any, home: Path) -> None:
    address = make_engine().start()
    command_line, _, argument_file = (home / "said.txt").read_text().partition("\n")
    assert address.password not in command_line
    assert address.password in argument_file
    assert not list((home / "conf").glob("*password*"))
    assert address.password not in " ".join(psutil.Process(address.pid).cmdline())


def test_lost_password_of_existing_data_is_told(make_engine: Any, home: Path) -> None:
    engine = make_engine()
    engine.start()
    engine.stop()
    (home / "password").unlink()
    with pytest.raises(EngineAuthError, match="password file"):
        engine.start()
    assert any("password file" in problem for problem in engine.status().problems)


# --- what is left from before


@posix
def test_killed_engine_is_started_again(make_engine: Any, home: Path) -> None:
    engine = make_engine()
    first = engine.start()
    os.kill(first.pid, signal.SIGKILL)
    wait_until(lambda: engine_process(first.pid, home) is None)
    second = engine.start()
    assert second.pid != first.pid
    assert answers_bolt(port_of(second.uri))
    assert (second.uri, second.password) == (first.uri, first.password)


def test_stale_state_whose_number_another_program_has_is_not_believed(make_engine: Any, home: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        stale = EngineState(pid=other.pid, bolt_port=9, http_port=9, version="2026.08.1", started_at=0, idle_s=0)
        write_state(EnginePaths(home), stale)
        engine = make_engine()
        assert engine.status().pid is None
        assert engine.start().pid != other.pid
        engine.stop()
        assert other.poll() is None, "another program was ended"
        other.communicate(b"\n")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', '{"pid": 1, "surprise": 2}'])
def test_unreadable_state_is_started_over(text: str, make_engine: Any, home: Path) -> None:
    (home / "engine.json").write_text(text)
    assert answers_bolt(port_of(make_engine().start().uri))


def test_engine_nobody_noted_is_replaced(make_engine: Any, home: Path) -> None:
    engine = make_engine()
    first = engine.start()
    (home / "engine.json").unlink()
    second = engine.start()
    assert second.pid != first.pid
    assert engine_process(first.pid, home) is None


@posix
def test_engine_that_hangs_is_replaced(make_engine: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Patience for load, for a polite end, for an answer: what a person waits is too long for a test.
    monkeypatch.setattr(local, "_HANG_S", 0.5)
    monkeypatch.setitem(terminate.__kwdefaults__, "patience_s", 0.5)
    monkeypatch.setitem(answers_bolt.__kwdefaults__, "timeout_s", 1)
    engine = make_engine()
    first = engine.start()
    os.kill(first.pid, signal.SIGSTOP)
    deadline = time.monotonic() + 30
    while psutil.Process(first.pid).status() != psutil.STATUS_STOPPED and time.monotonic() < deadline:
        time.sleep(0.01)
    state = read_state(EnginePaths(home))
    assert state is not None
    write_state(EnginePaths(home), replace(state, started_at=0))  # it was up long ago
    status = engine.status()
    assert status.running is False
    assert any("does not answer" in problem for problem in status.problems)
    assert engine.start().pid != first.pid
    assert engine_process(first.pid, home) is None


def test_start_another_process_left_half_way_is_waited_for(make_engine: Any, home: Path) -> None:
    engine = make_engine()
    address = engine.start()
    state = read_state(EnginePaths(home))
    assert state is not None
    # As after a starter that died: Bolt does not answer yet at the first look, then it does.
    looks = iter([False])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("retrograph.engine.local.answers_bolt", lambda port: next(looks, False))
        assert engine.start() == address
    assert starts(home) == 1


# --- ports


def test_taken_port_of_the_last_run_is_given_up(make_engine: Any, home: Path) -> None:
    engine = make_engine()
    first = engine.start()
    engine.stop()
    with socket.create_server(("127.0.0.1", port_of(first.uri))):
        second = engine.start()
        assert second.uri != first.uri
        assert second.http_url == first.http_url
        conf = (home / "conf" / "neo4j.conf").read_text()
        port = port_of(second.uri)
        assert f"server.bolt.advertised_address=127.0.0.1:{port}\n" in conf
        assert f"ws://127.0.0.1:{port} " in conf
        assert str(port_of(first.uri)) not in conf


def test_ports_are_kept_over_a_restart(make_engine: Any) -> None:
    engine = make_engine()
    first = engine.start()
    engine.stop()
    assert engine.start().uri == first.uri


def test_port_taken_after_it_was_chosen_is_chosen_anew(make_engine: Any, home: Path) -> None:
    (home / "behave").write_text("die java.net.BindException: Address already in use once")
    assert answers_bolt(port_of(make_engine().start().uri))
    assert starts(home) == 2


def test_port_that_is_always_taken_is_told_after_three_tries(make_engine: Any, home: Path) -> None:
    (home / "behave").write_text("die java.net.BindException: Address already in use")
    with pytest.raises(EngineStartError, match="port"):
        make_engine().start()
    assert starts(home) == 3


def test_port_the_user_asked_for_is_used(make_engine: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    assert port_of(make_engine(bolt_port=port).start().uri) == port


@pytest.mark.parametrize("name", ["bolt_port", "http_port"])
def test_port_the_user_asked_for_and_another_has_is_named(name: str, make_engine: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EngineStartError, match=f"Port {port} is taken") as caught:
            make_engine(**{name: port}).start()
    assert f"RETROGRAPH_ENGINE_{name.upper()}" in caught.value.cure


# --- why it does not start


@pytest.mark.parametrize(
    ("said", "told", "cure"),
    [
        (
            "Caused by: java.io.IOException: No space left on device",
            "finds no room on the disk",
            "RETROGRAPH_DATA_DIR",
        ),
        ("Error: Could not reserve enough space for object heap", "not enough memory", "HEAP_MIB"),
        ("ERROR Failed to start Neo4j: something new", "something new", "engine logs"),
    ],
)
def test_engine_that_dies_says_why(said: str, told: str, cure: str, make_engine: Any, home: Path) -> None:
    (home / "logs").mkdir()
    (home / "logs/neo4j.log").write_text("ERROR No space left on device, but that was another day\n")
    (home / "behave").write_text(f"die {said}")
    with pytest.raises(EngineStartError, match=told) as caught:
        make_engine().start()
    assert cure in caught.value.cure
    assert isinstance(caught.value, EngineUnavailable)
    assert caught.value.exit_code == 3
    assert not caught.value.retryable


def test_full_disk_is_found_before_the_start(make_engine: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(home)
    monkeypatch.setattr(startup.shutil, "disk_usage", lambda _: usage._replace(free=1 << 20))
    with pytest.raises(EngineStartError, match="1 MiB free, 256 MiB needed"):
        make_engine().start()
    assert starts(home) == 0


def test_engine_that_hangs_on_a_full_disk_says_so(
    make_engine: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(home)
    monkeypatch.setattr(startup.shutil, "disk_usage", lambda _: usage._replace(free=1 << 20))
    monkeypatch.setattr(startup, "_LEAST_FREE_BYTES", 1)
    (home / "behave").write_text("hang")
    with pytest.raises(EngineStartError, match="no room on the disk"):
        make_engine(start_timeout_s=1).start()
    assert starts(home) == 1


def test_start_that_takes_too_long_is_ended(make_engine: Any, home: Path) -> None:
    (home / "behave").write_text("hang")
    with pytest.raises(EngineStartError, match="did not answer within 1 seconds"):
        make_engine(start_timeout_s=1).start()
    state = read_state(EnginePaths(home))
    assert state is not None
    assert engine_process(state.pid, home) is None


@pytest.mark.parametrize("newer", ["2026.08.2", "2026.10.0", "2027.01.0"])
def test_data_of_a_newer_neo4j_is_refused_with_both_versions(newer: str, make_engine: Any, home: Path) -> None:
    (home / "neo4j-version").write_text(newer)
    engine = make_engine()
    with pytest.raises(EngineStartError, match=newer) as caught:
        engine.start()
    assert "2026.08.1" in caught.value.message
    assert starts(home) == 0
    assert any(newer in problem for problem in engine.status().problems)


@pytest.mark.parametrize("older", ["5.26.0", "2026.07.1", "2026.08.1", "2026.08.0\n"])
def test_data_of_an_older_neo4j_is_opened_and_marked(older: str, make_engine: Any, home: Path) -> None:
    (home / "neo4j-version").write_text(older)
    make_engine().start()
    assert (home / "neo4j-version").read_text() == "2026.08.1"


# --- leases, stopping, status


def test_stop_ends_the_process_and_tells_whether_there_was_one(make_engine: Any, home: Path) -> None:
    engine = make_engine()
    assert engine.stop() is False
    pid = engine.start().pid
    assert engine.stop() is True
    assert engine_process(pid, home) is None
    assert engine.stop() is False


def test_stop_is_refused_while_somebody_holds_a_lease(make_engine: Any) -> None:
    engine = make_engine()
    address = engine.start()
    with engine.lease():
        with pytest.raises(Conflict, match=str(os.getpid())):
            make_engine().stop()
        assert make_engine().status().running
        assert make_engine().stop(force=True) is True
    assert not answers_bolt(port_of(address.uri))


def test_leases_are_counted_and_given_back(make_engine: Any) -> None:
    engine = make_engine()
    first, second = engine.lease(), engine.lease()
    assert engine.status().leases == 2
    first.close()
    first.close()
    assert engine.status().leases == 1
    thread = threading.Thread(target=second.close)
    thread.start()
    thread.join()
    assert engine.status().leases == 0


def test_lease_of_a_dead_process_does_not_count(make_engine: Any, tmp_path: Path, home: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from retrograph.engine.paths import EnginePaths;"
        "from retrograph.engine.state import Lease; lease = Lease(EnginePaths(Path(sys.argv[1])));"
        "print('held', flush=True); input()"
    )
    engine = make_engine()
    with subprocess.Popen(
        [sys.executable, "-c", program, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        assert engine.status().leases == 1
        holder.kill()
    assert engine.status().leases == 0
    assert list((home / "leases").iterdir()) == []


def test_status_before_anything_is_empty_and_makes_nothing(make_engine: Any, tmp_path: Path) -> None:
    status = make_engine().status()
    assert (status.installed, status.running, status.pid, status.uri) == (True, False, None, None)
    assert (status.leases, status.rss_bytes, status.idle_since, status.problems) == (0, None, None, ())
    assert status.version == "2026.08.1"
    assert not (tmp_path / "data").exists()


def test_status_of_a_running_engine_tells_all(make_engine: Any, home: Path) -> None:
    engine = make_engine()
    address = engine.start()
    status = engine.status()
    assert (status.running, status.pid) == (True, address.pid)
    assert (status.uri, status.http_url) == (address.uri, address.http_url)
    assert status.rss_bytes is not None
    assert status.rss_bytes > 1 << 20
    assert status.started_at is not None
    assert status.idle_since is not None
    assert status.idle_since >= status.started_at
    assert status.data_dir == home
    with engine.lease():
        assert engine.status().idle_since is None


def test_status_lists_every_problem_with_its_cure(make_engine: Any, home: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "cache")
    (home / "neo4j-version").write_text("2027.01.0")
    status = make_engine(java_home=tmp_path / "nowhere").status()
    assert not status.installed
    assert [word in problem for word, problem in zip(
        ["engine install", "JAVA_HOME", "2027.01.0"], status.problems, strict=True
    )] == [True] * 3  # fmt: skip


def test_logs_are_the_last_lines_of_both_files(make_engine: Any, home: Path) -> None:
    engine = make_engine()
    assert engine.logs() == []
    engine.start()
    wait_until(lambda: engine.logs() == ["up"])
    (home / "logs" / "neo4j.log").write_text("".join(f"line {n} 行\n" for n in range(200)))
    assert engine.logs(2) == ["line 198 行", "line 199 行"]
    assert engine.logs(201)[0] == "up"


# --- the idle stop


def test_idle_engine_is_stopped(make_engine: Any, home: Path) -> None:
    pid = make_engine(idle_s=0.5).start().pid
    wait_until(lambda: engine_process(pid, home) is None)


def test_leased_engine_is_stopped_only_after_the_lease(make_engine: Any, home: Path) -> None:
    engine = make_engine(idle_s=0.5)
    with engine.lease():
        pid = engine.start().pid
        # The watchdog looks every .2 s: it must have noted the lease as a use at least twice.
        first = (home / "last-use").stat().st_mtime_ns
        wait_until(lambda: (home / "last-use").stat().st_mtime_ns > first)
        second = (home / "last-use").stat().st_mtime_ns
        wait_until(lambda: (home / "last-use").stat().st_mtime_ns > second + 10**9)
        assert engine_process(pid, home) is not None
    wait_until(lambda: engine_process(pid, home) is None)


def test_engine_that_never_stops_gets_no_watchdog(make_engine: Any, home: Path) -> None:
    make_engine(idle_s=0).start()
    assert watchdogs(home) == []


def test_one_watchdog_is_enough_and_a_lost_one_is_replaced(make_engine: Any, home: Path) -> None:
    engine = make_engine(idle_s=600)
    engine.start()
    engine.start()  # may start a second one before the first has its lock; that one leaves again
    wait_until(lambda: len(watchdogs(home)) == 1)
    wait_until(lambda: watchdog_settled(home))
    first = watchdogs(home)[0]
    engine.start()
    assert watchdogs(home) == [first]
    first.kill()
    wait_until(lambda: watchdogs(home) == [])
    engine.start()
    wait_until(lambda: len(watchdogs(home)) == 1)
    for each in watchdogs(home):
        each.kill()


def test_watchdog_ends_with_the_engine(make_engine: Any, home: Path) -> None:
    engine = make_engine(idle_s=3)
    engine.start()
    wait_until(lambda: len(watchdogs(home)) == 1)
    engine.stop()
    wait_until(lambda: watchdogs(home) == [])


def watchdog_settled(home: Path) -> bool:
    lock = FileLock(home / "watchdog.lock", blocking=False, is_singleton=False)
    try:
        with lock:
            return False
    except Timeout:
        return len(watchdogs(home)) == 1


def watchdogs(home: Path) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            command = process.cmdline()
            if "retrograph.engine.watchdog" in command and str(home) in command:
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_watchdog_imports_nothing_heavy() -> None:
    program = (
        "import sys, json, retrograph.engine.watchdog;"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    heavy = {"pydantic", "httpx", "neo4j", "numpy", "spacy", "fastmcp", "rich", "typer", "asyncio", "torch"}
    assert not heavy & set(json.loads(answer.stdout))


def test_state_survives_its_note(home: Path) -> None:
    paths = EnginePaths(home)
    state = EngineState(pid=1, bolt_port=2, http_port=3, version="v", started_at=4.5, idle_s=6)
    write_state(paths, state)
    write_state(paths, replace(state, pid=7))
    assert read_state(paths) == replace(state, pid=7)
    assert [path.name for path in home.iterdir()] == ["engine.json"]
