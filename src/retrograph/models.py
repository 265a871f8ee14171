"""The words of Retrograph as types: frozen dataclasses and the closed vocabularies they use.

One word per idea; `docs/glossary.md` says what each means. Every time is aware and in UTC. Every `*_score`,
`importance`, `confidence`, `relevance` and `weight` is in [0, 1], higher is better.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Layer(StrEnum):
    """Cognitive layer of a memory; also its second label in the graph."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class MemoryType(StrEnum):
    """What kind of statement a memory is."""

    PREFERENCE = "preference"
    FACT = "fact"
    EVENT = "event"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    TASK_STATE = "task_state"
    SKILL = "skill"
    LESSON = "lesson"
    REFLECTION = "reflection"
    NOTE = "note"

    @property
    def layer(self) -> Layer:
        """The layer a memory of this type lives in."""
        return _LAYER_OF_TYPE[self]


_LAYER_OF_TYPE = {
    MemoryType.PREFERENCE: Layer.SEMANTIC,
    MemoryType.FACT: Layer.SEMANTIC,
    MemoryType.EVENT: Layer.EPISODIC,
    MemoryType.DECISION: Layer.EPISODIC,
    MemoryType.CONSTRAINT: Layer.SEMANTIC,
    MemoryType.TASK_STATE: Layer.EPISODIC,
    MemoryType.SKILL: Layer.PROCEDURAL,
    MemoryType.LESSON: Layer.PROCEDURAL,
    MemoryType.REFLECTION: Layer.SEMANTIC,
    MemoryType.NOTE: Layer.EPISODIC,
}


class Scope(StrEnum):
    """Who may recall a memory inside its bank."""

    PRIVATE = "private"
    TEAM = "team"
    GLOBAL = "global"


class Source(StrEnum):
    """Who a memory comes from; sets its default confidence and how far it is trusted."""

    USER = "user"
    SYSTEM = "system"
    TOOL = "tool"
    INFERENCE = "inference"

    @property
    def default_confidence(self) -> float:
        """Confidence of a memory whose writer gave none."""
        return {"user": 0.9, "system": 0.9, "tool": 0.8, "inference": 0.6}[self.value]


class Status(StrEnum):
    """Whether a memory is current."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    PENDING_REVIEW = "pending_review"


class EntityType(StrEnum):
    """What kind of thing an entity is."""

    PERSON = "person"
    ORGANISATION = "organisation"
    PLACE = "place"
    PRODUCT = "product"
    TOOL = "tool"
    FILE = "file"
    CONCEPT = "concept"
    IDENTIFIER = "identifier"


class Language(StrEnum):
    """Language of a text, as far as the extraction tells them apart."""

    ENGLISH = "en"
    CHINESE = "zh"
    MIXED = "mixed"
    OTHER = "other"


class LinkType(StrEnum):
    """Memory→memory links with a meaning of their own; a caller may use any other word as well."""

    CAUSES = "causes"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    REFINES = "refines"
    SIMILAR = "similar"
    FOLLOWS = "follows"
    PART_OF = "part_of"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is asking. Inside a bank it decides what can be recalled.

    Args:
        bank: The isolated memory space.
        agent: The agent on whose behalf, or None.
        user: The person on whose behalf, or None.
        team: The team whose `team` memories are shared.
        session: The conversation or task run, or None.
        teams: Further teams whose `team` memories it may recall; what it writes for a team is for `team`.
        only_own: Only what is private to its user or agent is within reach: for one who may change nothing shared.
    """

    bank: str = "default"
    agent: str | None = None
    user: str | None = None
    team: str = "main"
    session: str | None = None
    teams: tuple[str, ...] = ()
    only_own: bool = False

    @property
    def audiences(self) -> list[str]:
        """Audience tokens of the memories this identity may recall."""
        private = [_private_token(kind, name) for kind, name in (("u", self.user), ("a", self.agent)) if name]
        if self.only_own:
            return private
        teams = dict.fromkeys((self.team, *self.teams))
        return [_EVERYONE, *(_private_token("t", team) for team in teams), *private]

    @property
    def default_scope(self) -> Scope:
        """Private where there is somebody to be private to, else global."""
        return Scope.PRIVATE if self.user or self.agent else Scope.GLOBAL

    def audience(self, scope: Scope) -> str:
        """The one token that says who may recall a memory this identity writes; filtered inside the indexes.

        A private memory belongs to the user where there is one, else to the agent; with neither there is
        nobody to keep it from and it is global.
        """
        if scope is Scope.TEAM:
            return _private_token("t", self.team)
        if scope is Scope.PRIVATE and self.user:
            return _private_token("u", self.user)
        if scope is Scope.PRIVATE and self.agent:
            return _private_token("a", self.agent)
        return _EVERYONE


