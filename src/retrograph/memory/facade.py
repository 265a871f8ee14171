"""`Memory`: the one public face of Retrograph, and where its parts are put together."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Self
from zoneinfo import ZoneInfo

from retrograph import graph
from retrograph.encoders import Encoder, open_encoder
from retrograph.engine import Engine
from retrograph.errors import RetrographError
from retrograph.extraction import Extractor
from retrograph.graph import Connection, Graph
from retrograph.memory.acting import acts
from retrograph.memory.administering import bank_stats, forget_memories, get_memory, link_memories
from retrograph.memory.curated import Curated
from retrograph.memory.drafts import Draft
from retrograph.memory.feedback import record_feedback, record_marks
from retrograph.memory.guarded import Guarded
from retrograph.memory.ingesting import ingest_turns, preview_turns
from retrograph.memory.learning import Learning
from retrograph.memory.reading import TextReader
from retrograph.memory.session import read_session_context
from retrograph.memory.usage import UsageLog
from retrograph.memory.watched import WatchedEncoder, WatchedRecaller, WatchedWriter, watched
from retrograph.memory.writing import Writer
from retrograph.models import (
    BankStats,
    EntityInput,
    Experience,
    Explanation,
    FeedbackReport,
    FeedbackView,
    ForgetReport,
    Identity,
    IngestReport,
    LinkResult,
    MemoryDetail,
    MemoryType,
    RelationInput,
    Scope,
    SearchFilter,
    SearchResult,
    SessionContext,
    Source,
    Turn,
    WriteResult,
)
from retrograph.retrieval import Recaller, SearchOptions
from retrograph.settings import Settings


def open_memory(settings: Settings | None = None, **overrides: Any) -> "Memory":
    """Opens a memory: connects (starting the local engine if need be) at first use.

    Args:
        settings: Settings; default: read from the environment and the settings file.
        **overrides: Any setting by name, over the rest (`bank="team-x"`, `uri="bolt://…"`).

    Returns:
        A memory for the identity that the settings name. Close it, or use it as a context manager.

    Raises:
        SettingsError: A setting cannot work.
    """
    return Memory(settings or Settings.load(**overrides))


@watched
class Memory(Curated, Guarded, Learning):
    """A bank, seen by one identity. Thread-safe.

    Args:
        settings: Settings.
        shared: Connections and models of another memory to share; see `for_identity`.
        identity: Who is asking; default: the one that the settings name.
    """

    def __init__(
        self, settings: Settings, *, identity: Identity | None = None, shared: "Resources | None" = None
    ) -> None:
        self.settings = settings
        self.identity = identity or settings.identity
        self._resources = (shared or Resources(settings)).of(self.identity.bank)
        self._is_owner = shared is None

    @property
    def resources(self) -> "Resources":
        """Connections and models, for what stands above the facade."""
        return self._resources

    def for_identity(self, identity: Identity) -> "Memory":
        """The same engine, connections and models, seen by somebody else; costs nothing, need not be closed."""
        return Memory(self.settings, identity=identity, shared=self._resources)

    @acts
    def write(
        self,
        content: str,
        *,
        type: MemoryType | None = None,
        summary: str | None = None,
        domain: str | None = None,
        tags: Sequence[str] = (),
        importance: float | None = None,
        confidence: float | None = None,
        source: Source = Source.USER,
        scope: Scope | None = None,
        speaker: str | None = None,
        occurred_at: datetime | None = None,
        occurred_until: datetime | None = None,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        expires_at: datetime | None = None,
        half_life_days: float | None = None,
        pinned: bool = False,
        entities: Sequence[EntityInput] = (),
        relations: Sequence[RelationInput] = (),
        experience: Experience | None = None,
        metadata: Mapping[str, Any] | None = None,
        force: bool = False,
    ) -> WriteResult:
        """Stores one statement, or says why not.

        Args:
            content: The statement, one to 100,000 characters.
            type: What kind it is; None proposes one.
            summary: A short form to show.
            domain: The field or task type it serves.
            tags: Labels to filter by.
            importance: [0, 1]; None proposes one.
            confidence: [0, 1]; None takes the source's.
            source: Who it comes from.
            scope: Who may recall it; None is private where the identity names a user or an agent, else global.
            speaker: Who said it, for a turn of a conversation.
            occurred_at: When it happened; naive times are in the settings' time zone; None is now.
            occurred_until: When it ended.
            valid_from: Since when it is true; None reads it from the text.
            valid_until: Until when it is true.
            expires_at: When to forget it.
            half_life_days: Half-life of its recency, days; None takes the one of its domain or type.
            pinned: Never decays, never expires.
            entities: Entities it speaks of, besides those that are found.
            relations: Relations it states, besides those that are found.
            experience: The structured value of a lesson.
            metadata: Anything JSON can say; round-trips unchanged.
            force: Store it whatever the gate says.

        Returns:
            What became of it, with the gate's scores. A refused write is an answer, not an error.

        Raises:
            InvalidInput: An argument cannot work; nothing was stored.
            EncoderMismatch: The bank was written with another encoder.
            GraphError: The database does not answer; nothing was stored.
        """
        draft = Draft(
            content=content,
            type=type,
            summary=summary,
            domain=domain,
            tags=tuple(tags),
            importance=importance,
            confidence=confidence,
            source=source,
            scope=scope,
            speaker=speaker,
            session=self.identity.session,
            occurred_at=occurred_at,
            occurred_until=occurred_until,
            valid_from=valid_from,
            valid_until=valid_until,
            expires_at=expires_at,
            half_life_days=half_life_days,
            pinned=pinned,
            entities=tuple(entities),
            relations=tuple(relations),
            experience=experience,
            metadata=metadata,
        )
        return self._resources.writer.write([draft], identity=self.identity, force=force)[0]

    @acts
    def ingest(
        self,
        turns: Iterable[Turn],
        *,
        scope: Scope | None = None,
        force: bool = True,
        batch_size: int = 64,
        progress: Callable[[int], None] | None = None,
    ) -> IngestReport:
        """Stores many turns in batches; doing it again, whole or after a kill, stores nothing twice.

        Args:
            turns: In the order in which they happened.
            scope: Who may recall them; as in `write`.
            force: Store every turn; False lets the gate refuse greetings and the like.
            batch_size: Turns a transaction.
            progress: Called with the number of turns done after each batch.

        Returns:
            What became of each.

        Raises:
            InvalidInput: A turn cannot work; the batches before it are stored.
            GraphError: The database does not answer; the batches before are stored.
        """
        return ingest_turns(
            self._resources.writer,
            turns,
            identity=self.identity,
            scope=scope,
            force=force,
            batch_size=batch_size,
            progress=progress,
        )

    def preview(
        self, turns: Iterable[Turn], *, scope: Scope | None = None, force: bool = True
    ) -> Iterator[WriteResult]:
        """What `ingest` would do with turns, as far as their own words decide that; no database is opened.

        What the bank holds already counts for nothing: a repeat is told as new. Arguments as in `ingest`.

        Raises:
            InvalidInput: A turn cannot work.
        """
        return preview_turns(self._resources.previewer, turns, identity=self.identity, scope=scope, force=force)

    def search(
        self,
        query: str,
        *,
        where: SearchFilter | None = None,
        options: SearchOptions | None = None,
        **more: Any,
    ) -> SearchResult:
        """Recalls what bears on a query, best first, each with the path that brought it.

        Args:
            query: Words or a question, in any language.
            where: What narrows it.
            options: How it is ranked and cut.
            **more: Fields of `SearchFilter` and `SearchOptions` by name (`limit=10`, `domain="billing"`).

        Returns:
            The hits; none where nothing bears on it.

        Raises:
            InvalidInput: An argument cannot work.
            EncoderMismatch: The bank was written with another encoder.
            GraphError: The database does not answer.
        """
        return self._resources.recaller.search(query, identity=self.identity, where=where, options=options, **more)

    def get(self, memory_id: str) -> MemoryDetail:
        """One memory with all it is linked to.

        Raises:
            NotFound: There is none, or none for this identity.
        """
        return get_memory(self._resources.graph, memory_id, identity=self.identity)

    @acts
    def forget(
        self,
        memory_ids: Sequence[str] = (),
        *,
        where: SearchFilter | None = None,
        hard: bool = False,
        dry_run: bool = False,
    ) -> ForgetReport:
        """Archives memories, or deletes them for good.

        Args:
            memory_ids: Which; an unknown one is an error and nothing is done.
            where: All that match, instead of ids.
            hard: Delete; entities and relations that nothing else mentions go along.
            dry_run: Only say what would be done.

        Raises:
            NotFound: An id is not there.
            InvalidInput: Neither ids nor a filter.
        """
        return forget_memories(
            self._resources.graph, memory_ids, identity=self.identity, where=where, hard=hard, dry_run=dry_run
        )

    @acts
    def link(self, from_id: str, to_id: str, type: str, *, strength: float = 1.0) -> LinkResult:
        """Links one memory to another.

        Args:
            from_id: The memory the link leaves.
            to_id: The memory it reaches.
            type: A `LinkType`, or a word of the caller's own.
            strength: How much of an activation it passes on, (0, 1].

        Raises:
            NotFound: One of the two is not there.
            InvalidInput: The type is empty or too long, or a memory is linked to itself.
        """
        return link_memories(self._resources.graph, from_id, to_id, type, strength=strength, identity=self.identity)

    def explain(self, query: str, memory_id: str, **more: Any) -> Explanation:
        """Says why a memory is, or is not, recalled for a query.

        Args:
            query: The query.
            memory_id: The memory.
            **more: As for `search`.

        Raises:
            NotFound: There is no such memory, or none for this identity.
        """
        return self._resources.recaller.explain(query, memory_id, identity=self.identity, **more)

    @acts
    def feedback(self, memory_ids: Sequence[str], *, useful: bool) -> FeedbackReport:
        """Records whether recalled memories were of use; later recalls rank by it, within bounds.

        A useful memory counts as used, and its half-life grows, the more the longer the pause before it, up to a year.

        Args:
            memory_ids: Which, up to 1,000; each counts once a call.
            useful: They helped; else they were in the way.

        Raises:
            NotFound: An id is not there, or is archived; nothing is recorded.
            InvalidInput: No id, or too many.
        """
        report = record_feedback(
            self._resources.graph,
            memory_ids,
            useful=useful,
            identity=self.identity,
            half_life_days=self.settings.recall.half_life_days,
            half_lives=self.settings.recall.half_life_of,
        )
        helped = len(report.memories) if useful else 0
        self._resources.usage.marked(useful=helped, not_useful=len(report.memories) - helped, identity=self.identity)
        return report

    @acts
    def mark(self, *, useful: Sequence[str] = (), not_useful: Sequence[str] = ()) -> tuple[FeedbackView, ...]:
        """Records of one recall what helped and what did not, all of it or nothing; see `feedback`.

        Args:
            useful: Ids of memories that helped.
            not_useful: Ids of memories that were in the way; up to 1,000 of both.

        Returns:
            The memories as they stand afterwards.

        Raises:
            NotFound: An id is not there, or is archived; nothing is recorded.
            InvalidInput: No id, too many, or one on both sides.
        """
        marked = record_marks(
            self._resources.graph,
            useful=useful,
            not_useful=not_useful,
            identity=self.identity,
            half_life_days=self.settings.recall.half_life_days,
            half_lives=self.settings.recall.half_life_of,
        )
        helped = len(set(useful))
        self._resources.usage.marked(useful=helped, not_useful=len(marked) - helped, identity=self.identity)
        return marked

    def session_context(
        self, query: str | None = None, *, last: int = 10, max_tokens: int | None = None, **more: Any
    ) -> SessionContext:
        """The working memory of the identity's session, joined with a recall.

        Args:
            query: What to recall beside it; None recalls nothing.
            last: Turns, newest, 1 to 200; they come in the order in which they happened.
            max_tokens: Most tokens of the whole answer, estimated: turns first, then tasks, then the recall.
            **more: Fields of `SearchFilter` and `SearchOptions` for the recall.

        Raises:
            InvalidInput: The identity names no session, or an argument cannot work.
        """
        recaller = self._resources.recaller if query is not None else None
        return read_session_context(
            self._resources.graph,
            identity=self.identity,
            recall=partial(recaller.search, query or "", identity=self.identity, **more) if recaller else None,
            last=last,
            max_tokens=max_tokens,
        )

    def stats(self) -> BankStats:
        """Counts of the bank and of its use, of what this identity may see."""
        self._resources.keep_usage()
        return bank_stats(self._resources.graph, identity=self.identity)

    def warm(self) -> None:
        """Loads the models and connects, so that the first call is as fast as the rest."""
        self._resources.warm()

    def close(self) -> None:
        """Closes the connections, if this memory opened them. An engine goes on for others."""
        if self._is_owner:
            self._resources.home.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Resources:
    """What memories of several identities share: connections, models, the hold on the local engine.

    Everything is made at first use.
    """

    def __init__(self, settings: Settings, *, home: "Resources | None" = None, name: str = "") -> None:
        self._settings = settings
        self._lock = threading.RLock()
        # Of its own: while home does not answer, nobody who asks for a shard waits for it.
        self._shards_lock = threading.Lock()
        self.name = name
        """The pattern of the shard; "" for the database at `uri`, or the local engine."""
        self.home: Resources = home or self
        """Those of the database where banks live that are in no shard, and the tokens of all."""
        self._shards: dict[str, Resources] = {}
        self._graph: Graph | None = None
        self._encoder: Encoder | None = None
        self._writer: Writer | None = None
        self._recaller: Recaller | None = None
        self.engine = Engine(settings.engine, data_dir=settings.data_dir, cache_dir=settings.cache_dir)
        self._lease: Any = None
        self.usage = UsageLog()
        self.extractor = home.extractor if home else Extractor()

    def of(self, bank: str) -> "Resources":
        """Those of the database in which a bank lives; models are shared."""
        pattern = self.home._settings.shard_of(bank)
        return self.home if pattern is None else self.home._shard(pattern)

    def everywhere(self) -> list["Resources"]:
        """Those of all databases that the settings name, home first."""
        return [self.home, *(self.home._shard(pattern) for pattern in self.home._settings.shards)]

    def _shard(self, pattern: str) -> "Resources":
        with self._shards_lock:
            if pattern not in self._shards:
                self._shards[pattern] = Resources(self._settings.at_shard(pattern), home=self, name=pattern)
            return self._shards[pattern]

    @property
    def graph(self) -> Graph:
        """The database, connected and at the schema of this version."""
        with self._lock:
            if self._graph is None:
                opened = Graph(
                    self._connect,
                    connect_timeout_s=self._settings.connect_timeout_s,
                    retry_s=self._settings.retry_s,
                )
                try:
                    graph.migrate(opened)
                except RetrographError:
                    opened.close()
                    raise
                self._graph = opened
            return self._graph

    @property
    def encoder(self) -> Encoder:
        """The encoder that the settings name."""
        if self.home is not self:
            return self.home.encoder
        with self._lock:
            if self._encoder is None:
                key = self._settings.encoder_api_key
                opened = open_encoder(self._settings.encoder, api_key=key.get_secret_value() if key else None)
                self._encoder = WatchedEncoder(opened)
            return self._encoder

    @property
    def writer(self) -> Writer:
        """The write pipeline."""
        with self._lock:
            if self._writer is None:
                extractor = self.home.extractor
                self._writer = WatchedWriter(self.usage, self.graph, self.encoder, extractor, settings=self._settings)
            return self._writer

    @property
    def previewer(self) -> Writer:
        """A write pipeline to ask what it would do: it has no database, and stores nothing."""
        return Writer(Graph(self._connect), self.encoder, self.home.extractor, settings=self._settings)

    @property
    def recaller(self) -> Recaller:
        """The recall pipeline."""
        with self._lock:
            if self._recaller is None:
                reader = TextReader(ZoneInfo(self._settings.timezone))
                self._recaller = WatchedRecaller(self.usage, self.graph, self.encoder, reader, settings=self._settings)
            return self._recaller

    def warm(self) -> None:
        """Makes everything now; engine and models start side by side, and an error of either is raised here."""
        with ThreadPoolExecutor(1, thread_name_prefix="load encoder") as pool:
            loading = pool.submit(lambda: self.encoder.warm())
            self.graph.verify()
            loading.result()
        if slot := self._slot_to_warm():
            self.recaller.warm(slot)
        self.writer.warm()

    def _slot_to_warm(self) -> str | None:
        """Where the recalls to come will look; the user's own engine makes now what the first write would wait for."""
        space = graph.bank_space(self.graph, self._settings.bank)
        if space or self._settings.uri:
            return space.slot if space else None
        return graph.open_slot(self.graph, encoder=self.encoder.name, dimensions=self.encoder.dimensions)

    def keep_usage(self) -> None:
        """Writes what was counted of the use of banks; while the database does not answer it is counted on."""
        for place in [self, *tuple(self._shards.values())]:
            if place._graph:
                with suppress(RetrographError):
                    place.usage.write(place._graph)

    def close(self) -> None:
        """Closes the connections and gives the engine back."""
        with self._lock:
            self.keep_usage()
            for shard in self._shards.values():
                shard.close()
            if self._graph:
                self._graph.close()
            if self._lease:
                self._lease.close()
            self._graph = self._writer = self._recaller = self._lease = None

    def _connect(self) -> Connection:
        settings = self._settings
        if settings.uri:
            password = settings.password.get_secret_value() if settings.password else ""
            return Connection(settings.uri, settings.username, password, settings.database)
        if self._lease is None:
            self._lease = self.engine.lease()
        address = self.engine.start()
        return Connection(address.uri, address.username, address.password)
