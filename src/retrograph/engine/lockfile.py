"""The lock file: which jars make up the engine, and how each is known to be the right one."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Jar:
    """One file of the engine.

    Attributes:
        path: Path in a Maven repository, with forward slashes.
        size: Bytes.
        sha256: Lower-case hexadecimal digest of the whole file.
    """

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class EngineLock:
    """Every jar of one engine version.

    Attributes:
        neo4j: Version of the server, such as `2026.08.1`.
        browser: Version of Neo4j Browser.
        jars: In class path order.
    """

    neo4j: str
    browser: str
    jars: tuple[Jar, ...]

    @classmethod
    def parse(cls, text: str) -> "EngineLock":
        """Read a lock from the JSON text that `tools/lock_engine.py` writes."""
        raw = json.loads(text)
        jars = tuple(Jar(path=jar["path"], size=jar["size"], sha256=jar["sha256"]) for jar in raw["jars"])
        return cls(neo4j=raw["neo4j"], browser=raw["browser"], jars=jars)

    @classmethod
    def bundled(cls) -> "EngineLock":
        """The lock that came with this version of Retrograph."""
        text = resources.files("retrograph.engine").joinpath("neo4j.lock.json").read_text(encoding="utf-8")
        return cls.parse(text)

    @property
    def size(self) -> int:
        """Bytes of all jars together."""
        return sum(jar.size for jar in self.jars)

    @cached_property
    def digest(self) -> str:
        """One sha256 over all jars: two locks with the same digest name the same files."""
        lines = "\n".join(f"{jar.sha256} {jar.path}" for jar in self.jars)
        return hashlib.sha256(lines.encode()).hexdigest()


def file_matches(path: Path, jar: Jar) -> bool:
    """Whether a file is exactly the jar of the lock; reads the whole file only when its size is right."""
    try:
        if path.stat().st_size != jar.size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False