_EVERYONE = "g"


def _private_token(kind: str, name: str) -> str:
    return kind + token(name)


def token(text: str) -> str:
    """A name as lower-case letters and digits, injective, so that it survives every text analyzer."""
    return text.encode("utf-8").hex()


@dataclass(frozen=True, slots=True)
class EntityMention:
    """An entity as a text mentions it.

    Args:
        name: The entity's name, in the form to show.
        type: What kind of thing it is.
        surface: The words of the text.
        start: Offset of the first character of `surface` in the text; -1 where a caller named it.
        end: Offset after the last character.
        weight: How central the entity is to the text.
    """

    name: str
    type: EntityType
    surface: str
    start: int = -1
    end: int = -1
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class RelationMention:
    """Subject, predicate, object as a text states them; subject and object are entity names.

    Args:
        subject: Name of the subject entity.
        predicate: Normalised predicate (`works_at`), or the surface in snake case.
        object: Name of the object entity, or the words of a value (a number, a date, a colour).
        surface: The words of the predicate in the text.
        negated: The text says that it is not so.
        confidence: How sure the extraction is.
        object_is_literal: The object is a value and no entity: it serves to compare facts and is never a node.
    """

    subject: str
    predicate: str
    object: str
    surface: str = ""
    negated: bool = False
    confidence: float = 1.0
    object_is_literal: bool = False


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time a text speaks of, resolved against a reference instant: [start, end), UTC; None is open."""

    start: datetime | None
    end: datetime | None
    surface: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What the extraction read in one text, offline and deterministic."""

    language: Language
    entities: tuple[EntityMention, ...] = ()
    relations: tuple[RelationMention, ...] = ()
    times: tuple[TimeSpan, ...] = ()
    parts: tuple[str, ...] = ()
    """Names inside and beside the entities, that recall walks and nothing else reads."""


@dataclass(frozen=True, slots=True)
class EntityInput:
    """An entity that the caller hands over."""

    name: str
    type: EntityType = EntityType.CONCEPT
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationInput:
    """A relation that the caller hands over; the predicate is data and round-trips unchanged."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Experience:
    """The structured value of a lesson."""

    problem: str
    root_cause: str = ""
    solution: str = ""
    verified: bool = False
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing to ingest: a turn of a conversation, or a note (no speaker).

    Args:
        content: The words.
        speaker: Who said it.
        session: The conversation it belongs to.
        occurred_at: When; None is the time of the ingest.
        type: Memory type, or None to have it proposed.
        source: Who it comes from.
        id: The caller's own id, kept in metadata as `source_id`.
        metadata: Anything JSON can say; round-trips unchanged.
        valid_from: Since when it is true; None reads it from the words.
        valid_until: Until when.
    """

    content: str
    speaker: str | None = None
    session: str | None = None
    occurred_at: datetime | None = None
    type: MemoryType | None = None
    source: Source = Source.USER
    id: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[EntityInput, ...] = ()
    relations: tuple[RelationInput, ...] = ()
    metadata: Mapping[str, Any] | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """A memory as it stands in the graph, without its vector."""

    id: str
    bank: str
    content: str
    type: MemoryType
    layer: Layer
    scope: Scope
    status: Status
    importance: float
    confidence: float
    source: Source
    language: Language
    occurred_at: datetime
    created_at: datetime
    updated_at: datetime
    summary: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    agent: str | None = None
    user: str | None = None
    session: str | None = None
    speaker: str | None = None
    occurred_until: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    last_accessed_at: datetime | None = None
    access_count: int = 0
    feedback: int = 0
    half_life_days: float | None = None
    expires_at: datetime | None = None
    pinned: bool = False
    archived: bool = False
    version: int = 1
    experience: Experience | None = None
    metadata: Mapping[str, Any] | None = None


