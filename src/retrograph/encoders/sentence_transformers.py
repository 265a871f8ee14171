"""Any model of the sentence-transformers library: the extra `retrograph[sentence-transformers]`."""

import threading
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from retrograph.encoders.calibration import Calibration, calibrate
from retrograph.encoders.protocol import QUERY_CACHE, QueryCache, Vectors, clean_text, unit_rows
from retrograph.errors import EncoderError

_BATCH = 32


class _Model(Protocol):
    def encode_query(self, sentences: list[str], *, batch_size: int, show_progress_bar: bool) -> object: ...
    def encode_document(self, sentences: list[str], *, batch_size: int, show_progress_bar: bool) -> object: ...


class SentenceTransformersEncoder:
    """A model of the hub, or of a folder; its query and document prompts are used where it defines them.

    Args:
        model: Name on the hub, path of a folder, or name of an installed package that has `get_model_path()`,
            which needs no network.
        query_cache: Query vectors kept.
    """

    def __init__(self, model: str, *, query_cache: int = QUERY_CACHE) -> None:
        self.name = f"sentence-transformers:{model}"
        self._wanted = model
        self._model: _Model | None = None
        self._loading = threading.Lock()
        # PyTorch modules are not promised to be safe between threads, tokenizers are known not to be.
        self._running = threading.Lock()
        self._queries = QueryCache(query_cache)
        self._dimensions: int | None = None
        self._calibration: Calibration | None = None

    @property
    def dimensions(self) -> int:
        """Length of every vector; loads the model."""
        known = self._dimensions
        if known is None:
            known = self._dimensions = int(self._queries_to_rows(["warm"]).shape[1])
        return known

    @property
    def calibration(self) -> Calibration:
        """Measured at the first use with 24 short texts."""
        if self._calibration is None:
            self._calibration = calibrate(self._queries_to_rows, self.encode_documents, name=self.name)
        return self._calibration

    def warm(self) -> None:
        """Load the model."""
        self._loaded()

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Encode what is to be found: `(n, d)` float32, rows L2-normalised."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        model = self._loaded()
        cleaned = [clean_text(text) for text in texts]
        with self._running:
            rows = model.encode_document(cleaned, batch_size=_BATCH, show_progress_bar=False)
        return unit_rows(rows, count=len(cleaned), dimensions=self._dimensions, name=self.name)

    def encode_query(self, text: str) -> Vectors:
        """Encode what is asked: `(d,)` float32, L2-normalised, read-only; cached."""
        return self._queries.get(clean_text(text), lambda cleaned: self._queries_to_rows([cleaned])[0])

    def _queries_to_rows(self, texts: Sequence[str]) -> Vectors:
        model = self._loaded()
        with self._running:
            rows = model.encode_query(list(texts), batch_size=_BATCH, show_progress_bar=False)
        return unit_rows(rows, count=len(texts), dimensions=self._dimensions, name=self.name)

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                self._model = _load(self._wanted)
            return self._model


def _load(wanted: str) -> _Model:
    try:
        library = import_module("sentence_transformers")
    except ImportError as error:
        raise EncoderError(
            f"the package sentence-transformers cannot be imported: {error}",
            cure="Install the extra: `pip install 'retrograph[sentence-transformers]'`; or use `bundled`.",
        ) from error
    try:
        return cast(_Model, library.SentenceTransformer(_source(wanted)))
    except (OSError, ValueError, RuntimeError) as error:
        raise EncoderError(
            f"the model {wanted!r} cannot be loaded: {error}",
            cure="Check its name; without network name a folder: `sentence-transformers:/path/to/model`.",
        ) from error


def _source(wanted: str) -> str:
    """A folder if `wanted` is one or a package that ships one, else the name for the hub."""
    if Path(wanted).is_dir() or not wanted.isidentifier():
        return wanted
    try:
        package = import_module(wanted)
    except ImportError:
        return wanted
    locate = getattr(package, "get_model_path", None)
    return str(locate()) if callable(locate) else wanted
