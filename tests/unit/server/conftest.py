"""A facade kept in a dictionary: the calls and types of `retrograph.memory.Memory`, no database behind."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from retrograph.errors import InvalidInput, NotFound
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
    Load,
    MemoryDetail,
    MemoryRecord,
    MemoryType,
    Outcome,
    PathStep,
    Scope,
    SearchFilter,
    SearchResult,
    Source,
    Status,
    Term,
    Turn,
    WriteResult,
)
from retrograph.server import build_server
from retrograph.settings import ServerSettings, Settings
from retrograph.watching import step

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
GREETINGS = {"hi", "thanks", "好的"}
BATCH = 2


@dataclass
class Shelf:
    """What fakes of several identities share."""

    memories: dict[str, tuple[str, MemoryRecord]] = field(default_factory=dict)
    links: list[LinkResult] = field(default_factory=list)
    calls: list[tuple[str, Identity, dict[str, Any]]] = field(default_factory=list)
    failures: dict[str, Exception] = field(default_factory=dict)
    on_batch: Callable[[int], None] | None = None
    lock: Any = field(default_factory=threading.RLock)


class FakeMemory:
    """Stores by audience, finds by substring, and raises what a test planted in `shelf.failures`."""

    def __init__(self, settings: Settings, identity: Identity | None = None, shelf: Shelf | None = None) -> None:
        self.settings = settings
        self.identity = identity or settings.identity
        self.shelf = shelf or Shelf()

    def for_identity(self, identity: Identity) -> "FakeMemory":
        return FakeMemory(self.settings, identity, self.shelf)

    def write(self, content: str, **given: Any) -> WriteResult:
        with step("memory", "writer.store") as done:
            done.result = [self._write(content, **given)]
        return done.result[0]

    def _write(self, content: str, *, force: bool = False, **given: Any) -> WriteResult:
        self._called("write", content=content, force=force, **given)
        if "\0" in content:
            raise InvalidInput("content holds a NUL character.", cure="Leave it out.", field="content")
        if len(content) > self.settings.safety.max_chars:
            raise InvalidInput(f"content has {len(content)} characters.", cure="Send at most 100,000.", field="content")
        if content.lower() in GREETINGS and not force:
            return WriteResult(Outcome.REFUSED, None, "A greeting.", GateScores(0, 0, 0, 0, 0, 0.12345678, "gate"))
        with self.shelf.lock:
            for audience, record in self.shelf.memories.values():
                if record.content == content and record.bank == self.identity.bank and audience in self._mine:
                    return WriteResult(Outcome.MERGED, record.id, "Known already.", type=record.type)
            kind = given.get("type") or MemoryType.NOTE
            scope = given.get("scope") or self.identity.default_scope
            source = given.get("source") or Source.USER
            identifier = f"0198-{len(self.shelf.memories):04d}"
            self.shelf.memories[identifier] = (
                self.identity.audience(scope),
                MemoryRecord(
                    id=identifier,
                    bank=self.identity.bank,
                    content=content,
                    type=kind,
                    layer=kind.layer,
                    scope=scope,
                    status=Status.ACTIVE,
                    importance=given.get("importance") or 0.5,
                    confidence=source.default_confidence,
                    source=source,
                    language=Language.ENGLISH,
                    occurred_at=given.get("occurred_at") or NOON,
                    created_at=NOON,
                    updated_at=NOON,
                    domain=given.get("domain"),
                    tags=tuple(given.get("tags") or ()),
                    session=self.identity.session,
                    speaker=given.get("speaker"),
                    experience=given.get("experience"),
                    metadata=given.get("metadata"),
                ),
            )
        names = tuple(entity.name for entity in given.get("entities") or ())
        scores = GateScores(0.9, 1.0, 0.7, 0.1, 0.0, 0.71, "gate")
        return WriteResult(Outcome.STORED, identifier, "Worth keeping.", scores, kind, entities=names)

    def ingest(
        self,
        turns: Iterable[Turn],
        *,
        scope: Scope | None = None,
        force: bool = True,
        batch_size: int = BATCH,
        progress: Callable[[int], None] | None = None,
    ) -> IngestReport:
        turns = list(turns)
        self._called("ingest", turns=turns, scope=scope, force=force)
        results: list[WriteResult] = []
        for start in range(0, len(turns), batch_size):
            for turn in turns[start : start + batch_size]:
                owner = self.for_identity(replace(self.identity, session=turn.session))
                results.append(owner.write(turn.content, force=force, scope=scope, speaker=turn.speaker))
            if self.shelf.on_batch:
                self.shelf.on_batch(len(results))
            if progress:
                progress(len(results))
        outcomes = [result.outcome for result in results]
        return IngestReport(
            total=len(turns),
            stored=outcomes.count(Outcome.STORED),
            merged=outcomes.count(Outcome.MERGED),
            borderline=0,
            refused=outcomes.count(Outcome.REFUSED),
            quarantined=0,
            unchanged=0,
            seconds=0.5,
            ids=tuple(result.id for result in results),
        )

    def search(self, query: str, **more: Any) -> SearchResult:
        with step("memory", "recaller.search") as done, step("query", "recall"), step("encode", "query"):
            done.result = self._search(query, **more)
        return done.result

    def _search(
        self,
        query: str,
        *,
        where: SearchFilter | None = None,
        limit: int = 5,
        text: bool = False,
        **more: Any,
    ) -> SearchResult:
        self._called("search", query=query, where=where, limit=limit, text=text, **more)
        words = query.lower().split()
        found = [
            record
            for record in self._visible(where)
            if any(word in record.content.lower() for word in words) or "*" in words
        ]
        hits = tuple(
            Hit(
                record,
                relevance=0.87654321,
                score=0.9,
                seeds=("vector",),
                terms=(Term("semantic", 0.8, 0.5, 0.4),),
                path=(PathStep("memory", record.id, record.content[:20], "", 1.0),),
            )
            for record in found[:limit]
        )
        block = "<memory>\n" + "\n".join(record.content for record in found[:limit]) + "\n</memory>"
        return SearchResult(query, hits, len(found) - len(hits), 42, 1.5, text=block if text else None)

    def get(self, memory_id: str) -> MemoryDetail:
        self._called("get", memory_id=memory_id)
        links = tuple(
            LinkView(link.to_id, link.type, "out", link.strength)
            for link in self.shelf.links
            if link.from_id == memory_id
        )
        entity = EntityView("neo4j", "Neo4j", EntityType.TOOL)
        return MemoryDetail(self._one(memory_id), entities=(entity,), links=links)

    def forget(
        self,
        memory_ids: Sequence[str] = (),
        *,
        where: SearchFilter | None = None,
        hard: bool = False,
        dry_run: bool = False,
    ) -> ForgetReport:
        self._called("forget", memory_ids=memory_ids, where=where, hard=hard, dry_run=dry_run)
        if not memory_ids and where is None:
            raise InvalidInput("neither ids nor a filter.", cure="Give one of the two.", field="memory_ids")
        chosen = [self._one(one).id for one in memory_ids] or [record.id for record in self._visible(where)]
        if not dry_run:
            for one in chosen:
                del self.shelf.memories[one]
        return ForgetReport(dry_run, hard, tuple(chosen), len(chosen))

    def link(self, from_id: str, to_id: str, type: str, *, strength: float = 1.0) -> LinkResult:
        self._called("link", from_id=from_id, to_id=to_id, type=type, strength=strength)
        self._one(from_id), self._one(to_id)
        result = LinkResult(from_id, to_id, type, strength, created=True)
        self.shelf.links.append(result)
        return result

    def explain(self, query: str, memory_id: str, **more: Any) -> Explanation:
        self._called("explain", query=query, memory_id=memory_id, **more)
        record = self._one(memory_id)
        hits = [hit for hit in self.search(query, **more).hits if hit.memory.id == record.id]
        if hits:
            return Explanation(query, memory_id, True, 1, "First.", hits[0], ("seeds: vector",), "MATCH (m) RETURN m")
        return Explanation(query, memory_id, False, None, "No arm found it.")

    def check(self) -> None:
        self._called("check")

    def load(self) -> Load:
        self._called("load")
        return Load(jobs=2, turns=70, memories=9, archived=1, recalled=3, transactions=40, retries=2, reconnects=1)

    def stats(self) -> BankStats:
        self._called("stats")
        return BankStats(
            self.identity.bank,
            len(self._visible(None)),
            {"note": 1},
            {"active": 1},
            0,
            1,
            1,
            "bundled",
            NOON,
            None,
        )

    def warm(self) -> None:
        self._called("warm")

    def close(self) -> None:
        self._called("close")

    @property
    def _mine(self) -> list[str]:
        return self.identity.audiences

    def _visible(self, where: SearchFilter | None) -> list[MemoryRecord]:
        where = where or SearchFilter()
        return [
            record
            for audience, record in self.shelf.memories.values()
            if record.bank == self.identity.bank
            and audience in self._mine
            and (not where.types or record.type in where.types)
            and (not where.domain or record.domain == where.domain)
            and (not where.session or record.session == where.session)
            and set(where.tags) <= set(record.tags)
        ]

    def _one(self, memory_id: str) -> MemoryRecord:
        audience, record = self.shelf.memories.get(memory_id, ("", None))
        if record is None or record.bank != self.identity.bank or audience not in self._mine:
            raise NotFound(f"no memory {memory_id!r}.", cure="Search for it.")
        return record

    def _called(self, name: str, **given: Any) -> None:
        self.shelf.calls.append((name, self.identity, given))
        if name in self.shelf.failures:
            raise self.shelf.failures[name]


def settings_of(folder: Path, **given: Any) -> Settings:
    server: Mapping[str, Any] = given.pop("server", {})
    return Settings(
        bank=given.pop("bank", "atelier"),
        server=ServerSettings(**server),
        data_dir=folder / "data",
        cache_dir=folder / "cache",
        **given,
    )


@pytest.fixture
def make_memory(tmp_path: Path) -> Callable[..., FakeMemory]:
    """Makes a fake facade; arguments are settings."""
    return lambda **given: FakeMemory(settings_of(tmp_path, **given))


@pytest.fixture
def memory(make_memory: Callable[..., FakeMemory]) -> FakeMemory:
    """A fake facade over an empty bank."""
    return make_memory()


class Caller:
    """Calls tools of a server over the in-memory transport, one connection a call."""

    def __init__(self, memory: FakeMemory) -> None:
        self.memory = memory
        self.server = build_server(memory, warm=False)

    def __call__(self, tool: str, **arguments: Any) -> Any:
        """What the tool answers, as structured content."""
        result = self.result(tool, **arguments)
        assert not result.is_error, result.content[0].text
        return result.structured_content

    def result(self, tool: str, **arguments: Any) -> Any:
        """The whole result, errors too."""

        async def call() -> Any:
            async with Client(self.server) as client:
                return await client.call_tool(tool, arguments, raise_on_error=False)

        return asyncio.run(call())

    def error(self, tool: str, **arguments: Any) -> tuple[dict[str, Any], str]:
        """The error's facts and its text."""
        result = self.result(tool, **arguments)
        assert result.is_error, result.structured_content
        assert result.structured_content is None
        return result.meta["retrograph/error"], result.content[0].text

    def ask(self, question: Callable[[Client], Awaitable[Any]]) -> Any:
        """Anything else of a client."""

        async def asked() -> Any:
            async with Client(self.server) as client:
                return await question(client)

        return asyncio.run(asked())


@pytest.fixture
def call(memory: FakeMemory) -> Caller:
    """Calls the tools of a server over an empty bank."""
    return Caller(memory)


@pytest.fixture
def caller_of() -> type[Caller]:
    """Makes a caller of a server over a given memory."""
    return Caller


@pytest.fixture
def logging_as_before():
    """The root logger's handlers and level, put back after the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