class Outcome(StrEnum):
    """What became of a write; `merged` reinforces an earlier memory, `unchanged` is the same source told again."""

    STORED = "stored"
    MERGED = "merged"
    UNCHANGED = "unchanged"
    BORDERLINE = "borderline"
    REFUSED = "refused"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class GateScores:
    """The write gate's five signals, their weighted sum (`salience`) and what decided."""

    information: float
    novelty: float
    future_relevance: float
    emotion: float
    explicit: float
    salience: float
    decided_by: str


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What a write did, and why.

    Args:
        outcome: What became of it.
        id: The memory's id; None where nothing was stored.
        reason: One sentence.
        scores: The gate's signals.
        type: The type stored or proposed.
        entities: Names of the entities it was linked to.
        relations: `subject predicate object` of each relation stored.
        superseded: Ids of memories that this one replaced.
        superseded_by: Id of a newer memory that replaces this one already (an old fact told late).
        similar: Ids of memories linked as similar.
        flags: What the safety screen saw.
    """

    outcome: Outcome
    id: str | None
    reason: str
    scores: GateScores | None = None
    type: MemoryType | None = None
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    superseded_by: str | None = None
    similar: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did: how many of its turns ended how, and the write of each, in order."""

    total: int
    stored: int
    merged: int
    borderline: int
    refused: int
    quarantined: int
    unchanged: int
    seconds: float
    ids: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class PathStep:
    """One node of the path that brought a hit, and the edge by which it was reached.

    Args:
        kind: `memory` or `entity`.
        id: The memory's id or the entity's key.
        name: Caption.
        edge: Type of the edge from the step before (`MENTIONS`, `RELATES works_at`, …); "" for the seed.
        activation: What arrived here, after decay and fan-out.
    """

    kind: str
    id: str
    name: str
    edge: str
    activation: float


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a hit's score: `contribution` = `weight` × `value`."""

    name: str
    value: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled memory, and why.

    Args:
        memory: The memory.
        relevance: Calibrated likeness to the query, before boosts.
        score: What it was ranked by, after boosts.
        seeds: Which arms found it directly: `vector`, `keyword`, `entity`, `time`.
        terms: Every term of the score.
        path: The strongest path that activation took to it; the seed first.
    """

    memory: MemoryRecord
    relevance: float
    score: float
    seeds: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    path: tuple[PathStep, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a recall.

    Args:
        query: As it was asked.
        hits: Best first.
        omitted: Relevant hits left out by `limit`, `max_tokens` or diversity.
        tokens: Estimated tokens of the whole payload.
        took_ms: Wall time of the recall, encoding included.
        weights: The weight of each arm that this query was answered with.
        text: A prompt-ready block, where asked for.
    """

    query: str
    hits: tuple[Hit, ...]
    omitted: int = 0
    tokens: int = 0
    took_ms: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    text: str | None = None


@dataclass(frozen=True, slots=True)
class EntityView:
    """An entity and how it is linked to a memory."""

    key: str
    name: str
    type: EntityType


