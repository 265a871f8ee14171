"""A fake Java and a fake Maven repository: the engine's own logic without Neo4j and without a network."""

import hashlib
import http.server
import os
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from retrograph.engine.local import Engine
from retrograph.engine.lockfile import EngineLock, Jar
from retrograph.settings import EngineSettings

JARS = {
    "org/example/one/1/one-1.jar": b"one" * 1000,
    "org/example/two/2/two-2.jar": b"two" * 50_000,
    "net/example/three/3/three-3.jar": b"3" * 200_000,
}

# Knows its ports from neo4j.conf, answers Bolt's greeting, and does what the file `behave` in its home says.
FAKE_JAVA = """\
#!{python}
import os, signal, socket, sys, threading, time
from pathlib import Path

if sys.argv[1:] == ["-version"]:
    sys.exit(0)
if not any(a.startswith("--home-dir=") for a in sys.argv):
    home = Path(os.environ["NEO4J_HOME"])
    (home / "said.txt").write_text(" ".join(sys.argv) + "\\n" + Path(sys.argv[2][1:]).read_text())
    (home / "data/dbms").mkdir(parents=True, exist_ok=True)
    (home / "data/dbms/auth.ini").write_text("set")
    sys.exit(0)
home = Path(next(a for a in sys.argv if a.startswith("--home-dir=")).partition("=")[2])
behave = (home / "behave").read_text() if (home / "behave").exists() else ""
with (home / "starts").open("a") as file:
    file.write(f"{{os.getpid()}}\\n")
if behave.startswith("die "):
    (home / "logs/neo4j.log").open("a").write(behave[4:] + "\\n")
    if behave.endswith(" once"):
        (home / "behave").unlink()
    sys.exit(1)
if behave == "hang":
    time.sleep(600)
if behave == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
conf = dict(l.split("=", 1) for l in (home / "conf/neo4j.conf").read_text().splitlines() if "=" in l)
(home / "data/databases/system").mkdir(parents=True, exist_ok=True)

def serve(name):
    port = int(conf[f"server.{{name}}.listen_address"].rpartition(":")[2])
    server = socket.create_server(("127.0.0.1", port))
    while True:
        connection, _ = server.accept()
        with connection:
            connection.settimeout(1)
            try:
                if connection.recv(20):
                    connection.sendall(bytes([0, 0, 8, 5]))
            except OSError:
                pass

for name in ("bolt", "http"):
    threading.Thread(target=serve, args=(name,), daemon=True).start()
print("up", flush=True)
while True:
    time.sleep(600)
"""


def lock_of(files: dict[str, bytes]) -> EngineLock:
    jars = tuple(Jar(path, len(body), hashlib.sha256(body).hexdigest()) for path, body in files.items())
    return EngineLock(neo4j="2026.08.1", browser="5.24.0", jars=jars)


@dataclass
class Mirror:
    """A Maven repository on loopback.

    `files` is what it serves; `ranges` tells whether it can serve the rest of a file; `cut` ends the first
    answers for a path after so many bytes; `status` answers a path with an error.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=lambda: dict(JARS))
    ranges: bool = True
    cut: dict[str, list[int]] = field(default_factory=dict)
    status: dict[str, list[int]] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    def paths_asked(self) -> list[str]:
        return sorted(path for path, _ in self.asked)


class _Handler(http.server.BaseHTTPRequestHandler):
    def __init__(self, mirror: Mirror, *arguments: object) -> None:
        self.mirror = mirror
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = self.path.removeprefix("/")
        wanted = self.headers.get("Range")
        self.mirror.asked.append((path, wanted))
        if self.mirror.status.get(path):
            self.send_error(self.mirror.status[path].pop(0))
            return
        if path not in self.mirror.files:
            self.send_error(404)
            return
        body = self.mirror.files[path]
        if wanted and self.mirror.ranges:
            body = body[int(wanted.removeprefix("bytes=").removesuffix("-")) :]
            self.send_response(206)
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cuts = self.mirror.cut.get(path)
        self.wfile.write(body[: cuts.pop(0)] if cuts else body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    """A mirror that serves the fake jars."""
    mirror = Mirror()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, mirror)) as server:
        mirror.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield mirror
        server.shutdown()
        thread.join()


@pytest.fixture
def fake_java(tmp_path: Path) -> Path:
    """A Java home whose `java` is a program of a few lines."""
    home = tmp_path / "java home"  # with a space, as on many machines
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text('JAVA_VERSION="25.0.2"\n')
    java = home / "bin" / "java"
    java.write_text(textwrap.dedent(FAKE_JAVA).format(python=sys.executable))
    java.chmod(0o755)
    return home


@pytest.fixture
def jars() -> dict[str, bytes]:
    """What the fake engine consists of."""
    return dict(JARS)


@pytest.fixture
def lock_for() -> Callable[[dict[str, bytes]], EngineLock]:
    """Makes the lock of some files."""
    return lock_of


MakeEngine = Callable[..., Engine]


@pytest.fixture
def make_engine(tmp_path: Path, fake_java: Path) -> Iterator[MakeEngine]:
    """Builds engines over one data folder, with jars in place and the fake Java; stops them at the end."""
    for path, body in JARS.items():
        jar = tmp_path / "cache" / "jars" / path
        jar.parent.mkdir(parents=True)
        jar.write_bytes(body)
    (tmp_path / "cache" / "neo4j-2026.08.1.installed").write_text(lock_of(JARS).digest)
    made: list[Engine] = []

    def make(**settings: object) -> Engine:
        values = {"java_home": fake_java, "start_timeout_s": 20, "idle_s": 0} | settings
        engine = Engine(
            EngineSettings.model_validate(values),
            data_dir=tmp_path / "data",
            cache_dir=tmp_path / "cache",
            lock=lock_of(JARS),
        )
        made.append(engine)
        return engine

    yield make
    for engine in made:
        engine.stop(force=True)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of the engines `make_engine` makes."""
    home = tmp_path / "data" / "engine"
    os.makedirs(home, mode=0o700)
    return home
