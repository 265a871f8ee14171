"""The endpoint encoder against a server on the loopback address."""

import contextlib
import json
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from retrograph.encoders import Encoder, open_encoder
from retrograph.encoders import openai as module
from retrograph.encoders.openai import OpenAIEncoder
from retrograph.errors import EncoderError

Answer = tuple[int, dict[str, str], Any]


def _vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(sum(map(ord, text)) % 97)]


def _embeddings(texts: list[str]) -> Answer:
    data = [{"index": at, "embedding": _vector(text)} for at, text in enumerate(texts)]
    return 200, {}, {"data": data[::-1]}


@dataclass
class Endpoint:
    """What the server was asked, and how it answers: from `answers` while there are any, then `respond`."""

    url: str = ""
    respond: Callable[[list[str]], Answer] = _embeddings
    answers: list[Answer] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Generator[Endpoint]:
    monkeypatch.setattr(module, "_FIRST_PAUSE_S", 0.001)
    state = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(body)
            state.headers.append(dict(self.headers))
            state.paths.append(self.path)
            status, headers, answer = state.answers.pop(0) if state.answers else state.respond(body["input"])
            raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # the client may have given up
                self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def _open(endpoint: Endpoint, **options: Any) -> Encoder:
    return open_encoder(f"openai:{endpoint.url}#tiny", **options)


def test_documents_come_back_in_order_as_unit_rows(endpoint: Endpoint) -> None:
    texts = ["a", "bb", "喜欢喝茶", "mixed 中文"]
    rows = _open(endpoint).encode_documents(texts)
    wanted = np.array([_vector(text) for text in texts])
    np.testing.assert_allclose(rows, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), rtol=1e-6)
    assert rows.dtype == np.float32
    assert endpoint.paths == ["/v1/embeddings"]
    assert endpoint.asked[0]["model"] == "tiny"


def test_many_documents_go_in_batches_of_64(endpoint: Endpoint) -> None:
    rows = _open(endpoint).encode_documents([f"text {number}" for number in range(150)])
    assert rows.shape == (150, 3)
    assert [len(body["input"]) for body in endpoint.asked] == [64, 64, 22]


def test_no_document_still_tells_the_dimension(endpoint: Endpoint) -> None:
    assert _open(endpoint).encode_documents([]).shape == (0, 3)


def test_a_query_asked_twice_is_sent_once(endpoint: Endpoint) -> None:
    encoder = _open(endpoint)
    assert encoder.encode_query("谁喜欢茶？") is encoder.encode_query("谁喜欢茶？")
    assert len(endpoint.asked) == 1