@dataclass(frozen=True, slots=True)
class RelationView:
    """A relation that a memory states."""

    subject: str
    predicate: str
    object: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link of a memory: `direction` is `out` (from it) or `in` (to it)."""

    id: str
    type: str
    direction: str
    strength: float


@dataclass(frozen=True, slots=True)
class MemoryDetail:
    """A memory with everything it is linked to."""

    memory: MemoryRecord
    entities: tuple[EntityView, ...] = ()
    relations: tuple[RelationView, ...] = ()
    links: tuple[LinkView, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkResult:
    """A link that now exists; `created` is False where it existed before."""

    from_id: str
    to_id: str
    type: str
    strength: float
    created: bool


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What a forget did, or would do.

    Args:
        dry_run: Nothing was changed.
        hard: Deleted for good; else archived.
        ids: The memories, at most 1,000 named.
        count: How many memories.
        entities: How many entities went along, being mentioned by nothing else.
        along: How many other memories went along, as they had the words of these: summaries and rules made of them,
            duplicates that had been merged into them.
    """

    dry_run: bool
    hard: bool
    ids: tuple[str, ...]
    count: int
    entities: int = 0
    along: int = 0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a memory was, or was not, recalled for a query.

    Args:
        query: The query.
        memory_id: The memory asked about.
        found: It is among the results.
        rank: From 1, None where it did not reach the ranking.
        verdict: One paragraph: at which step it fell out, and what would have brought it in.
        hit: Its terms and path, where it was scored.
        steps: Each step of the recall and what it said of this memory.
        cypher: A query to paste into Neo4j Browser that draws the path.
    """

    query: str
    memory_id: str
    found: bool
    rank: int | None
    verdict: str
    hit: Hit | None = None
    steps: tuple[str, ...] = ()
    cypher: str = ""


@dataclass(frozen=True, slots=True)
class BankUsage:
    """How a bank was used by whom its counts are of, since it was made.

    Args:
        searches: Recalls.
        searches_with_hits: Recalls that found something.
        hits: Memories that they found in all.
        search_ms: Time that they took in all, milliseconds.
        useful: Hits that were said to have helped.
        not_useful: Hits that were said to have been in the way.
        stored: Writes that were stored; the further five count the other outcomes.
        merged: Writes that reinforced an earlier memory.
        unchanged: Writes that told the same again.
        borderline: Writes that the gate handed back.
        refused: Writes that it refused.
        quarantined: Writes that wait for review.
        memories_recalled: Current memories that were ever recalled, by whomever.
    """

    searches: int = 0
    searches_with_hits: int = 0
    hits: int = 0
    search_ms: float = 0.0
    useful: int = 0
    not_useful: int = 0
    stored: int = 0
    merged: int = 0
    unchanged: int = 0
    borderline: int = 0
    refused: int = 0
    quarantined: int = 0
    memories_recalled: int = 0

    @property
    def hit_rate(self) -> float | None:
        """Share of the recalls that found something, [0, 1]; None before the first."""
        return self.searches_with_hits / self.searches if self.searches else None

    @property
    def use_rate(self) -> float | None:
        """Share of the hits that were said to have helped, [0, 1]; None before the first."""
        return min(1.0, self.useful / self.hits) if self.hits else None

    @property
    def mean_search_ms(self) -> float | None:
        """Mean time of a recall, milliseconds; None before the first."""
        return self.search_ms / self.searches if self.searches else None


@dataclass(frozen=True, slots=True)
class BankStats:
    """Counts of one bank, of what the asking identity may see."""

    bank: str
    memories: int
    by_type: Mapping[str, int]
    by_status: Mapping[str, int]
    archived: int
    entities: int
    sessions: int
    encoder: str | None
    oldest_at: datetime | None
    newest_at: datetime | None
    usage: BankUsage = field(default_factory=BankUsage)

    @property
    def utilisation(self) -> float | None:
        """Share of the current memories that were ever recalled, [0, 1]; None of an empty bank."""
        return min(1.0, self.usage.memories_recalled / self.memories) if self.memories else None


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """What narrows a recall, applied inside the indexes; None does not narrow.

    Args:
        types: Only these types.
        domain: Only this domain.
        tags: Memories that carry all of these.
        session: Only this session.
        source: Only this source.
        since: Happened at or after.
        until: Happened before.
        as_of: What was true and known at this instant.
        deep: The archive too.
        statuses: Only these statuses.
        metadata: Equal on each of these top-level keys.
    """

    types: Sequence[MemoryType] | None = None
    domain: str | None = None
    tags: Sequence[str] = ()
    session: str | None = None
    source: Source | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    deep: bool = False
    statuses: Sequence[Status] = (Status.ACTIVE,)
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """One version of a statement, as `history` lists them.

    Args:
        memory: The version; `memory.status` says whether it is current.
        superseded_at: When it ceased to hold: when what replaced it happened.
        superseded_by: Id of the version that replaced it; None for a current one.
        reason: Why it was replaced.
    """

    memory: MemoryRecord
    superseded_at: datetime | None = None
    superseded_by: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class VersionChange:
    """What undoing a supersession did; `changed` is False where there was nothing to undo."""

    newer_id: str
    older_id: str
    changed: bool
    newer_status: Status
    older_status: Status


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What a restore did.

    Args:
        restored: Ids that are out of the archive now.
        unchanged: Ids that were not in it.
        twins: Ids that stay archived, as the same words were told again meanwhile → id of the memory that has them.
    """

    restored: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    twins: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class EntityRelation:
    """A current relation of an entity; `memories` is how many memories state it."""

    subject: str
    predicate: str
    object: str
    negated: bool
    memories: int


