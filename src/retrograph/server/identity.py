"""Who is asking: the settings say it over stdio, the bearer token over HTTP; arguments can only narrow it."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from fastmcp.server.auth import AccessToken, TokenVerifier
from fastmcp.server.dependencies import get_access_token

from retrograph.errors import InvalidInput
from retrograph.models import Identity, Scope


class Right(StrEnum):
    """What a caller may do inside its bank: recall; keep what is private to it; share with team and all; everything."""

    READ = "read"
    WRITE = "write"
    SHARE = "share"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Grant:
    """Whom a caller speaks for, and what it may do.

    Args:
        identity: Bank, agent, user, team, session.
        rights: What it may do; by default everything.
    """

    identity: Identity
    rights: frozenset[Right] = frozenset(Right)

    @property
    def claims(self) -> dict[str, Any]:
        """The grant as the claims of a verified token."""
        who = self.identity
        return {
            "bank": who.bank,
            "agent": who.agent,
            "user": who.user,
            "team": who.team,
            "teams": list(who.teams),
            "session": who.session,
            "rights": sorted(self.rights),
        }

    @classmethod
    def of_claims(cls, claims: Mapping[str, Any]) -> Self:
        """The grant that a verified token's claims name; `bank` must be among them."""
        identity = Identity(
            bank=str(claims["bank"]),
            agent=claims.get("agent"),
            user=claims.get("user"),
            team=str(claims.get("team") or "main"),
            session=claims.get("session"),
            teams=tuple(claims.get("teams") or ()),
        )
        return cls(identity, frozenset(Right(name) for name in claims.get("rights", ())))

    def may(self, right: Right) -> bool:
        """Whether the caller has the right; who administers a bank has them all."""
        return right in self.rights or Right.ADMIN in self.rights

    @property
    def changing(self) -> Identity:
        """The identity that changes something: without the right to share, only its own is within its reach."""
        return self.identity if self.may(Right.SHARE) else replace(self.identity, only_own=True)

    def require(self, right: Right) -> None:
        """Passes where the caller has the right.

        Raises:
            InvalidInput: It has not.
        """
        if not self.may(right):
            raise InvalidInput(
                f"this token may not {right.value} in its bank.",
                cure=f"Ask the owner of the bank for a token with the right {right.value!r}.",
            )


class BearerTokens(TokenVerifier):
    """Verifies bearer tokens against their hashes, each in constant time, all of them every time.

    Args:
        grants: What each token grants, by the token itself; only hashes are kept.
    """

    def __init__(self, grants: Mapping[str, Grant]) -> None:
        super().__init__()
        self._grants = [(_digest(token.encode("utf-8")), grant) for token, grant in grants.items()]

    async def verify_token(self, token: str) -> AccessToken | None:
        """The claims of a token, or None where nobody was given it."""
        offered = _digest(as_sent(token))
        found: Grant | None = None
        for digest, grant in self._grants:
            if hmac.compare_digest(digest, offered):
                found = grant
        return None if found is None else access_token(offered.hex(), found)


def access_token(name: str, grant: Grant, *, expires_at: int | None = None) -> AccessToken:
    """What the framework passes on of a verified token: never the token itself, for it may end in a log.

    Args:
        name: Hash of the token.
        grant: What it grants.
        expires_at: When it ceases to hold, seconds since the epoch.
    """
    return AccessToken(token=name, client_id=name[:12], scopes=[], claims=grant.claims, expires_at=expires_at)


def as_sent(token: str) -> bytes:
    """The bytes of a header, which frameworks hand on as Latin-1 whatever the client meant by them."""
    try:
        return token.encode("latin-1")
    except UnicodeEncodeError:
        return token.encode("utf-8", "surrogatepass")


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def grant_of_request(own: Identity) -> Grant:
    """What the caller of the present request may do; the one place where that is decided.

    Over stdio, and over loopback HTTP without a token, the server's own identity speaks, which the settings
    name; over HTTP with a token, the token.

    Args:
        own: The server's own identity.
    """
    return grant_of_token() or Grant(own)


def grant_of_token() -> Grant | None:
    """What the token of the present request grants; None where it carries none."""
    token = get_access_token()
    return None if token is None else Grant.of_claims(token.claims)


def identity_of_request(own: Identity) -> Identity:
    """Who the caller of the present request is; see `grant_of_request`."""
    return grant_of_request(own).identity


def require_scope(identity: Identity, scope: Scope | None) -> None:
    """Passes where a caller may write for this audience.

    Args:
        identity: Under which it changes something.
        scope: As it was asked for; None is the identity's default.

    Raises:
        InvalidInput: It may write only what is private to it.
    """
    asked = scope or identity.default_scope
    if identity.only_own and identity.audience(asked) not in identity.audiences:
        raise InvalidInput(
            f"this token may not write with scope {asked.value!r}: only what is private to it.",
            cure="Leave `scope` out, or ask the owner of the bank for a token with the right 'share'.",
            field="scope",
        )


def narrow(
    identity: Identity,
    *,
    bank: str | None = None,
    agent: str | None = None,
    user: str | None = None,
    session: str | None = None,
) -> Identity:
    """An identity with what a call names, where that does not reach beyond it.

    A session may be chosen where none is fixed: it labels a memory, it shields none. Bank, agent and user
    decide what can be seen, so a call may only repeat them.

    Raises:
        InvalidInput: A name is another than the identity's.
    """
    asked = {"bank": bank, "agent": agent, "user": user, "session": session}
    for name, value in asked.items():
        held = getattr(identity, name)
        if value is None or value == held or (name == "session" and held is None):
            continue
        raise InvalidInput(
            f"{name} {value!r} is not the {name} this connection speaks for.",
            cure=f"Leave `{name}` out; another {name} needs a connection of its own.",
            field=name,
        )
    return replace(identity, session=session or identity.session)
