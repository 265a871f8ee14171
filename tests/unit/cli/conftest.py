"""The command line over hand-written fakes: no database, no engine, no model."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from retrograph.cli.app import run
from retrograph.cli.calling import Parts
from retrograph.engine import EngineAddress, EngineStatus, InstallReport
from retrograph.errors import NotFound
from retrograph.models import (
    BankStats,
    EntityType,
    EntityView,
    Explanation,
    ForgetReport,
    GateScores,
    Hit,
    Identity,
    IngestReport,
    Language,
    LinkResult,
    LinkView,
    MemoryDetail,
    MemoryRecord,
    MemoryType,
    Outcome,
    PathStep,
    RelationView,
    Scope,
    SearchResult,
    Source,
    Status,
    Term,
    WriteResult,
)
from retrograph.settings import Settings

AT = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
ID = "01980f3e-8a4b-7c39-9f1e-2d5b6a7c8d9e"

RECORD = MemoryRecord(
    id=ID,
    bank="default",
    content="Ada 住在 Lisbon\x1b[31m.",
    type=MemoryType.FACT,
    layer=MemoryType.FACT.layer,
    scope=Scope.GLOBAL,
    status=Status.ACTIVE,
    importance=0.5,
    confidence=0.9,
    source=Source.USER,
    language=Language.MIXED,
    occurred_at=AT,
    created_at=AT,
    updated_at=AT,
    speaker="Ben",
    metadata={"k": [1, "二"]},
)
PATH = (
    PathStep("memory", "m0", "Ada leads Heron", "", 1.0),
    PathStep("entity", "ada", "Ada", "MENTIONS", 0.7),
    PathStep("memory", ID, RECORD.content, "MENTIONS", 0.4),
)
HIT = Hit(RECORD, 0.83, 0.9, ("vector",), (Term("semantic", 0.8, 0.6, 0.48),), PATH)


@dataclass
class FakeMemory:
    """Notes what it is called with; answers what a test set."""

    settings: Settings
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    outcome: Outcome = Outcome.STORED
    hits: tuple[Hit, ...] = (HIT,)
    error: BaseException | None = None
    closed: bool = False
    banks: list[str] = field(default_factory=list)

    @property
    def identity(self) -> Identity:
        return self.settings.identity

    def for_identity(self, identity: Identity) -> "FakeMemory":
        self.banks.append(identity.bank)
        return self

    def _note(self, name: str, **given: Any) -> None:
        self.calls.append((name, given))
        if self.error:
            raise self.error

    def write(self, content: str, **given: Any) -> WriteResult:
        self._note("write", content=content, **given)
        scores = GateScores(0.5, 0.4, 0.3, 0.2, 0.1, 0.35, "scores")
        memory_id = ID if self.outcome is Outcome.STORED else None
        return WriteResult(self.outcome, memory_id, "It says something new.", scores, MemoryType.FACT, ("Ada",))

    def ingest(self, turns: Any, **given: Any) -> IngestReport:
        taken = list(turns)
        given.pop("progress")(len(taken))
        self._note("ingest", turns=taken, **given)
        return IngestReport(len(taken), len(taken), 0, 0, 0, 0, 0, 0.5, tuple(ID for _ in taken))

    def preview(self, turns: Any, **given: Any) -> list[WriteResult]:
        taken = list(turns)
        self._note("preview", turns=taken, **given)
        return [WriteResult(self.outcome, None, "because") for _ in taken]

    def search(self, query: str, **given: Any) -> SearchResult:
        self._note("search", query=query, **given)
        text = "I remember …" if given.get("text") else None
        return SearchResult(query, self.hits, 2, 40, 12.5, {"semantic": 0.6}, text)

    def get(self, memory_id: str) -> MemoryDetail:
        self._note("get", memory_id=memory_id)
        if memory_id != ID:
            raise NotFound(f"there is no memory {memory_id!r}", cure="Search for it.")
        return MemoryDetail(
            replace(RECORD, pinned=True),
            (EntityView("ada", "Ada", EntityType.PERSON),),
            (RelationView("Ada", "lives_in", "Lisbon", negated=True),),
            (LinkView("m2", "causes", "in", 0.5),),
        )

    def forget(self, memory_ids: Any, **given: Any) -> ForgetReport:
        self._note("forget", memory_ids=list(memory_ids), **given)
        return ForgetReport(given.get("dry_run", False), given["hard"], (ID,), 3, 1)

    def purge_audit(self, *, before: datetime) -> int:
        self._note("purge_audit", before=before)
        return 1

    def link(self, from_id: str, to_id: str, type: str, *, strength: float) -> LinkResult:
        self._note("link", from_id=from_id, to_id=to_id, type=type, strength=strength)
        return LinkResult(from_id, to_id, type, strength, created=True)

    def explain(self, query: str, memory_id: str, **given: Any) -> Explanation:
        self._note("explain", query=query, memory_id=memory_id, **given)
        return Explanation(query, memory_id, True, 1, "It is near.", HIT, ("seed: vector",), "MATCH (m) RETURN m")

    def stats(self) -> BankStats:
        self._note("stats")
        return BankStats(self.settings.bank, 3, {"fact": 3}, {"active": 3}, 1, 4, 2, "hash", AT, None)

    def warm(self) -> None:
        self._note("warm")

    def close(self) -> None:
        self.closed = True


@dataclass
class FakeEngine:
    """A local engine that is installed and runs, unless a test says otherwise."""

    folder: Path
    installed: bool = True
    running: bool = True
    error: BaseException | None = None
    fetched: bool = False
    shown: str | None = None

    def install(self, *, progress: Callable[[int, int | None], None] | None = None) -> InstallReport:
        if self.error:
            raise self.error
        if progress:
            progress(10, 10)
        self.installed = self.fetched = True
        return InstallReport("2026.08.1", 226, 226, 10, self.folder, "Neo4j Community is GPLv3.")

    def is_installed(self) -> bool:
        return self.installed

    def show_bank(self, bank: str) -> bool:
        self.shown = bank
        return self.running

    def start(self) -> EngineAddress:
        if self.error:
            raise self.error
        self.running = True
        return EngineAddress("bolt://127.0.0.1:1", "http://127.0.0.1:2", "neo4j", "pw-31337", 7)

    def stop(self, *, force: bool = False) -> bool:
        if self.error and not force:
            raise self.error
        was, self.running = self.running, False
        return was

    def status(self) -> EngineStatus:
        return EngineStatus(
            installed=self.installed,
            running=self.running,
            version="2026.08.1",
            uri="bolt://127.0.0.1:1" if self.running else None,
            http_url="http://127.0.0.1:2" if self.running else None,
            pid=7 if self.running else None,
            started_at=AT if self.running else None,
            idle_since=None,
            leases=1,
            rss_bytes=1 << 29 if self.running else None,
            data_dir=self.folder,
            log=self.folder / "neo4j.log",
            problems=() if self.installed else ("Not installed. Install it.",),
        )

    def logs(self, lines: int = 100) -> list[str]:
        return [f"line {number}" for number in range(lines)]

    def lease(self) -> "FakeEngine":
        return self

    def __enter__(self) -> "FakeEngine":
        return self

    def __exit__(self, *_: object) -> None: ...


class Shell:
    """Runs commands in this process and keeps what they printed."""

    def __init__(self, capture: pytest.CaptureFixture[str], folder: Path) -> None:
        self._capture = capture
        self.memories: list[FakeMemory] = []
        self.engine = FakeEngine(folder)
        self.prepared: dict[str, Any] = {}
        self.parts: dict[str, Any] = {}
        self.out = self.err = ""

    def __call__(self, *arguments: str) -> int:
        parts = Parts(open_memory=self._open, open_engine=lambda _: self.engine, **self.parts)
        code = run(arguments, parts=parts)
        self.out, self.err = self._capture.readouterr()
        return code

    def _open(self, settings: Settings) -> Any:
        memory = FakeMemory(settings, **self.prepared)
        self.memories.append(memory)
        return memory

    @property
    def json(self) -> Any:
        """What stdout says, which must be one JSON document."""
        return json.loads(self.out)

    @property
    def given(self) -> dict[str, Any]:
        """The arguments of the one call to the memory."""
        [(_, given)] = self.memories[-1].calls
        return given


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    """A command line with fakes behind it and no settings but the defaults."""
    for name in list(os.environ):
        if name.startswith("RETROGRAPH_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(Settings, "config_file", tmp_path / "none.toml")
    monkeypatch.setenv("RETROGRAPH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("RETROGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    return Shell(capsys, tmp_path)