def test_the_least_recently_asked_query_is_forgotten_first(endpoint: Endpoint) -> None:
    encoder = OpenAIEncoder(endpoint.url, "tiny", query_cache=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        encoder.encode_query(text)
    assert [body["input"] for body in endpoint.asked] == [["a"], ["b"], ["c"], ["b"]]


def test_awkward_texts_are_sent_as_valid_text(endpoint: Endpoint) -> None:
    _open(endpoint).encode_documents(["", "a\0b", "\ud83d", "x" * 10_000])
    empty, nul, surrogate, long = endpoint.asked[0]["input"]
    assert (empty, nul, surrogate, len(long)) == (" ", "a b", "\ufffd", 6_000)


def test_the_key_is_sent_and_kept_out_of_the_name(endpoint: Endpoint) -> None:
    encoder = _open(endpoint, api_key="k-123")
    encoder.warm()
    assert endpoint.headers[0]["Authorization"] == "Bearer k-123"
    assert encoder.name == f"openai:{endpoint.url}#tiny"


def test_no_key_sends_no_authorization(endpoint: Endpoint) -> None:
    _open(endpoint).warm()
    assert "Authorization" not in endpoint.headers[0]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again(endpoint: Endpoint, status: int) -> None:
    endpoint.answers = [(status, {}, {}), (status, {}, {})]
    assert _open(endpoint).encode_query("tea").shape == (3,)
    assert len(endpoint.asked) == 3


def test_retries_are_bounded(endpoint: Endpoint) -> None:
    endpoint.respond = lambda _: (503, {}, {"error": "busy"})
    with pytest.raises(EncoderError, match="HTTP 503"):
        _open(endpoint).warm()
    assert len(endpoint.asked) == 4


def test_retry_after_is_obeyed_up_to_a_bound(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(module.time, "sleep", pauses.append)
    endpoint.answers = [
        (429, {"Retry-After": "7"}, {}),
        (429, {"Retry-After": "86400"}, {}),
        (429, {"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, {}),
    ]
    _open(endpoint).warm()
    assert pauses == [7, 30, 0.004]


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ((401, {}, {}), "refuses the key"),
        ((403, {}, {}), "refuses the key"),
        ((404, {}, {}), "no such address or model"),
        ((400, {}, {"error": "bad"}), "HTTP 400"),
        ((302, {"Location": "http://192.0.2.1/"}, {}), "HTTP 302"),
        ((200, {}, b"<html>"), "not JSON"),
        ((200, {}, b"[1]"), "one embedding for each"),
        ((200, {}, {"data": []}), "one embedding for each"),
        ((200, {}, {"data": [{"index": 1, "embedding": [1.0]}]}), "one embedding for each"),
        ((200, {}, {"data": [{"index": 0, "embedding": [1.0]}] * 2}), "one embedding for each"),
        ((200, {}, {"data": [{"index": 0, "embedding": ["x"]}]}), "no numbers"),
        ((200, {}, {"data": [{"index": 0, "embedding": None}]}), "shape"),
        ((200, {}, {"data": [{"index": 0, "embedding": []}]}), "shape"),
        ((200, {}, {"data": [{"index": 0, "embedding": [0.0, 0.0]}]}), "zero or not finite"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}'), "zero or not finite"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": [Infinity, 1.0]}]}'), "zero or not finite"),
    ],
)
def test_a_wrong_answer_is_an_error_with_a_cure(endpoint: Endpoint, answer: Answer, cause: str) -> None:
    endpoint.answers = [answer]
    with pytest.raises(EncoderError, match=cause) as caught:
        _open(endpoint).warm()
    assert caught.value.cure
    assert len(endpoint.asked) == 1


def test_another_dimension_later_is_an_error(endpoint: Endpoint) -> None:
    encoder = _open(endpoint)
    assert encoder.dimensions == 3
    endpoint.respond = lambda texts: (
        200,
        {},
        {"data": [{"index": at, "embedding": [1.0, 2.0]} for at in range(len(texts))]},
    )
    with pytest.raises(EncoderError, match="2 dimensions where it has 3"):
        encoder.encode_documents(["tea"])


def test_an_endpoint_that_is_not_there_is_named() -> None:
    with pytest.raises(EncoderError, match=r"http://127\.0\.0\.1:1/v1/embeddings cannot be reached"):
        open_encoder("openai:http://127.0.0.1:1/v1#tiny").warm()


def test_an_endpoint_that_hangs_is_given_up(endpoint: Endpoint) -> None:
    release = threading.Event()

    def hang(texts: list[str]) -> Answer:
        release.wait(30)
        return _embeddings(texts)

    endpoint.respond = hang
    try:
        with pytest.raises(EncoderError, match="did not answer within the time allowed"):
            _open(endpoint, timeout_s=0.2).warm()
    finally:
        release.set()


def test_a_proxy_in_the_environment_is_not_used_for_loopback(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    _open(endpoint).warm()
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("url", ["ftp://host/v1", "host/v1", "http://", "http://name:secret@host/v1"])
def test_an_address_that_cannot_work_is_refused(url: str) -> None:
    with pytest.raises(EncoderError) as caught:
        OpenAIEncoder(url, "tiny")
    assert caught.value.cure


def test_calibration_needs_an_encoder_that_tells_texts_apart(endpoint: Endpoint) -> None:
    endpoint.respond = lambda texts: (
        200,
        {},
        {"data": [{"index": at, "embedding": [1.0, 1.0]} for at in range(len(texts))]},
    )
    with pytest.raises(EncoderError, match="does not tell related sentences from unrelated"):
        _ = _open(endpoint).calibration
