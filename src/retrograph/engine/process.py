"""The engine as a process: starting it, knowing it again, asking whether it answers, ending it."""

import socket
import subprocess
import sys
from pathlib import Path

import psutil

MAIN_CLASS = "org.neo4j.server.Neo4jCommunity"
_STOP_S = 60
# Bolt's magic number and the versions we speak: 5.8 down to 5.0, then 4.4.
_BOLT_HELLO = bytes.fromhex("6060b017 00080805 00000404 00000000 00000000")


def home_argument(home: Path) -> str:
    """The argument that tells one engine's process from every other."""
    return f"--home-dir={home}"


def start_detached(command: list[str], log: Path, *, environment: dict[str, str] | None = None) -> int:
    """Start a program in a session of its own, with its output in a file.

    Args:
        command: Program and arguments.
        log: File for its output; replaced.
        environment: Its environment; this process's unless given.

    Returns:
        Its process number.

    Raises:
        OSError: It could not be started.
    """
    detach = str(Path(__file__).with_name("detach.py"))
    answer = subprocess.run(
        [sys.executable, "-I", "-S", detach, str(log), *command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode:
        raise OSError(f"cannot start {command[0]!r}: {answer.stderr.strip().splitlines()[-1:]}")
    return int(answer.stdout)


def engine_process(pid: int, home: Path) -> psutil.Process | None:
    """The process with this number, if it is this engine; None if it ended or is another program by now.

    The home in the command line decides: process numbers are used again, and start times move when the clock
    is set, but no other program carries this home.
    """
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process if _is_engine(process.cmdline(), home) else None
    except psutil.Error:
        return None


def find_engine_processes(home: Path) -> list[psutil.Process]:
    """Every process that runs this engine, noted or not; looks at all processes of the machine."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and _is_engine(process.cmdline(), home):
                found.append(process)
        except psutil.Error:
            continue
    return found


def _is_engine(command: list[str], home: Path) -> bool:
    return MAIN_CLASS in command and home_argument(home) in command


def terminate(process: psutil.Process, *, patience_s: float = _STOP_S) -> None:
    """End a process: ask, wait, then make it; Neo4j recovers from the latter."""
    try:
        process.terminate()
        process.wait(patience_s)
    except psutil.TimeoutExpired:
        kill(process)
    except psutil.NoSuchProcess:
        return


def kill(process: psutil.Process) -> None:
    """End a process at once."""
    try:
        process.kill()
        process.wait(_STOP_S)
    except psutil.NoSuchProcess:
        return


def answers_bolt(port: int, *, timeout_s: float = 5) -> bool:
    """Whether a Bolt server on this port of the loopback agrees on a version."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout_s) as connection:
            connection.sendall(_BOLT_HELLO)
            version = connection.recv(4, socket.MSG_WAITALL)
            return len(version) == 4 and version != bytes(4)
    except OSError:
        return False


def accepts(port: int, *, timeout_s: float = 5) -> bool:
    """Whether anything accepts connections on this port of the loopback."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout_s):
            return True
    except OSError:
        return False


def is_free(port: int) -> bool:
    """Whether this port of the loopback could be listened on right now."""
    with socket.socket() as probe:
        if sys.platform != "win32":  # as Neo4j does: connections of the last run may linger
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_ports(count: int) -> list[int]:
    """As many different free ports of the loopback."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
