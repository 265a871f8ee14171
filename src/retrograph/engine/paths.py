"""Where everything of one engine lies, and writing there so that a crash leaves no half file."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class EnginePaths:
    """The files of one engine; one home is one database.

    Attributes:
        home: The engine's own folder, Neo4j's home; only its owner can enter it.
    """

    home: Path

    @property
    def state(self) -> Path:
        """The last run: process, ports, version."""
        return self.home / "engine.json"

    @property
    def lock(self) -> Path:
        """Held while the engine is started or stopped."""
        return self.home / "engine.lock"

    @property
    def watchdog_lock(self) -> Path:
        """Held by the watchdog as long as it lives."""
        return self.home / "watchdog.lock"

    @property
    def leases(self) -> Path:
        """One locked file for each user of the engine."""
        return self.home / "leases"

    @property
    def last_use(self) -> Path:
        """Its modification time is when the engine was last used."""
        return self.home / "last-use"

    @property
    def password(self) -> Path:
        """The password of user neo4j, readable by its owner alone."""
        return self.home / "password"

    @property
    def data_version(self) -> Path:
        """The newest Neo4j that has opened this data."""
        return self.home / "neo4j-version"

    @property
    def conf(self) -> Path:
        """Neo4j's configuration folder, written anew at each start."""
        return self.home / "conf"

    @property
    def java_arguments(self) -> Path:
        """Argument file of the Java that runs the engine."""
        return self.home / "conf" / "java.args"

    @property
    def page(self) -> Path:
        """Neo4j Browser's page, unpacked, with our guide and style beside it."""
        return self.home / "page"

    @property
    def system_database(self) -> Path:
        """Exists once Neo4j has started for the first time; the password lives in it from then on."""
        return self.home / "data" / "databases" / "system"

    @property
    def log(self) -> Path:
        """What Neo4j tells its users."""
        return self.home / "logs" / "neo4j.log"

    @property
    def console(self) -> Path:
        """What Java printed in the last run."""
        return self.home / "logs" / "console.log"

    def create(self) -> None:
        """Make the folders; private ones from their first moment."""
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.home.chmod(0o700)
        for folder in (self.conf, self.leases, self.log.parent):
            folder.mkdir(exist_ok=True)


def write_private(path: Path, text: str) -> None:
    """Replace a file whole, never readable by anybody but its owner."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
