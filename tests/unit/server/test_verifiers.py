"""Who verifies tokens: the settings, the graph, JWTs of an issuer; and what each right is good for."""

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from fastmcp.server.auth.providers.jwt import RSAKeyPair
from joserfc import jwk, jwt

from retrograph.errors import EngineUnavailable, SettingsError
from retrograph.memory.tokens import token_hash
from retrograph.models import Identity, Scope, TokenView
from retrograph.server.identity import BearerTokens, Grant, Right
from retrograph.server.verifiers import StoredTokens, jwt_verifiers, verifiers_of
from retrograph.settings import ServerSettings

from .test_http import ANN, Web

PAIR, OTHER = RSAKeyPair.generate(), RSAKeyPair.generate()
ISSUER, AUDIENCE = "https://id.example.com", "retrograph"
CLAIMS = {"bank": "atelier", "user": "安", "rights": ["read", "write"]}


# --- JWT ------------------------------------------------------------------------------------------------------------


def signed(pair=PAIR, *, claims=None, **more):
    given = {"issuer": ISSUER, "audience": AUDIENCE, "subject": "ann@example.com"} | more
    return pair.create_token(additional_claims=CLAIMS if claims is None else claims, **given)


@pytest.fixture
def settings(tmp_path):
    """Settings of a server whose issuer signs with `PAIR`."""
    (tmp_path / "key.pem").write_text(PAIR.public_key)
    return ServerSettings(jwt_keys=str(tmp_path / "key.pem"), jwt_issuer=ISSUER, jwt_audience=AUDIENCE)


@pytest.fixture
def web(memory, settings):
    with Web(memory, verifiers=jwt_verifiers(settings)) as web:
        yield web


def test_a_jwt_names_whom_it_speaks_for_and_what_it_may(web, memory):
    token = signed(claims=CLAIMS | {"agent": "planner", "team": "red", "teams": ["red", "蓝队"], "session": "s"})
    assert web.call("memory_write", token=token, content="会议 notes")["structuredContent"]["outcome"] == "stored"
    seen = memory.shelf.calls[-1][1]
    assert replace(seen, only_own=False) == Identity("atelier", "planner", "安", "red", "s", ("蓝队",))
    assert seen.only_own, "it has no right to share"


@pytest.mark.parametrize(
    "token",
    [
        signed(OTHER),
        signed(issuer="https://evil.example"),
        signed(audience="another service"),
        signed(expires_in_seconds=-10),
        signed(claims={"user": "ann"}),
        signed(claims={"bank": ""}),
        signed(claims={"bank": 5}),
        signed(claims={"bank": "x" * 201}),
        signed(claims={"bank": "atelier", "user": {"$ne": ""}}),
        signed(claims={"bank": "atelier", "teams": [5]}),
        signed(claims={"bank": "atelier", "rights": ["root"]}),
        signed(claims={"bank": "atelier", "rights": 7}),
        signed()[:-4],
        "eyJhbGciOiJub25lIn0.eyJiYW5rIjoiYXRlbGllciJ9.",
        jwt.encode(
            {"alg": "HS256"},
            CLAIMS | {"iss": ISSUER, "aud": AUDIENCE, "exp": 2**33},
            jwk.OctKey.import_key("a secret of thirty-two characters"),
        ),
        jwt.encode(
            {"alg": "RS256"},
            CLAIMS | {"iss": ISSUER, "aud": AUDIENCE},
            jwk.RSAKey.import_key(PAIR.private_key.get_secret_value()),
        ),
    ],
    # The tokens differ in each run, their names may not.
    ids=[
        "another key",
        "another issuer",
        "another audience",
        "expired",
        "no bank",
        "empty bank",
        "a number for bank",
        "long bank",
        "a map for user",
        "a number for team",
        "unknown right",
        "a number for rights",
        "cut off",
        "unsigned",
        "signed with a shared secret",
        "never expires",
    ],
)
def test_a_jwt_that_is_not_of_the_issuer_for_us_and_in_force_reaches_nothing(web, memory, token):
    assert (
        web.post("tools/call", {"name": "memory_search", "arguments": {"query": "x"}}, token=token).status_code == 401
    )
    assert not memory.shelf.calls


@pytest.mark.parametrize(
    ("claims", "rights"),
    [
        ({}, {"read"}),
        ({"scope": "openid retrograph:read retrograph:write"}, {"read", "write"}),
        ({"scope": "openid"}, {"read"}),
        ({"rights": "read write share"}, {"read", "write", "share"}),
        ({"rights": []}, set()),
    ],
)
def test_a_jwt_without_rights_may_read_and_scopes_count_as_rights(web, claims, rights):
    token = signed(claims={"bank": "atelier", "user": "ann"} | claims)
    may = {
        "read": not web.call("memory_search", token=token, query="x").get("isError"),
        "write": not web.call("memory_write", token=token, content=f"note {claims}").get("isError"),
        "share": not web.call("memory_write", token=token, content=f"t {claims}", scope="team").get("isError"),
    }
    assert {name for name, allowed in may.items() if allowed} == rights