@dataclass(frozen=True, slots=True)
class SameAsView:
    """Two names that may be one entity; nothing is decided by it.

    Args:
        first: One of them.
        second: The other.
        confidence: How likely; below 0.5 they only look alike.
        evidence: What speaks for it, in words.
    """

    first: EntityView
    second: EntityView
    confidence: float
    evidence: str


@dataclass(frozen=True, slots=True)
class SameAsList:
    """Pairs of names that may be one, surest first, and how many there are in all."""

    pairs: tuple[SameAsView, ...]
    total: int


@dataclass(frozen=True, slots=True)
class EntityDetail:
    """An entity under all its names, of what the asking identity may see; each list is bounded, each total is not.

    Args:
        entity: Under its canonical name.
        names: All entities that are one with it, itself first: its aliases.
        memories: Current memories that mention it, newest first.
        memories_total: How many mention it.
        relations: Current relations, best backed first.
        relations_total: How many there are.
        candidates: Names that may be the same, surest first.
        candidates_total: How many there are.
    """

    entity: EntityView
    names: tuple[EntityView, ...]
    memories: tuple[MemoryRecord, ...]
    memories_total: int
    relations: tuple[EntityRelation, ...]
    relations_total: int
    candidates: tuple[SameAsView, ...]
    candidates_total: int


@dataclass(frozen=True, slots=True)
class MergeResult:
    """Two entities after a merge or its undo; `changed` is False where it was so before."""

    alias: EntityView
    canonical: EntityView
    merged: bool
    changed: bool


