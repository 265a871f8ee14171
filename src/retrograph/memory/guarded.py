"""What a memory offers to guard it: the tokens of its server."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from retrograph.memory import tokens
from retrograph.models import Identity, NewToken, TokenView
from retrograph.settings import Settings

if TYPE_CHECKING:
    from retrograph.memory.facade import Resources


class Guarded:
    """The part of `Memory` that says who may come in. For the owner of the database, not for agents."""

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
            self._resources.graph, identity=self.identity, rights=rights, label=label, expires_at=expires_at
        )

    def tokens(self, *, everybody: bool = False, limit: int = 100) -> tuple[TokenView, ...]:
        """Tokens of the bank, or of all banks, newest first, ended ones too; 1 to 1,000."""
        bank = None if everybody else self.identity.bank
        return tokens.list_tokens(self._resources.graph, bank=bank, limit=limit)

    def revoke_token(self, token_id: str) -> TokenView:
        """Ends a token; running servers refuse it within seconds. Doing it twice changes nothing.

        Raises:
            NotFound: The bank has no such token.
        """
        return tokens.revoke_token(self._resources.graph, token_id, bank=self.identity.bank)

    def find_token(self, hashed: str) -> TokenView | None:
        """The token with this hash (`tokens.token_hash`), whatever its bank; None unless it holds."""
        return tokens.find_token(self._resources.graph, hashed)
