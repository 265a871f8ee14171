"""Who verifies bearer tokens: the settings' one, those kept in the graph, JWTs of an issuer."""

import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from fastmcp.server.auth import AccessToken, AuthProvider, MultiAuth, TokenVerificationError, TokenVerifier
from fastmcp.server.auth.providers.jwt import JWTVerifier
from joserfc import jwk
from joserfc.errors import JoseError

from retrograph.errors import RetrographError, SettingsError
from retrograph.memory.tokens import token_hash
from retrograph.models import Identity, TokenView
from retrograph.server.identity import BearerTokens, Grant, Right, access_token, as_sent

if TYPE_CHECKING:
    from retrograph.memory import Memory
    from retrograph.settings import ServerSettings

_log = logging.getLogger("retrograph.server")

FRESH_S = 5.0
"""How long an answer of the database about a token is good for: a revoked token ends within it."""
_MOST_KEPT = 10_000
_MAX_NAME = 200
_ALGORITHMS = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512"}
_SCOPE_PREFIX = "retrograph:"


def auth_of(verifiers: Sequence[TokenVerifier]) -> AuthProvider | None:
    """One provider of all: the first that knows a token decides; None where nobody asks for one."""
    if not verifiers:
        return None
    if len(verifiers) == 1:
        return verifiers[0]
    return MultiAuth(verifiers={f"{type(each).__name__} {n}": each for n, each in enumerate(verifiers)})


def verifiers_of(memory: "Memory") -> list[TokenVerifier]:
    """Those that the settings ask for.

    Raises:
        SettingsError: The keys of JWTs cannot be read.
    """
    server = memory.settings.server
    found: list[TokenVerifier] = []
    if server.token:
        found.append(BearerTokens({server.token.get_secret_value(): Grant(memory.settings.identity)}))
    if server.auth == "tokens":
        found.append(StoredTokens(memory))
    if server.jwt_keys:
        found += jwt_verifiers(server)
    return found


class StoredTokens(TokenVerifier):
    """Verifies tokens against the hashes that the graph keeps.

    A hash is looked up, not compared: of a token of 256 bits nothing can be learnt from how long that takes.

    Args:
        memory: Any memory of the database.
    """

    def __init__(self, memory: "Memory") -> None:
        super().__init__()
        self._memory = memory
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[float, TokenView | None]] = OrderedDict()

    async def verify_token(self, token: str) -> AccessToken | None:
        """The claims of a token, or None where it was never made, has been revoked or has expired.

        Raises:
            TokenVerificationError: The database does not answer, so nobody can say.
        """
        hashed = token_hash(as_sent(token))
        view = await anyio.to_thread.run_sync(self._find, hashed)
        if view is None:
            return None
        grant = Grant(view.identity, frozenset(Right(name) for name in view.rights))
        expires = int(view.expires_at.timestamp()) if view.expires_at else None
        return access_token(hashed, grant, expires_at=expires)

    def _find(self, hashed: str) -> TokenView | None:
        now = time.monotonic()
        with self._lock:
            asked_at, view = self._known.get(hashed, (float("-inf"), None))
        if now - asked_at < FRESH_S:
            return view
        try:
            view = self._memory.find_token(hashed)
        except RetrographError as error:
            _log.warning("tokens cannot be verified: %s", error)
            raise TokenVerificationError("the database does not answer") from error
        with self._lock:
            self._known[hashed] = (now, view)
            self._known.move_to_end(hashed)
            # Made-up tokens come in any number.
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        return view


class JwtGrants(JWTVerifier):
    """Verifies a JWT as FastMCP does and reads what it grants from its claims.

    Claims: `bank` (needed), `agent`, `user` (else `sub`), `team`, `teams`, `session`, and `rights`, a list or words;
    without it the scopes `retrograph:read` and so on; without both it may read.
    """

    async def verify_token(self, token: str) -> AccessToken | None:
        """The grant of a valid JWT, or None."""
        verified = await super().verify_token(token)
        if verified is None:
            return None
        if verified.expires_at is None:
            _log.info("a JWT was refused: it has no exp")
            return None
        grant = grant_of_jwt(verified.claims or {}, verified.scopes)
        return grant and access_token(token_hash(as_sent(token)), grant, expires_at=verified.expires_at)


