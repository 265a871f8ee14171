"""Bearer tokens of the server: made, listed and ended here, kept as hashes alone."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from uuid_utils import uuid7

from retrograph.errors import InvalidInput, NotFound
from retrograph.graph import Graph
from retrograph.models import Identity, NewToken, TokenView

RIGHTS = ("read", "write", "share", "admin")
"""What a token may do: recall; keep what is private to it; write and change what is shared; review and all else."""
_PREFIX = "rg_"
_BYTES = 32
_MAX_LABEL = 200
_MAX_NAME = 200
_MAX_TEAMS = 50
_MOST = 1_000


def create_token(
    graph: Graph,
    *,
    identity: Identity,
    rights: Sequence[str],
    label: str,
    expires_at: datetime | None,
    now: datetime | None = None,
) -> NewToken:
    """Makes a token; `Memory.create_token`.

    Raises:
        InvalidInput: A right is unknown, or a name is empty or too long, or it would have expired already.
    """
    unknown = [right for right in rights if right not in RIGHTS]
    if unknown or not rights:
        said = f"there is no right {unknown[0]!r}" if unknown else "a token without any right is of no use"
        raise InvalidInput(said, cure=f"Rights are {', '.join(RIGHTS)}.", field="rights")
    if "write" in rights and not (identity.user or identity.agent) and not {"share", "admin"} & set(rights):
        raise InvalidInput(
            "a token that names neither a user nor an agent has nothing of its own to write",
            cure="Name one (--user, --agent), or give it the right share.",
            field="rights",
        )
    at = now or datetime.now(UTC)
    if expires_at is not None and expires_at <= at:
        raise InvalidInput(f"the token would have expired at {expires_at:%Y-%m-%d %H:%M}", field="expires_at")
    if len(label) > _MAX_LABEL:
        raise InvalidInput(f"the label has {len(label)} characters, at most {_MAX_LABEL}", field="label")
    if len(identity.teams) > _MAX_TEAMS:
        raise InvalidInput(f"{len(identity.teams)} further teams, at most {_MAX_TEAMS}", field="teams")
    for name in (identity.bank, identity.agent, identity.user, identity.team, identity.session, *identity.teams):
        if name is not None and not 1 <= len(name) <= _MAX_NAME:
            raise InvalidInput(f"the name {name[:50]!r} is empty or longer than {_MAX_NAME} characters")
    # As much chance as a key has: a plain hash of it cannot be turned back, and no salt is needed.
    token = _PREFIX + secrets.token_urlsafe(_BYTES)
    row = {
        "id": str(uuid7()),
        "hash": token_hash(token),
        "bank": identity.bank,
        "agent": identity.agent,
        "user": identity.user,
        "team": identity.team,
        "teams": list(identity.teams),
        "session": identity.session,
        "rights": [right for right in RIGHTS if right in rights],
        "label": label,
        "created_at": at,
        "expires_at": expires_at,
    }
    return NewToken(token, _view(graph.run("create_token", token=row)[0]["token"]))


def list_tokens(graph: Graph, *, bank: str | None, limit: int) -> tuple[TokenView, ...]:
    """Tokens of a bank, or of all, newest first, ended ones too; `Memory.tokens`.

    Raises:
        InvalidInput: `limit` cannot work.
    """
    if not 1 <= limit <= _MOST:
        raise InvalidInput(f"limit is {limit!r}, not between 1 and {_MOST:,}", field="limit")
    return tuple(_view(row["token"]) for row in graph.run("list_tokens", bank=bank, limit=limit))


def revoke_token(graph: Graph, token_id: str, *, bank: str, now: datetime | None = None) -> TokenView:
    """Ends a token; `Memory.revoke_token`.

    Raises:
        NotFound: The bank has no such token.
    """
    rows = graph.run("revoke_token", bank=bank, id=token_id, at=now or datetime.now(UTC))
    if not rows:
        raise NotFound(f"bank {bank!r} has no token {token_id!r}", cure="`retrograph token list` shows their ids.")
    return _view(rows[0]["token"])


def find_token(graph: Graph, hashed: str, *, now: datetime | None = None) -> TokenView | None:
    """The token with this hash, if it holds; None where there is none, or it was ended or has expired."""
    rows = graph.run("find_token", hash=hashed)
    if not rows:
        return None
    view = _view(rows[0]["token"])
    return view if view.holds(now or datetime.now(UTC)) else None


def token_hash(token: str | bytes) -> str:
    """What is kept of a token: its SHA-256, in hexadecimal."""
    return hashlib.sha256(token.encode("utf-8") if isinstance(token, str) else token).hexdigest()


def _view(row: dict[str, Any]) -> TokenView:
    identity = Identity(
        bank=row["bank"],
        agent=row.get("agent"),
        user=row.get("user"),
        team=row["team"],
        session=row.get("session"),
        teams=tuple(row.get("teams") or ()),
    )
    return TokenView(
        id=row["id"],
        identity=identity,
        rights=tuple(row["rights"]),
        label=row.get("label") or "",
        created_at=row["created_at"],
        expires_at=row.get("expires_at"),
        revoked_at=row.get("revoked_at"),
    )