def test_the_subject_is_the_user_where_none_is_named(web, memory):
    web.call("memory_search", token=signed(claims={"bank": "atelier"}), query="x")
    assert memory.shelf.calls[-1][1].user == "ann@example.com"


def test_each_key_of_a_jwks_file_is_known_with_its_own_algorithm(memory, tmp_path):
    ec = jwk.ECKey.generate_key("P-256", {"kid": "ec"})
    keys = [jwk.RSAKey.import_key(PAIR.public_key).as_dict(private=False), ec.as_dict(private=True)]
    (tmp_path / "jwks.json").write_text(json.dumps({"keys": keys}))
    server = ServerSettings(jwt_keys=str(tmp_path / "jwks.json"), jwt_issuer=ISSUER, jwt_audience=AUDIENCE)
    claims = CLAIMS | {"iss": ISSUER, "aud": AUDIENCE, "exp": int(time.time()) + 60}
    with Web(memory, verifiers=jwt_verifiers(server)) as web:
        for token in (signed(), jwt.encode({"alg": "ES256", "kid": "ec"}, claims, ec)):
            assert web.call("memory_search", token=token, query="x")["structuredContent"]["hits"] == []
        assert web.post("tools/list", {}, token=signed(OTHER)).status_code == 401


@pytest.mark.parametrize(
    "content",
    [None, "", "no key", "{}", '{"keys": []}', '{"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}', '{"keys": 5}', "{"],
)
def test_keys_that_cannot_be_read_stop_the_server_with_the_cure(tmp_path, content):
    path = tmp_path / "keys"
    if content is not None:
        path.write_text(content)
    server = ServerSettings(jwt_keys=str(path), jwt_issuer=ISSUER, jwt_audience=AUDIENCE)
    with pytest.raises(SettingsError, match="jwt_keys") as refused:
        jwt_verifiers(server)
    assert "JWKS" in refused.value.cure


def test_a_private_key_is_no_key_of_a_server(tmp_path):
    (tmp_path / "key.pem").write_text(PAIR.private_key.get_secret_value())
    server = ServerSettings(jwt_keys=str(tmp_path / "key.pem"), jwt_issuer=ISSUER, jwt_audience=AUDIENCE)
    with pytest.raises(SettingsError, match="belongs to the issuer"):
        jwt_verifiers(server)


@pytest.mark.parametrize("more", [{}, {"jwt_issuer": ISSUER}, {"jwt_audience": AUDIENCE}])
def test_keys_without_issuer_and_audience_are_no_settings(more):
    with pytest.raises(ValueError, match="jwt_issuer and jwt_audience"):
        ServerSettings(jwt_keys="https://id.example.com/jwks", **more)


# --- Tokens of the graph --------------------------------------------------------------------------------------------


class Vault:
    """Knows tokens as the graph does."""

    def __init__(self):
        self.kept = {}
        self.asked = 0
        self.error = None

    def give(self, token, identity, *rights):
        self.kept[token_hash(token)] = TokenView("t1", identity, rights, "", datetime(2026, 1, 1, tzinfo=UTC))

    def find_token(self, hashed):
        self.asked += 1
        if self.error:
            raise self.error
        return self.kept.get(hashed)


@pytest.fixture
def vault(memory):
    vault = Vault()
    memory.find_token = vault.find_token
    return vault


def test_a_stored_token_speaks_for_its_identity_and_is_looked_up_once_for_a_while(memory, vault, monkeypatch):
    vault.give("rg_known", replace(ANN, agent="planner"), "read")
    with Web(memory, verifiers=[StoredTokens(memory)]) as web:
        for _ in range(3):
            web.call("memory_search", token="rg_known", query="x")
        assert memory.shelf.calls[-1][1] == replace(ANN, agent="planner")
        assert vault.asked == 1
        assert web.post("tools/list", {}, token="rg_made-up").status_code == 401
        vault.kept.clear()
        monkeypatch.setattr("retrograph.server.verifiers.FRESH_S", 0)
        assert web.post("tools/list", {}, token="rg_known").status_code == 401


def test_made_up_tokens_are_not_kept_without_end(memory, vault, monkeypatch):
    monkeypatch.setattr("retrograph.server.verifiers._MOST_KEPT", 5)
    stored = StoredTokens(memory)
    with Web(memory, verifiers=[stored]) as web:
        for number in range(20):
            assert web.post("tools/list", {}, token=f"rg_{number}").status_code == 401
    assert len(stored._known) == 5