def grant_of_jwt(claims: Mapping[str, Any], scopes: Sequence[str]) -> Grant | None:
    """What the claims of a verified JWT grant; None where they name no bank, or are not what they should be."""
    named = {name: claims.get(name) for name in ("bank", "agent", "user", "team", "session")}
    named["user"] = named["user"] if named["user"] is not None else claims.get("sub")
    said: Any = claims.get("teams") or []
    teams: list[Any] = [*said] if isinstance(said, list) else [said]
    wrong = [name for name, value in [*named.items(), *(("teams", team) for team in teams)] if not _is_name(value)]
    wrong = [name for name in wrong if name == "teams" or named[name] is not None]
    rights = _rights(claims, scopes)
    if wrong or named["bank"] is None or rights is None:
        _log.info("a JWT was refused: %s", f"{wrong[0]} is no name" if wrong else "it names no bank, or unknown rights")
        return None
    # Without a team of its own it is of the first it names.
    team = named["team"] or (teams[0] if teams else "main")
    others = tuple(each for each in teams if each != team)
    return Grant(Identity(named["bank"], named["agent"], named["user"], team, named["session"], others), rights)


def _rights(claims: Mapping[str, Any], scopes: Sequence[str]) -> frozenset[Right] | None:
    said: Any = claims.get("rights")
    if said is None:
        said = [scope.removeprefix(_SCOPE_PREFIX) for scope in scopes if scope.startswith(_SCOPE_PREFIX)] or ["read"]
    words: list[Any] = said.split() if isinstance(said, str) else said
    try:
        return frozenset(Right(word) for word in words)
    except (ValueError, TypeError):
        return None


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= _MAX_NAME


def jwt_verifiers(server: "ServerSettings") -> list[TokenVerifier]:
    """Verifiers of JWTs, one a key of a file, or one for the JWKS at a URL.

    Raises:
        SettingsError: The file cannot be read, or holds no public key.
    """
    keys = server.jwt_keys or ""
    common: dict[str, Any] = {"issuer": server.jwt_issuer, "audience": server.jwt_audience}
    if keys.startswith(("https://", "http://")):
        return [JwtGrants(jwks_uri=keys, algorithm=server.jwt_algorithm, **common)]
    pems = _public_keys(keys, server.jwt_algorithm)
    return [JwtGrants(public_key=pem, algorithm=algorithm, **common) for pem, algorithm in pems]


def _public_keys(path: str, algorithm: str) -> list[tuple[str, str]]:
    """Public keys of a PEM or JWKS file, each with its algorithm."""
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _bad_keys(path, getattr(error, "strerror", None) or "it is no text") from error
    if not text.startswith("{"):
        if "PRIVATE KEY" in text:
            raise _bad_keys(path, "it holds a private key, which belongs to the issuer alone")
        if "-----BEGIN PUBLIC KEY-----" not in text and "-----BEGIN RSA PUBLIC KEY-----" not in text:
            raise _bad_keys(path, "it is neither a PEM public key nor a JWKS")
        return [(text, algorithm)]
    try:
        read: Any = json.loads(text)
        entries: list[dict[str, Any]] = [entry for entry in read.get("keys", [read]) if entry.get("use") != "enc"]
        found = [_public_key(entry, algorithm) for entry in entries]
    except (JoseError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _bad_keys(path, "it is no JWKS with public keys") from error
    if not found:
        raise _bad_keys(path, "it holds no key")
    return found


def _public_key(entry: dict[str, Any], algorithm: str) -> tuple[str, str]:
    kind = entry["kty"]
    if kind not in ("RSA", "EC", "OKP"):
        raise ValueError(f"kty {kind!r}")
    # Only the public half is taken, whatever the file holds.
    pem = jwk.import_key(entry, kind).as_pem(private=False).decode("ascii")
    fitting = algorithm if kind == "RSA" and algorithm.startswith(("RS", "PS")) else "RS256"
    if kind == "EC":
        fitting = _ALGORITHMS[entry["crv"]]
    elif kind == "OKP":
        fitting = "EdDSA"
    return pem, entry.get("alg") or fitting


def _bad_keys(path: str, why: str) -> SettingsError:
    return SettingsError(
        f"the setting server.jwt_keys names {path!r}, and {why}",
        cure="Name a PEM file with the issuer's public key, a JWKS file, or the URL of a JWKS.",
    )