@dataclass(frozen=True, slots=True)
class PendingMemory:
    """A memory that waits for review, why, and the memories it contradicts."""

    memory: MemoryRecord
    flags: tuple[str, ...] = ()
    contradicts: tuple[MemoryRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingList:
    """Memories that wait for review, newest first, and how many there are in all."""

    items: tuple[PendingMemory, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What a review did.

    Args:
        id: The memory.
        approved: It is recalled from now on; else it is archived, out of reach of a deep recall too.
        changed: False where the same review was made before.
        superseded: Ids of memories that it replaces.
        superseded_by: Ids of memories that replace it.
    """

    id: str
    approved: bool
    changed: bool
    superseded: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class JobView:
    """A durable ingest: how far it is, and what became of its turns so far.

    Args:
        id: The job's id.
        bank: Where it writes.
        state: Where it stands.
        total: Turns in all.
        done: Turns written or refused.
        created_at: When it was asked for.
        updated_at: When it last got on.
        finished_at: When it ended, one way or another.
        error: Why it failed, with what to do about it.
    """

    id: str
    bank: str
    state: JobState
    total: int
    done: int
    stored: int
    merged: int
    unchanged: int
    borderline: int
    refused: int
    quarantined: int
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class FeedbackView:
    """A memory after feedback: the sum of what was said of it, uses, and its own half-life, days, if it has one."""

    id: str
    feedback: int
    access_count: int
    half_life_days: float | None = None


@dataclass(frozen=True, slots=True)
class FeedbackReport:
    """What was recorded, memory by memory, in the order in which they were named."""

    useful: bool
    memories: tuple[FeedbackView, ...]


@dataclass(frozen=True, slots=True)
class SessionContext:
    """The working memory of a session, and what a query recalls beside it.

    Args:
        session: Its name.
        turns: Its last turns, in the order in which they happened.
        turns_total: How many turns the session has.
        tasks: Task states that are open, those of the session first, the newest first.
        tasks_total: How many are open, among the turns or not.
        recalled: What the query recalls beyond the turns and tasks; None without a query.
        tokens: Estimated tokens of all of it.
    """

    session: str
    turns: tuple[MemoryRecord, ...]
    turns_total: int
    tasks: tuple[MemoryRecord, ...] = ()
    tasks_total: int = 0
    recalled: SearchResult | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class TokenView:
    """A bearer token of the server, without the token itself.

    Args:
        id: Its id, to revoke it by.
        identity: Whom it speaks for.
        rights: What it may do: read, write, share, admin.
        label: What it was made for.
        created_at: When it was made.
        expires_at: When it ceases to hold; None is never.
        revoked_at: When it was revoked.
    """

    id: str
    identity: Identity
    rights: tuple[str, ...]
    label: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def holds(self, at: datetime) -> bool:
        """Whether it is good at this instant."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > at)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was made: `token` is shown this once and kept nowhere."""

    token: str
    view: TokenView


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what to which memory when; never the words of a memory.

    Args:
        id: The entry's id.
        at: When the database did it.
        action: stored, merged, superseded, changed, archived, restored, deleted, approved, rejected, linked, …
        memory_id: What it was done to.
        agent: On behalf of which agent.
        user: On behalf of which user.
        session: In which conversation or task run.
        before: Hash of the memory's words before; None where there was none.
        after: Hash of its words afterwards; None where there is none.
        detail: Names of the fields that were changed, an id or a type; never a content.
    """

    id: str
    at: datetime
    action: str
    memory_id: str
    agent: str | None = None
    user: str | None = None
    session: str | None = None
    before: str | None = None
    after: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Entries, newest first, and how many match in all."""

    entries: tuple[AuditEntry, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ChangeView:
    """What somebody else wrote or changed, as it stands now."""

    kind: str
    at: datetime
    memory: MemoryRecord


@dataclass(frozen=True, slots=True)
class ChangeFeed:
    """What others wrote since a cursor, oldest first.

    Args:
        changes: What can be recalled now, once each.
        cursor: To ask from the next time.
        more: There is more: ask again at once.
    """

    changes: tuple[ChangeView, ...]
    cursor: str
    more: bool = False


@dataclass(frozen=True, slots=True)
class Load:
    """What passes through a database and waits in it, all banks together.

    Args:
        jobs: Jobs that are not finished.
        turns: Turns that wait in them.
        memories: Memories that are not archived.
        archived: Memories that are.
        recalled: Memories that are not archived and were ever recalled.
        transactions: Transactions of this process so far.
        in_flight: Its transactions under way.
        retries: Its transactions that were tried again after a passing error.
        reconnects: How often it connected anew because the database went away.
    """

    jobs: int = 0
    turns: int = 0
    memories: int = 0
    archived: int = 0
    recalled: int = 0
    transactions: int = 0
    in_flight: int = 0
    retries: int = 0
    reconnects: int = 0
