"""The HTTP application in process: tokens, rights, hosts and origins, health."""

import json
import time
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from retrograph import errors
from retrograph.models import Identity
from retrograph.server import build_server
from retrograph.server.identity import Grant, Right
from retrograph.server.serving import http_options

ANN = Identity(bank="atelier", user="ann")
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Web:
    """An HTTP client of a server in this process."""

    def __init__(self, memory, tokens=None, *, verifiers=(), warm=False, raise_errors=True):
        server = build_server(memory, tokens=tokens, verifiers=verifiers, warm=warm)
        app = server.http_app(**http_options(memory.settings))
        self.client = TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=raise_errors)

    def __enter__(self):
        self.client.__enter__()
        return self

    def __exit__(self, *error):
        self.client.__exit__(*error)

    def post(self, method, params, *, token=None, **headers):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        sent = HEADERS | headers | ({"Authorization": f"Bearer {token}"} if token else {})
        return self.client.post("/mcp", content=json.dumps(message), headers=sent)

    def call(self, tool, *, token=None, **arguments):
        response = self.post("tools/call", {"name": tool, "arguments": arguments}, token=token)
        assert response.status_code == 200, response.text
        data = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
        return json.loads(data[-1])["result"]


@pytest.fixture
def open_web(memory):
    with Web(memory) as web:
        yield web


def test_loopback_without_a_token_speaks_for_the_settings(open_web, memory):
    result = open_web.call("memory_write", content="无令牌 write")
    assert result["structuredContent"]["outcome"] == "stored"
    assert memory.shelf.calls[-1][1] == memory.settings.identity


@pytest.mark.parametrize("token", [None, "wrong", "right ", "RIGHT"])
def test_a_request_without_the_token_is_refused_and_reaches_nothing(memory, token):
    with Web(memory, {"right": Grant(ANN)}) as web:
        response = web.post("tools/call", {"name": "memory_search", "arguments": {"query": "x"}}, token=token)
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert not memory.shelf.calls


def test_each_token_sees_its_own_bank_user_and_no_other(memory):
    tokens = {
        "ann": Grant(ANN),
        "bob": Grant(replace(ANN, user="bob")),
        "elsewhere": Grant(Identity(bank="elsewhere", user="ann")),
    }
    with Web(memory, tokens) as web:
        written = web.call("memory_write", token="ann", content="Ann's secret 计划")["structuredContent"]["id"]
        for token, expected in [("ann", 1), ("bob", 0), ("elsewhere", 0)]:
            found = web.call("memory_search", token=token, query="计划 secret")["structuredContent"]["hits"]
            assert len(found) == expected, token
        for token in ("bob", "elsewhere"):
            for tool, arguments in [
                ("memory_get", {"memory_id": written}),
                ("memory_forget", {"memory_ids": [written]}),
                ("memory_explain", {"query": "secret", "memory_id": written}),
                ("memory_link", {"from_id": written, "to_id": written, "type": "similar"}),
            ]:
                result = web.call(tool, token=token, **arguments)
                assert result["isError"]
                unknown = json.dumps(result).replace(written, "ID")
                made_up = web.call(tool, token=token, **{k: _other(v) for k, v in arguments.items()})
                assert unknown == json.dumps(made_up).replace("no-such-id", "ID")
    assert written in memory.shelf.memories


def _other(value):
    if isinstance(value, list):
        return ["no-such-id"]
    return "no-such-id" if value.startswith("0198") else value


def test_a_token_beyond_ascii_is_recognised_by_the_bytes_that_were_sent(memory):
    with Web(memory, {"令牌 é": Grant(ANN)}) as web:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        for sent, status in [("令牌 é", 200), ("令牌", 401)]:
            headers = HEADERS | {"Authorization": f"Bearer {sent}".encode()}
            assert web.client.post("/mcp", content=json.dumps(message), headers=headers).status_code == status


def test_a_token_that_may_only_read_writes_nothing(memory):
    with Web(memory, {"reader": Grant(ANN, frozenset({Right.READ}))}) as web:
        assert web.call("memory_search", token="reader", query="x")["structuredContent"]["hits"] == []
        for tool, arguments in [
            ("memory_write", {"content": "x"}),
            ("memory_ingest", {"turns": [{"content": "x"}]}),
            ("memory_forget", {"memory_ids": ["x"]}),
            ("memory_link", {"from_id": "a", "to_id": "b", "type": "causes"}),
        ]:
            result = web.call(tool, token="reader", **arguments)
            assert result["isError"]
            assert "may not write" in result["content"][0]["text"]
    assert {name for name, *_ in memory.shelf.calls} == {"search"}


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:1", "localhost", "[::1]:8765", "memory.example.com"])
def test_known_hosts_are_answered(make_memory, host):
    with Web(make_memory(server={"allowed_hosts": ("memory.example.com",)})) as web:
        assert web.post("tools/list", {}, Host=host).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "memory.example.com.evil.example", ""])
