"""What a memory offers to guard and to share it: the tokens of its server, the audit, the feed of changes."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from retrograph.errors import SchemaOutdated
from retrograph.graph import schema_state
from retrograph.memory import auditing, changes, tokens
from retrograph.memory.administering import read_load
from retrograph.models import AuditPage, ChangeFeed, Identity, Load, NewToken, TokenView
from retrograph.settings import Settings

if TYPE_CHECKING:
    from retrograph.memory.facade import Resources


class Guarded:
    """The part of `Memory` that says who may come in and who did what: but for `changes`, for its owner alone."""

    settings: Settings
    identity: Identity
    _resources: "Resources"

    def create_token(
        self, *, rights: Sequence[str] = ("read", "write"), label: str = "", expires_at: datetime | None = None
    ) -> NewToken:
        """Makes a bearer token that speaks for this memory's identity over HTTP; only its hash is kept.

        Args:
            rights: Some of read, write (what is private to it), share (team and global memories too) and admin (all,
                review included).
            label: What it is for, up to 200 characters.
            expires_at: When it ceases to hold; None is never.

        Raises:
            InvalidInput: A value cannot work; nothing was made.
        """
        return tokens.create_token(
            self._resources.home.graph, identity=self.identity, rights=rights, label=label, expires_at=expires_at
        )

    def tokens(self, *, everybody: bool = False, limit: int = 100) -> tuple[TokenView, ...]:
        """Tokens of the bank, or of all banks, newest first, ended ones too; 1 to 1,000."""
        bank = None if everybody else self.identity.bank
        return tokens.list_tokens(self._resources.home.graph, bank=bank, limit=limit)

    def revoke_token(self, token_id: str) -> TokenView:
        """Ends a token; running servers refuse it within seconds. Doing it twice changes nothing.

        Raises:
            NotFound: The bank has no such token.
        """
        return tokens.revoke_token(self._resources.home.graph, token_id, bank=self.identity.bank)

    def find_token(self, hashed: str) -> TokenView | None:
        """The token with this hash (`tokens.token_hash`), whatever its bank; None unless it holds."""
        return tokens.find_token(self._resources.home.graph, hashed)

    def check(self) -> None:
        """Passes where the database answers and is at the schema of this version; asks next to nothing of it.

        Raises:
            SchemaOutdated: It is at another.
            GraphError: It does not answer.
        """
        state = schema_state(self._resources.graph)
        if not state.is_current:
            raise SchemaOutdated(
                f"the database has the migrations {list(state.applied)} of {list(state.available)}",
                cure="Run `retrograph migrate`.",
            )

    def load(self) -> Load:
        """What passes through the database and waits in it, of all banks: for whoever runs a server.

        Raises:
            GraphError: The database does not answer.
        """
        return read_load(self._resources.graph)

    def audit(
        self,
        *,
        memory_id: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        action: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 100,
    ) -> AuditPage:
        """Who did what to which memory of the bank when, newest first; whoever did it, and whosever it is.

        Args:
            memory_id: Only of this memory; deleted ones too.
            agent: Only what was done on behalf of this agent.
            user: Only what was done on behalf of this user.
            action: Only this: stored, quarantined, merged, superseded, unsuperseded, changed, archived, restored,
                deleted, approved, rejected, linked, marked, `names merged` or `names unmerged`.
            since: At or after.
            until: Before.
            limit: Entries, 1 to 10,000.
        """
        return auditing.list_audit(
            self._resources.graph,
            bank=self.identity.bank,
            memory_id=memory_id,
            agent=agent,
            user=user,
            action=action,
            since=since,
            until=until,
            limit=limit,
        )

    def purge_audit(self, *, before: datetime) -> int:
        """Deletes entries of the bank that are older; `retrograph consolidate` does it by their retention.

        Returns:
            How many were deleted.
        """
        return auditing.purge_audit(self._resources.graph, bank=self.identity.bank, before=before)

    def changes(self, cursor: str | None = None, *, since: datetime | None = None, limit: int = 50) -> ChangeFeed:
        """What others wrote, where this identity may read, since a cursor; no more than it could recall.

        Args:
            cursor: Of the answer before; None begins with the newest.
            since: Begin at this moment instead.
            limit: Entries, 1 to 200; a memory that was changed more than once comes once.

        Raises:
            InvalidInput: The cursor is none, or an argument cannot work.
        """
        return changes.read_changes(
            self._resources.graph, identity=self.identity, cursor=cursor, since=since, limit=limit
        )
