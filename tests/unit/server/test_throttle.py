"""How often one identity may call, and how large a request may be."""

import json
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from retrograph.models import Identity
from retrograph.server import build_server
from retrograph.server.failures import CallFailed
from retrograph.server.identity import Grant
from retrograph.server.serving import http_options
from retrograph.server.throttle import Throttle

ANN = Identity(bank="atelier", user="ann")
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def admitted(throttle, identity, calls):
    passed = 0
    for _ in range(calls):
        try:
            throttle.admit(identity)
        except CallFailed:
            continue
        passed += 1
    return passed


def test_a_burst_passes_and_then_as_many_as_the_rate_gives_back(clock):
    throttle = Throttle(per_minute=60, at_once=5, clock=clock)
    assert admitted(throttle, ANN, 20) == 5
    clock.now += 3.5
    assert admitted(throttle, ANN, 20) == 3
    clock.now += 3600
    assert admitted(throttle, ANN, 20) == 5


def test_the_error_says_when_to_come_back_and_coming_back_then_passes(clock):
    throttle = Throttle(per_minute=6, at_once=1, clock=clock)
    throttle.admit(ANN)
    clock.now += 1
    with pytest.raises(CallFailed) as raised:
        throttle.admit(ANN)
    failure = raised.value.failure
    assert (failure.code, failure.retryable, failure.facts["retry_after_s"]) == ("throttled", True, 9)
    assert "9 s" in failure.cure
    clock.now += 9
    throttle.admit(ANN)


def test_identities_do_not_share_a_bucket_and_a_session_is_no_way_round_it(clock):
    throttle = Throttle(per_minute=60, at_once=2, clock=clock)
    assert admitted(throttle, ANN, 5) == 2
    assert admitted(throttle, replace(ANN, session="another"), 5) == 0
    assert admitted(throttle, replace(ANN, user="bob"), 5) == 2
    assert admitted(throttle, replace(ANN, bank="elsewhere"), 5) == 2


def test_zero_lets_everything_pass(clock):
    assert admitted(Throttle(per_minute=0, at_once=1, clock=clock), ANN, 1000) == 1000


def test_buckets_of_identities_that_went_away_are_given_up(clock, monkeypatch):
    monkeypatch.setattr("retrograph.server.throttle._MOST_KEPT", 3)
    throttle = Throttle(per_minute=60, at_once=1, clock=clock)
    for number in range(10):
        throttle.admit(replace(ANN, user=str(number)))
    assert len(throttle._buckets) == 3


def web(memory, **more):
    app = build_server(memory, warm=False, **more).http_app(**http_options(memory.settings))
    return TestClient(app, base_url="http://127.0.0.1:8765")


def post(client, method, params, token=None):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    sent = HEADERS | ({"Authorization": f"Bearer {token}"} if token else {})
    return client.post("/mcp", content=json.dumps(message), headers=sent)


def test_over_http_the_token_s_identity_is_throttled_and_nothing_is_done(memory, clock):
    tokens = {"ann": Grant(ANN), "ann too": Grant(ANN), "bob": Grant(replace(ANN, user="bob"))}
    throttle = Throttle(per_minute=60, at_once=1, clock=clock)
    with web(memory, tokens=tokens, throttle=throttle) as client:

        def write(token):
            arguments = {"content": f"by {token} 记"}
            answer = post(client, "tools/call", {"name": "memory_write", "arguments": arguments}, token)
            data = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
            return json.loads(data[-1])["result"]

        assert not write("ann").get("isError")
        refused = write("ann too")
        assert refused["isError"]
        assert refused["_meta"]["retrograph/error"] == {"code": "throttled", "retryable": True, "retry_after_s": 1}
        assert not write("bob").get("isError")
        clock.now += 1
        assert not write("ann too").get("isError")
    assert len(memory.shelf.memories) == 3


def test_a_request_above_the_limit_is_refused_before_it_is_read(make_memory):
    memory = make_memory(server={"max_request_kib": 16})
    with web(memory) as client:
        small = post(client, "tools/call", {"name": "memory_write", "arguments": {"content": "x" * 10_000}})
        large = post(client, "tools/call", {"name": "memory_write", "arguments": {"content": "大" * 10_000}})
    assert small.status_code == 200
    assert large.status_code == 413
    assert len(memory.shelf.memories) == 1