@pytest.mark.parametrize("path", ["/mcp", "/health/live", "/health/ready"])
def test_foreign_hosts_are_misdirected_everywhere(make_memory, host, path):
    with Web(make_memory(server={"allowed_hosts": ("memory.example.com",)})) as web:
        assert web.client.get(path, headers={"Host": host}).status_code == 421
        assert web.post("tools/list", {}, Host=host).status_code == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://evil.example:8765", "http://memory.example.com.evil.example"],
)
def test_foreign_origins_are_forbidden(make_memory, origin):
    memory = make_memory(server={"allowed_hosts": ("memory.example.com",)})
    with Web(memory) as web:
        assert web.post("tools/call", {"name": "memory_search"}, Origin=origin).status_code == 403
    assert not memory.shelf.calls


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:5173",
        "http://127.0.0.1:8765",
        "https://memory.example.com",
        "https://memory.example.com:8443",
    ],
)
def test_known_origins_are_answered(make_memory, origin):
    with Web(make_memory(server={"allowed_hosts": ("memory.example.com",)})) as web:
        assert web.post("tools/list", {}, Origin=origin).status_code == 200


def test_the_transport_keeps_no_session(open_web):
    parameters = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"},
    }
    response = open_web.post("initialize", parameters)
    assert response.status_code == 200
    assert "mcp-session-id" not in response.headers
    assert open_web.client.get("/mcp", headers=HEADERS).status_code == 405


def test_half_a_character_on_the_wire_is_refused(open_web, memory):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    message["params"] = {"name": "memory_write", "arguments": {"content": "half \ud83d"}}
    body = json.dumps(message).encode("ascii")
    assert b"\\ud83d" in body
    response = open_web.client.post("/mcp", content=body, headers=HEADERS)
    assert response.status_code == 400
    assert "Parse error" in response.text or "parse" in response.text.lower()
    assert not memory.shelf.memories


def test_health_live_needs_no_token_and_no_database(memory):
    memory.shelf.failures["check"] = errors.EngineUnavailable("down")
    with Web(memory, {"t": Grant(ANN)}) as web:
        assert web.client.get("/health/live").json() == {"status": "live"}


def test_health_ready_says_starting_then_ready(memory):
    with Web(memory) as web:
        first = web.client.get("/health/ready")
        assert first.status_code == 503
        assert first.json()["checks"] == {"engine": "starting", "schema": "starting", "encoder": "starting"}
    with Web(memory, warm=True) as web:
        assert _settled(web) == (200, {"engine": "ok", "schema": "ok", "encoder": "ok"})


@pytest.mark.parametrize(
    ("error", "check"),
    [
        (errors.EngineUnavailable("bolt://secret"), "engine"),
        (errors.EngineInstallError("/secret"), "engine"),
        (errors.EngineAuthError("secret"), "engine"),
        (errors.SchemaOutdated("secret"), "schema"),
        (errors.EncoderError("secret"), "encoder"),
        (errors.EncoderMismatch("secret"), "encoder"),
        (errors.ExtractionError("secret"), "encoder"),
    ],
)
def test_health_ready_names_what_fails_by_its_code_alone(memory, error, check):
    memory.shelf.failures["check"] = error
    with Web(memory, warm=True) as web:
        status, checks = _settled(web)
    assert status == 503
    assert checks == {"engine": "ok", "schema": "ok", "encoder": "ok"} | {check: error.code}


def test_health_ready_warms_up_again_after_a_failed_start(memory, caplog):
    memory.shelf.failures["warm"] = errors.EngineUnavailable("down")
    with Web(memory, warm=True) as web:
        assert _settled(web)[1]["engine"] == "engine_unavailable"
        del memory.shelf.failures["warm"]
        assert _settled(web, wanted=200)[0] == 200
    assert "warming up failed" in caplog.text


def _settled(web, wanted=None):
    """What `/health/ready` says once it has stopped saying that it is starting, or as wanted."""
    for _ in range(100):
        response = web.client.get("/health/ready")
        checks = response.json()["checks"]
        settled = set(checks.values()) != {"starting"}
        if settled and wanted in (None, response.status_code):
            return response.status_code, checks
        time.sleep(0.05)
    raise AssertionError(f"never settled: {checks}")
