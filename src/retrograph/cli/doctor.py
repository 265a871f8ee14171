"""`retrograph doctor`: what works here, what does not, and what to do about it."""

import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from retrograph.errors import RetrographError

if TYPE_CHECKING:
    from retrograph.consolidation import CheckReport
    from retrograph.encoders import Encoder
    from retrograph.engine import Engine
    from retrograph.graph import Graph
    from retrograph.settings import Settings

LEAST_NEO4J = (2026, 7)
_SHOWN = 5
_DIMENSIONS = 384
"""Of the bundled encoder; a longer vector asks for more than is told."""
_LEAST_FREE_MIB = 300
_GOOD_FREE_MIB = 2048
_PLATFORMS = (("Linux", "x86_64"), ("Linux", "aarch64"), ("Darwin", "arm64"))


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Args:
        name: What.
        status: How it stands; `skipped` where something before it failed or it was not asked for.
        message: What was found.
        cure: What to do about it.
        exit_code: The exit code it asks for where it failed.
    """

    name: str
    status: Literal["ok", "warn", "fail", "skipped"]
    message: str
    cure: str = ""
    exit_code: int = 1


@dataclass(frozen=True, slots=True)
class Patient:
    """What is examined.

    Args:
        settings: Settings.
        config: The settings file that was named, or None.
        engine: The local engine.
        graph: The database that the settings name, not yet connected.
        open_encoder: Loads the encoder that the settings name.
        load_models: Loads the language models of the extraction.
        ask_mirror: Asks the Maven repository for one small file.
    """

    settings: "Settings"
    config: Path | None
    engine: "Engine"
    graph: "Graph"
    open_encoder: Callable[[], "Encoder"]
    load_models: Callable[[], None]
    ask_mirror: Callable[[], None]


def examine(patient: Patient, *, online: bool, start: bool) -> Iterator[Check]:
    """Looks at everything in turn.

    Args:
        patient: What is examined.
        online: Ask the network too.
        start: Start the local engine where it is installed and does not run.
    """
    yield _python()
    yield from _configuration(patient)
    yield _room(patient.settings)
    if online:
        yield _attempt("network", lambda: (patient.ask_mirror(), f"{patient.settings.engine.mirror} answers")[1])
    is_local = patient.settings.uri is None
    reachable = True
    if is_local:
        for check in _local_engine(patient, start=start):
            yield check
            reachable = reachable and check.status in ("ok", "warn")
    database = list(_database(patient)) if reachable else []
    yield from database or _skipped("database", "Neo4j version", "schema", why="the engine is not there")
    answers = bool(database) and database[0].status == "ok"
    yield _memory_size(patient) if answers else next(_skipped("memory", why="the database does not answer"))
    yield from _encoder(patient, has_database=answers)
    yield _attempt("language models", lambda: (patient.load_models(), "English and Chinese are loaded")[1])


def examine_deep(patient: Patient, *, repair: bool) -> "CheckReport":
    """Looks at everything that has to hold of the bank that the settings name; repairs what is safe where asked.

    Raises:
        RetrographError: The database does not answer, or the encoder that a vector needs is not there.
    """
    from retrograph.consolidation import check_bank
    from retrograph.graph import migrate

    migrate(patient.graph)
    return check_bank(patient.graph, patient.settings.bank, encoder=patient.open_encoder, repair=repair)


def deep_checks(report: "CheckReport") -> Iterator[Check]:
    """A report on a bank as checks, one for each thing that has to hold."""
    from retrograph.consolidation import CHECKS

    for name, meaning in CHECKS.items():
        count = report.counts.get(name, 0)
        told = [fault for fault in report.faults if fault.check == name]
        left = count - sum(fault.repaired for fault in told)
        if not count:
            yield Check(f"bank: {name}", "ok", meaning)
            continue
        some = ", ".join(f"{fault.id} ({fault.detail})" if fault.detail else fault.id for fault in told[:_SHOWN])
        more = f" and {count - _SHOWN:,} more (--json names them)" if count > _SHOWN else ""
        found = f"{meaning}: not so of {some}{more}"
        if left:
            cure = "`retrograph doctor --deep --repair` puts right what is safe; the rest needs you."
            yield Check(f"bank: {name}", "fail", found, cure)
        else:
            yield Check(f"bank: {name}", "warn", found, "It was put right.")


def _python() -> Check:
    system, machine = platform.system(), platform.machine()
    found = f"Python {platform.python_version()} on {system} {machine}"
    machine = {"arm64": "aarch64", "AMD64": "x86_64"}.get(machine, machine) if system == "Linux" else machine
    if (system, machine) in _PLATFORMS:
        return Check("platform", "ok", found)
    return Check(
        "platform",
        "warn",
        f"{found}: the bundled encoder has no build for it",
        "Set RETROGRAPH_ENCODER to sentence-transformers:<model> or openai:<url>#<model>.",
    )


def _configuration(patient: Patient) -> Iterator[Check]:
    from retrograph.settings import config_path, unknown_environment

    path, _ = config_path(patient.config)
    found = str(path) if path.exists() else f"no file ({path} would be read)"
    yield Check("settings", "ok", f"{found}; bank {patient.settings.bank!r}")
    for name, near in unknown_environment().items():
        yield Check(
            "settings",
            "warn",
            f"{name} is set and is no setting",
            f"Did you mean {near}?" if near else "`retrograph config` lists all settings.",
        )
    if sys.platform != "win32" and path.exists() and path.stat().st_mode & 0o044 and _has_secret(path):
        yield Check("settings", "warn", f"{path} holds a secret that others can read", f"chmod 600 {path}")


def _has_secret(path: Path) -> bool:
    words = ("password", "encoder_api_key", "summary_api_key", "token")
    return any(line.split("=")[0].strip() in words for line in path.read_text("utf-8", "replace").splitlines())


def _room(settings: "Settings") -> Check:
    folder = next(place for place in (settings.data_dir, *settings.data_dir.absolute().parents) if place.exists())
    free = shutil.disk_usage(folder).free >> 20
    found = f"{free:,} MiB free for {settings.data_dir}"
    if free >= _GOOD_FREE_MIB:
        return Check("disk", "ok", found)
    cure = "Free some space, or name another folder in RETROGRAPH_DATA_DIR."
    return Check("disk", "warn" if free >= _LEAST_FREE_MIB else "fail", found, cure)


def _local_engine(patient: Patient, *, start: bool) -> Iterator[Check]:
    from retrograph.engine.java import find_java

    def java() -> str:
        chosen = find_java(patient.settings.engine.java_home)
        return f"{chosen.major} ({chosen.executable})"

    yield _attempt("Java", java)
    yield (installed := _installed(patient))
    if installed.status == "fail":
        return
    state = patient.engine.status()
    if not state.running and not start:
        yield Check("engine", "skipped", "not running; it starts when it is needed")
        return
    yield _attempt("engine", lambda: f"running at {patient.engine.start().uri}")


def _installed(patient: Patient) -> Check:
    from retrograph.engine.install import jar_folder
    from retrograph.engine.lockfile import EngineLock, file_matches

    cure = "Run `retrograph engine install`, or name another Neo4j in RETROGRAPH_URI."
    lock = EngineLock.bundled()
    if not patient.engine.is_installed():
        return Check("installed", "fail", f"Neo4j {lock.neo4j} is not installed", cure, exit_code=3)
    folder = jar_folder(patient.settings.cache_dir)
    wrong = [jar.path for jar in lock.jars if not file_matches(folder / jar.path, jar)]
    if wrong:
        return Check(
            "installed",
            "fail",
            f"{len(wrong)} files differ from the lock, first {wrong[0]}",
            cure,
            exit_code=3,
        )
    return Check("installed", "ok", f"Neo4j {lock.neo4j}, all {len(lock.jars)} files as locked")


def _database(patient: Patient) -> Iterator[Check]:
    agent = ""

    def sign_in() -> str:
        nonlocal agent
        agent = patient.graph.verify()
        where = patient.settings.uri or "the local engine"
        return f"{where} answers, signed in as {patient.settings.username}"

    answered = _attempt("database", sign_in)
    yield answered
    if answered.status == "fail":
        yield from _skipped("Neo4j version", "schema", why="the database does not answer")
        return
    version = _version(agent)
    yield version
    if version.status == "fail":
        yield from _skipped("schema", why="this Neo4j is too old")
        return
    yield _schema(patient.graph)


def _memory_size(patient: Patient) -> Check:
    """Whether the database has the memory that what it holds asks for; of another Neo4j only what it should be."""
    import psutil

    from retrograph.engine.sizing import sizes_for

    try:
        memories = patient.graph.run("count_database")[0]["memories"]
    except RetrographError as error:
        return _failed("memory", error)
    should = sizes_for(memories, dimensions=_DIMENSIONS)
    told = (
        f"{memories:,} memories: a heap of {should.heap_mib:,} MiB and a page cache of {should.page_cache_mib:,} MiB do"
    )
    if patient.settings.uri is not None:
        return Check("memory", "ok", f"{told}, {should.whole_mib:,} MiB in all where Neo4j runs")
    engine, machine_mib = patient.settings.engine, psutil.virtual_memory().total // 2**20
    if engine.heap_mib >= should.heap_mib and engine.page_cache_mib >= should.page_cache_mib:
        return Check("memory", "ok", f"{told}, and it has them")
    heap, page_cache = max(engine.heap_mib, should.heap_mib), max(engine.page_cache_mib, should.page_cache_mib)
    cure = (
        f"Set RETROGRAPH_ENGINE_HEAP_MIB={heap} and RETROGRAPH_ENGINE_PAGE_CACHE_MIB={page_cache}, then "
        "`retrograph engine stop`: the next use starts it anew."
    )
    if should.whole_mib > machine_mib:
        cure = f"This machine has {machine_mib:,} MiB of {should.whole_mib:,}: docs/operations.md says what to run."
    return Check("memory", "warn", f"{told}; it has {engine.heap_mib:,} and {engine.page_cache_mib:,} MiB", cure)


def _version(agent: str) -> Check:
    product, _, version = agent.partition("/")
    if product != "Neo4j":
        return Check(
            "Neo4j version",
            "fail",
            f"the database is {agent!r}, not Neo4j",
            "Name a Neo4j ≥ 2026.07 in RETROGRAPH_URI, or unset it to use the local engine.",
        )
    numbers = tuple(int(part) for part in version.split("-")[0].split("+")[0].split(".")[:2] if part.isdigit())
    if numbers >= LEAST_NEO4J:
        return Check("Neo4j version", "ok", version)
    return Check(
        "Neo4j version",
        "fail",
        f"the database is Neo4j {version}; Retrograph needs 2026.07 or newer, for its vector index",
        "Upgrade it, or unset RETROGRAPH_URI to use the local engine.",
    )


def _schema(graph: "Graph") -> Check:
    from retrograph.graph import schema_state

    try:
        state = schema_state(graph)
    except RetrographError as error:
        return _failed("schema", error)
    if state.is_current:
        return Check("schema", "ok", f"version {state.available[-1]}")
    left = len(state.available) - len(state.applied)
    return Check(
        "schema",
        "warn",
        f"{left} migrations to apply; the first use does",
        "`retrograph migrate` does it now.",
    )


def _encoder(patient: Patient, *, has_database: bool) -> Iterator[Check]:
    name = ""

    def load() -> str:
        nonlocal name
        encoder = patient.open_encoder()
        size = len(encoder.encode_query("hello 你好"))
        name = encoder.name
        return f"{name} gives {size} numbers"

    loaded = _attempt("encoder", load)
    yield loaded
    if loaded.status == "fail" or not has_database:
        yield from _skipped("encoder of the bank", why="the encoder or the database is not there")
        return
    yield _attempt("encoder of the bank", lambda: _same_encoder(patient, name))


def _same_encoder(patient: Patient, name: str) -> str:
    from retrograph.graph import bank_space, check_encoder, schema_state

    bank = patient.settings.bank
    space = bank_space(patient.graph, bank) if schema_state(patient.graph).applied else None
    if space is None:
        return f"bank {bank!r} is empty yet"
    check_encoder(space, bank, encoder=name)
    return f"bank {bank!r} was written with it"


def _attempt(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, "ok", look())
    except RetrographError as error:
        return _failed(name, error)


def _failed(name: str, error: RetrographError) -> Check:
    return Check(name, "fail", error.message, error.cure, exit_code=3 if error.exit_code == 3 else 1)


def _skipped(*names: str, why: str) -> Iterator[Check]:
    nothing = Check("", "skipped", f"not looked at: {why}")
    return (replace(nothing, name=name) for name in names)
