"""Any OpenAI-compatible embeddings endpoint."""

import ipaddress
import threading
import time
from collections.abc import Sequence
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import numpy as np

from retrograph.encoders.calibration import Calibration, calibrate
from retrograph.encoders.protocol import QUERY_CACHE, QueryCache, Vectors, clean_text, unit_rows
from retrograph.errors import EncoderError

_BATCH = 64
_TRIES = 4
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
_RETRIED = frozenset({408, 429, 500, 502, 503, 504})


class OpenAIEncoder:
    """A model behind `POST <url>/embeddings`.

    Args:
        url: Base address, for instance `https://api.openai.com/v1`; `/embeddings` is added.
        model: Model name the endpoint knows.
        api_key: Sent as a bearer token.
        timeout_s: How long one request may take, seconds.
        query_cache: Query vectors kept.

    Raises:
        EncoderError: The address is no http or https one.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout_s: float = 30,
        query_cache: int = QUERY_CACHE,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise EncoderError(
                f"{url!r} is not an http or https address",
                cure="Write `openai:https://host/v1#model`.",
            )
        if parts.username or parts.password:
            raise EncoderError(
                "the address of an openai: encoder holds a user name or password; it would be stored in the graph",
                cure="Give the key as `encoder_api_key` instead.",
            )
        self._endpoint = url.rstrip("/") + "/embeddings"
        self.name = f"openai:{url.rstrip('/')}#{model}"
        self._model = model
        self._client = httpx.Client(
            timeout=timeout_s,
            # A proxy named in the environment cannot reach this machine's own loopback.
            trust_env=not _is_loopback(parts.hostname),
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
        )
        self._queries = QueryCache(query_cache)
        self._dimensions: int | None = None
        self._calibration: Calibration | None = None
        self._lock = threading.Lock()

    @property
    def dimensions(self) -> int:
        """Length of every vector; asks the endpoint once."""
        if self._dimensions is None:
            self.warm()
        return cast(int, self._dimensions)

    @property
    def calibration(self) -> Calibration:
        """Measured at the first use with 24 short texts."""
        if self._calibration is None:
            self._calibration = calibrate(self.encode_documents, self.encode_documents, name=self.name)
        return self._calibration

    def warm(self) -> None:
        """Ask for one vector: finds a wrong address, key or model now."""
        self._embed(["warm"])

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Encode what is to be found, 64 texts a request: `(n, d)` float32, rows L2-normalised."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        cleaned = [clean_text(text) for text in texts]
        return np.vstack([self._embed(cleaned[at : at + _BATCH]) for at in range(0, len(cleaned), _BATCH)])

    def encode_query(self, text: str) -> Vectors:
        """Encode what is asked: `(d,)` float32, L2-normalised, read-only; cached."""
        return self._queries.get(clean_text(text), lambda cleaned: self._embed([cleaned])[0])

    def _embed(self, texts: list[str]) -> Vectors:
        answer = self._post({"model": self._model, "input": texts, "encoding_format": "float"})
        rows = unit_rows(
            _in_order(answer, len(texts), self.name),
            count=len(texts),
            dimensions=self._dimensions,
            name=self.name,
        )
        with self._lock:
            first = self._dimensions = self._dimensions or rows.shape[1]
        # Two first requests may have run at once; both must have answered the same space.
        return rows if rows.shape[1] == first else unit_rows(rows, count=len(texts), dimensions=first, name=self.name)

    def _post(self, body: dict[str, Any]) -> object:
        pause_s = _FIRST_PAUSE_S
        for left in reversed(range(_TRIES)):
            try:
                response = self._client.post(self._endpoint, json=body)
            except httpx.TimeoutException as error:
                raise EncoderError(
                    f"{self._endpoint} did not answer within the time allowed: {error or 'timeout'}",
                    cure="Check the endpoint, or allow it more time.",
                ) from error
            except httpx.TransportError as error:
                raise EncoderError(
                    f"{self._endpoint} cannot be reached: {error}",
                    cure='Check the address and that the endpoint runs; `encoder = "bundled"` needs none.',
                ) from error
            if response.status_code not in _RETRIED or not left:
                return self._read(response)
            time.sleep(_pause(response, pause_s))
            pause_s *= 2
        raise AssertionError("unreachable: the last try returns or raises")

    def _read(self, response: httpx.Response) -> object:
        status = response.status_code
        if status in (401, 403):
            raise EncoderError(
                f"{self._endpoint} refuses the key (HTTP {status})",
                cure="Set RETROGRAPH_ENCODER_API_KEY to a key of this endpoint.",
            )
        if status == 404:
            raise EncoderError(
                f"{self._endpoint} knows no such address or model {self._model!r} (HTTP 404)",
                cure="Check the address (it usually ends in /v1) and the model's name.",
            )
        if not response.is_success:
            raise EncoderError(
                f"{self._endpoint} answered HTTP {status}: {response.text[:200]!r}",
                cure="Try again later." if status in _RETRIED else "Check the address and the model's name.",
            )
        try:
            return response.json()
        except ValueError as error:
            raise EncoderError(
                f"{self._endpoint} answered something that is not JSON: {response.text[:80]!r}",
                cure="Check the address; it usually ends in /v1.",
            ) from error


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _pause(response: httpx.Response, otherwise_s: float) -> float:
    asked = response.headers.get("Retry-After", "")
    wanted = float(asked) if asked.isascii() and asked.isdigit() else otherwise_s
    return min(wanted, _LONGEST_PAUSE_S)


def _in_order(answer: object, count: int, name: str) -> list[object]:
    """The embeddings of an answer by their `index`, each of 0 … count-1 once."""
    placed: dict[int, object] = {}
    data = cast(dict[str, object], answer).get("data") if isinstance(answer, dict) else None
    for item in cast(list[object], data) if isinstance(data, list) else []:
        fields = cast(dict[str, object], item) if isinstance(item, dict) else {}
        index = fields.get("index")
        if isinstance(index, int) and index not in placed:
            placed[index] = fields.get("embedding")
    if sorted(placed) != list(range(count)) or len(cast(list[object], data)) != count:
        raise EncoderError(
            f"encoder {name!r} did not answer one embedding for each of {count} texts",
            cure="Check that the endpoint is OpenAI-compatible and the model makes embeddings.",
        )
    return [placed[index] for index in range(count)]
