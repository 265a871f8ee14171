"""`retrograph doctor`: each ill is a sentence with its cure, and the exit code tells which kind it is."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest

from retrograph.consolidation import CHECKS, CheckReport, Fault
from retrograph.cypher import migrations
from retrograph.engine.lockfile import EngineLock
from retrograph.errors import (
    EncoderError,
    EngineAuthError,
    EngineInstallError,
    EngineUnavailable,
    ExtractionError,
)


@dataclass
class FakeGraph:
    """A database that answers what a test set."""

    agent: str = "Neo4j/2026.08.1"
    error: Exception | None = None
    rows: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {
            "list_migrations": [{"version": m.version, "checksum": m.checksum} for m in migrations()],
            "get_bank": [],
            "count_database": [{"memories": 12}],
        }
    )

    def verify(self) -> str:
        if self.error:
            raise self.error
        return self.agent

    def run(self, query: str, **_: Any) -> list[dict[str, Any]]:
        return self.rows[query]

    def __enter__(self) -> "FakeGraph":
        return self

    def __exit__(self, *_: object) -> None: ...


class FakeEncoder:
    name = "hash"

    def encode_query(self, text: str) -> Any:
        return np.ones(4, dtype=np.float32)


def nothing(*_: object) -> None: ...


@pytest.fixture
def patient(shell, monkeypatch):
    """A machine on which all is well; a test makes it ill."""
    graph = FakeGraph()
    shell.parts = {
        "open_graph": lambda settings, engine: graph,
        "open_encoder": lambda settings: FakeEncoder(),
        "load_models": nothing,
    }
    monkeypatch.setattr("retrograph.engine.lockfile.file_matches", lambda path, jar: True)
    monkeypatch.setattr("retrograph.engine.java.find_java", lambda home: SimpleNamespace(major=25, executable="java"))
    return graph


def checks(shell, *arguments: str) -> dict[str, dict[str, str]]:
    shell("doctor", "--json", *arguments)
    return {check["name"]: check for check in shell.json["checks"]}


def test_a_healthy_machine_passes(shell, patient):
    assert shell("doctor") == 0
    assert not [line for line in shell.out.splitlines() if line.startswith(("fail", "skipped"))]
    found = checks(shell)
    assert shell.json["ok"] is True
    assert {
        "platform",
        "settings",
        "disk",
        "Java",
        "installed",
        "engine",
        "database",
        "Neo4j version",
        "schema",
        "memory",
        "encoder",
        "encoder of the bank",
        "language models",
    } == found.keys()


def test_a_database_that_outgrew_its_memory_is_told_the_settings_it_needs(shell, patient):
    patient.rows["count_database"] = [{"memories": 300_000}]
    found = checks(shell)["memory"]
    assert found["status"] == "warn"
    assert "300,000 memories" in found["message"]
    assert "RETROGRAPH_ENGINE_HEAP_MIB=2304" in found["cure"]
    assert "RETROGRAPH_ENGINE_PAGE_CACHE_MIB=1024" in found["cure"]


def test_a_machine_too_small_for_its_database_is_told(shell, patient, monkeypatch):
    patient.rows["count_database"] = [{"memories": 3_000_000}]
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(total=8 * 2**30))
    assert "This machine has 8,192 MiB" in checks(shell)["memory"]["cure"]


def test_of_another_neo4j_only_what_it_should_have_is_told(shell, patient, monkeypatch):
    monkeypatch.setenv("RETROGRAPH_URI", "bolt://127.0.0.1:9")
    patient.rows["count_database"] = [{"memories": 300_000}]
    found = checks(shell)["memory"]
    assert (found["status"], found["cure"]) == ("ok", "")
    assert "page cache of 1,024 MiB" in found["message"]


def test_a_machine_without_the_engine(shell, patient):
    shell.engine.installed = shell.engine.running = False
    assert shell("doctor") == 3
    assert f"installed: Neo4j {EngineLock.bundled().neo4j} is not installed" in shell.out
    assert "Run `retrograph engine install`" in shell.out
    found = checks(shell)
    assert found["database"]["status"] == "skipped"
    assert found["language models"]["status"] == "ok"


def test_a_damaged_install(shell, patient, monkeypatch):
    monkeypatch.setattr("retrograph.engine.lockfile.file_matches", lambda path, jar: "bolt" not in jar.path)
    assert shell("doctor") == 3
    assert "files differ from the lock" in shell.out


def test_a_machine_without_network_is_told_only_when_asked(shell, patient, monkeypatch):
    def unreachable(*_: Any, **__: Any) -> None:
        raise httpx.ConnectError("Name or service not known")

    monkeypatch.setattr(httpx, "head", unreachable)
    assert shell("doctor") == 0
    assert shell("doctor", "--online") == 3
    assert "does not answer (ConnectError: Name or service not known)" in shell.out
    assert "RETROGRAPH_ENGINE_MIRROR" in shell.out


def test_a_mirror_that_answers(shell, patient, monkeypatch):
    monkeypatch.setattr(httpx, "head", nothing_with_options)
    assert checks(shell, "--online")["network"]["status"] == "ok"


def nothing_with_options(*_: Any, **__: Any) -> None: ...


def test_a_wrong_password(shell, patient):
    patient.error = EngineAuthError("the database refuses the password", cure="Set RETROGRAPH_PASSWORD.")
    assert shell("doctor", "--set", "uri=bolt://db.example") == 3
    assert "fail    database: the database refuses the password" in shell.out
    assert "Set RETROGRAPH_PASSWORD." in shell.out
    assert checks(shell)["schema"]["status"] == "skipped"


def test_a_database_that_does_not_answer(shell, patient):
    patient.error = EngineUnavailable("no database answers", cure="Start it.")
    assert shell("doctor", "--set", "uri=bolt://db.example") == 3
    assert "Java" not in shell.out


@pytest.mark.parametrize("agent", ["Neo4j/5.26.0", "Neo4j/4.4.1", "Neo4j/2026.06.3", "Neo4j/5.27.0-aura"])
def test_a_neo4j_that_is_too_old(shell, patient, agent):
    patient.agent = agent
    assert shell("doctor", "--set", "uri=bolt://db.example") == 1
    assert f"the database is Neo4j {agent[6:]}; Retrograph needs 2026.07 or newer" in shell.out
    assert "Upgrade it, or unset RETROGRAPH_URI" in shell.out


@pytest.mark.parametrize("agent", ["Neo4j/2026.07.0", "Neo4j/2026.08.1-aura", "Neo4j/2027.01.0+x"])
def test_a_neo4j_that_is_new_enough(shell, patient, agent):
    patient.agent = agent
    assert checks(shell)["Neo4j version"]["status"] == "ok"


def test_a_database_that_is_not_neo4j(shell, patient):
    patient.agent = "Memgraph/3.1"
    assert shell("doctor") == 1
    assert "'Memgraph/3.1', not Neo4j" in shell.out


def test_an_empty_database_is_a_warning(shell, patient):
    patient.rows["list_migrations"] = []
    assert shell("doctor") == 0
    assert "`retrograph migrate` does it now." in shell.out


def test_a_database_of_a_newer_version(shell, patient):
    patient.rows["list_migrations"].append({"version": 999, "checksum": "x"})
    assert shell("doctor") == 1
    assert "schema version 999" in shell.out


def test_a_bank_of_another_encoder(shell, patient):
    patient.rows["get_bank"] = [{"encoder": "other", "slot": "a", "dimensions": 4}]
    assert shell("doctor") == 1
    assert "was written with the encoder 'other'" in shell.out
    assert "reembed" in shell.out
    patient.rows["get_bank"] = [{"encoder": "hash", "slot": "a", "dimensions": 4}]
    assert checks(shell)["encoder of the bank"]["status"] == "ok"


def test_an_encoder_that_does_not_load(shell, patient):
    def broken(_: object) -> None:
        raise EncoderError("no model", cure="Install it.")

    shell.parts["open_encoder"] = broken
    assert shell("doctor") == 1
    assert "fail    encoder: no model" in shell.out


def test_missing_language_models(shell, patient):
    def broken() -> None:
        raise ExtractionError("no English model", cure="Install it.")

    shell.parts["load_models"] = broken
    assert shell("doctor") == 1
    assert "no English model" in shell.out


def test_no_java(shell, patient, monkeypatch):
    def missing(_: object) -> None:
        raise EngineInstallError("no Java 21", cure="Install one.")

    monkeypatch.setattr("retrograph.engine.java.find_java", missing)
    assert shell("doctor") == 3
    assert "fail    Java: no Java 21" in shell.out


def test_an_engine_that_does_not_start(shell, patient):
    shell.engine.error = EngineUnavailable("it ended", cure="See the logs.")
    shell.engine.running = False
    assert shell("doctor") == 3
    assert "See the logs." in shell.out


def test_an_engine_that_is_not_to_be_started_is_left_alone(shell, patient):
    shell.engine.running = False
    assert shell("doctor", "--no-start") == 0
    assert not shell.engine.running
    assert "skipped engine: not running" in shell.out


@pytest.mark.parametrize(("free", "status"), [(10, "fail"), (1000, "warn"), (5000, "ok")])
def test_room_on_the_disk(shell, patient, monkeypatch, free, status):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free << 20))
    assert checks(shell)["disk"]["status"] == status


def test_a_platform_without_the_bundled_encoder(shell, patient, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert checks(shell)["platform"]["status"] == "warn"


def test_a_variable_that_is_no_setting(shell, patient, monkeypatch):
    monkeypatch.setenv("RETROGRAPH_BNAK", "x")
    assert shell("doctor") == 0
    assert "RETROGRAPH_BNAK is set and is no setting" in shell.out
    assert "Did you mean RETROGRAPH_BANK?" in shell.out


def test_a_secret_that_others_can_read(shell, patient, tmp_path):
    file = tmp_path / "x.toml"
    file.write_text('password = "31337"\n')
    file.chmod(0o644)
    assert shell("doctor", "--config", str(file)) == 0
    assert f"chmod 600 {file}" in shell.out
    assert "31337" not in shell.out
    file.chmod(0o600)
    shell("doctor", "--config", str(file))
    assert "chmod" not in shell.out


def test_migrate_tells_what_it_applied(shell, patient):
    assert shell("migrate") == 0
    assert "nothing to do" in shell.out
    shell("migrate", "--json")
    assert shell.json == {"schema": [m.version for m in migrations()], "applied": []}


def _report(*faults: Fault, count: int = 0) -> CheckReport:
    counts = {fault.check: count or 1 for fault in faults}
    return CheckReport("default", 3, 2, 1, faults, counts)


@pytest.fixture
def deep(patient, monkeypatch):
    """What a look at the bank finds; a test sets it, and sees how it was asked for."""
    asked: list[bool] = []
    found = [_report()]

    def check(graph: Any, bank: str, *, encoder: Any, repair: bool) -> CheckReport:
        asked.append(repair)
        return found[0]

    monkeypatch.setattr("retrograph.consolidation.check_bank", check)
    return SimpleNamespace(asked=asked, found=found)


def test_a_bank_in_order_passes_the_deep_look(shell, deep):
    assert shell("doctor", "--deep") == 0
    found = checks(shell, "--deep")
    assert {f"bank: {name}" for name in CHECKS} <= found.keys()
    assert {found[f"bank: {name}"]["status"] for name in CHECKS} == {"ok"}
    assert shell.json["bank"]["memories"] == 3
    assert deep.asked == [False, False]


def test_a_fault_fails_and_names_what_has_it_and_the_cure(shell, deep):
    deep.found[0] = _report(*(Fault("layer", f"m{n}", "no label for semantic") for n in range(7)), count=7)
    assert shell("doctor", "--deep") == 1
    assert "m4 (no label for semantic) and 2 more" in " ".join(shell.out.split())
    assert "--repair" in shell.out
    assert checks(shell, "--deep")["bank: layer"]["status"] == "fail"
    assert len(shell.json["bank"]["faults"]) == 7


def test_a_fault_that_was_put_right_is_told_and_fails_no_more(shell, deep):
    deep.found[0] = _report(Fault("hash", "m1", repaired=True))
    assert shell("doctor", "--deep", "--repair") == 0
    assert deep.asked == [True]
    assert checks(shell, "--deep", "--repair")["bank: hash"]["status"] == "warn"


def test_a_bank_is_not_looked_at_where_the_database_is_not_there_or_nobody_asks(shell, patient, deep):
    assert "bank: layer" not in checks(shell)
    patient.error = EngineUnavailable("no database answers", cure="Start it.")
    assert "bank: layer" not in checks(shell, "--deep")
    assert deep.asked == []
    assert shell("doctor", "--repair") == 2
