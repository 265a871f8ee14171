"""What is told of a bank, its jobs, tokens and audit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from retrograph.models.identity import Identity
from retrograph.models.words import JobState


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