def test_while_the_database_is_down_nobody_is_told_that_a_token_is_bad(memory, vault):
    vault.error = EngineUnavailable("bolt://secret:7687 is down")
    with Web(memory, verifiers=[StoredTokens(memory)], raise_errors=False) as web:
        response = web.post("tools/list", {}, token="rg_x")
        assert response.status_code >= 500
        assert "secret" not in response.text


def test_any_of_several_verifiers_lets_its_own_tokens_in(make_memory, settings):
    given = {"token": "the one", "auth": "tokens"} | settings.model_dump(
        include={"jwt_keys", "jwt_issuer", "jwt_audience"}
    )
    memory = make_memory(server=given)
    vault = Vault()
    memory.find_token = vault.find_token
    vault.give("rg_a", ANN, "read")
    verifiers = verifiers_of(memory)
    assert [type(each).__name__ for each in verifiers] == ["BearerTokens", "StoredTokens", "JwtGrants"]
    with Web(memory, verifiers=verifiers) as web:
        for token, user in (("the one", None), ("rg_a", "ann"), (signed(), "安")):
            web.call("memory_search", token=token, query="x")
            assert memory.shelf.calls[-1][1].user == user
        for token in (None, "the two", "rg_b", signed(OTHER)):
            assert web.post("tools/list", {}, token=token).status_code == 401


def test_without_any_setting_nobody_asks_for_a_token(memory):
    assert verifiers_of(memory) == []


# --- Rights ---------------------------------------------------------------------------------------------------------

CALLS = {
    "memory_search": {"query": "x"},
    "memory_get": {"memory_id": "x"},
    "memory_explain": {"query": "x", "memory_id": "x"},
    "memory_write": {"content": "x"},
    "memory_ingest": {"turns": [{"content": "x"}]},
    "memory_forget": {"memory_ids": ["x"]},
    "memory_link": {"from_id": "a", "to_id": "b", "type": "causes"},
    "memory_update": {"memory_id": "x", "content": "y"},
    "memory_restore": {"memory_ids": ["x"]},
    "memory_feedback": {"useful": ["x"]},
    "memory_review": {},
    "entity_merge": {"alias": "a", "canonical": "b"},
}
READING = {"memory_search", "memory_get", "memory_explain"}


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize("right", Right)
def test_each_tool_asks_for_its_right_and_says_which(memory, tool, right):
    needed = Right.READ if tool in READING else Right.ADMIN if tool == "memory_review" else Right.WRITE
    with Web(memory, {"t": Grant(ANN, frozenset({right}))}) as web:
        said = web.call(tool, token="t", **CALLS[tool])["content"][0]["text"]
    assert (f"may not {needed}" in said) is (right not in (needed, Right.ADMIN))
    assert (f"right '{needed}'" in said) is (right not in (needed, Right.ADMIN))


def test_without_the_right_to_share_only_what_is_its_own_can_be_written_or_changed(memory):
    owner = memory.for_identity(ANN)
    shared = owner.write("for all", scope=Scope.GLOBAL).id
    own = owner.write("私人 note", scope=Scope.PRIVATE).id
    with Web(memory, {"t": Grant(ANN, frozenset({Right.READ, Right.WRITE}))}) as web:
        assert web.call("memory_get", token="t", memory_id=shared)["structuredContent"]["content"] == "for all"
        for scope in ("team", "global"):
            for tool, arguments in (
                ("memory_write", {"content": "x"}),
                ("memory_ingest", {"turns": [{"content": "x"}]}),
            ):
                refused = web.call(tool, token="t", scope=scope, **arguments)
                assert refused["isError"] and "'share'" in refused["content"][0]["text"]
        gone = web.call("memory_forget", token="t", memory_ids=[shared])
        assert gone["isError"] and "right 'share'" in gone["content"][0]["text"]
        unknown = web.call("memory_forget", token="t", memory_ids=["no-such-id"])
        assert json.dumps(gone).replace(shared, "ID") == json.dumps(unknown).replace("no-such-id", "ID")
        assert web.call("memory_forget", token="t", dry_run=False, tags=[])["isError"]
        assert not web.call("memory_forget", token="t", memory_ids=[own]).get("isError")
    assert shared in memory.shelf.memories and own not in memory.shelf.memories


def test_expired_and_revoked_tokens_do_not_hold():
    at = datetime(2026, 3, 1, tzinfo=UTC)
    view = TokenView("t", ANN, ("read",), "", at)
    assert view.holds(at)
    assert not replace(view, expires_at=at).holds(at)
    assert replace(view, expires_at=at + timedelta(seconds=1)).holds(at)
    assert not replace(view, revoked_at=at).holds(at)


def test_the_settings_token_may_everything():
    tokens = BearerTokens({"t": Grant(ANN)})
    assert tokens._grants[0][1].rights == frozenset(Right)
