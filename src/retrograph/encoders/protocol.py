"""What every encoder is, and the parts they share: clean texts, unit rows, cached queries."""

import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from retrograph.encoders.calibration import Calibration
from retrograph.errors import EncoderError

Vectors = NDArray[np.float32]

MAX_CHARS = 6_000
"""Characters of a text an encoder reads; what follows is left to full-text search."""

QUERY_CACHE = 1_024
"""Query vectors an encoder keeps (1.5 MiB at 384 dimensions)."""

# One code point that Unicode expands to 18, the next most to 8: expanded before a text is cut, so that a text full of
# it is no longer than another.
_EXPANDS = {0xFDFA: unicodedata.normalize("NFKC", "\ufdfa")}
_UNREADABLE = {0: " "} | {code: "\ufffd" for code in range(0xD800, 0xE000)} | _EXPANDS


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors of one space; safe to share between threads."""

    @property
    def name(self) -> str:
        """Names the vector space; kept per bank and memory. Vectors of one name can be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every vector; loads the model or asks the endpoint if that has not been done."""
        ...

    @property
    def calibration(self) -> Calibration:
        """Maps this encoder's cosines to relevance; may encode a few dozen sentences the first time."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Encode what is to be found.

        Args:
            texts: Any number of texts; each is read up to `MAX_CHARS` characters.

        Returns:
            `(n, d)` float32, rows L2-normalised, in the order of `texts`; `(0, d)` for no text.

        Raises:
            EncoderError: The model cannot be loaded, or the endpoint does not answer or answers nonsense.
        """
        ...

    def encode_query(self, text: str) -> Vectors:
        """Encode what is asked; cached.

        Returns:
            `(d,)` float32, L2-normalised, read-only.

        Raises:
            EncoderError: As in `encode_documents`.
        """
        ...

    def warm(self) -> None:
        """Load the model or reach the endpoint now, so that the first call does not wait for it."""
        ...


def clean_text(text: str) -> str:
    """The text an encoder is given: short enough, and nothing in it that UTF-8 or a C string cannot hold.

    NUL becomes a space, a lone surrogate U+FFFD, and empty text one space (endpoints refuse empty input).
    """
    return text[:MAX_CHARS].translate(_UNREADABLE)[:MAX_CHARS] or " "


def unit_rows(vectors: object, *, count: int, dimensions: int | None, name: str) -> Vectors:
    """Check what a model answered and scale its rows to length 1.

    Args:
        vectors: What came back, array-like.
        count: Rows expected.
        dimensions: Columns expected; None accepts any number.
        name: The encoder, for the message.

    Returns:
        `(count, d)` float32, C-contiguous, rows L2-normalised.

    Raises:
        EncoderError: Another shape, a value that is not finite, or a row of zeros.
    """
    try:
        rows = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EncoderError(
            f"encoder {name!r} answered vectors that are no numbers or differ in length: {error}",
            cure="Check that the model named makes embeddings.",
        ) from error
    if rows.ndim != 2 or rows.shape[0] != count or rows.shape[1] == 0:
        raise EncoderError(
            f"encoder {name!r} answered an array of shape {rows.shape!r} for {count} texts",
            cure="Check that the model named makes one embedding a text.",
        )
    if dimensions is not None and rows.shape[1] != dimensions:
        raise EncoderError(
            f"encoder {name!r} answered {rows.shape[1]} dimensions where it has {dimensions}",
            cure="The model behind this name has changed; name the new one and run `retrograph reembed`.",
        )
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not (lengths > 0).all():
        raise EncoderError(
            f"encoder {name!r} answered a vector that is zero or not finite",
            cure="Check the model; its vectors cannot be compared.",
        )
    return np.ascontiguousarray(rows / lengths, dtype=np.float32)


class QueryCache:
    """The vectors of the last queries, least recently used out first; safe between threads.

    Args:
        size: Vectors kept; 0 keeps none.
    """

    def __init__(self, size: int = QUERY_CACHE) -> None:
        self._size = size
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str, encode: Callable[[str], Vectors]) -> Vectors:
        """The vector of `text`, encoded outside the lock if it is not kept; read-only."""
        with self._lock:
            kept = self._kept.get(text)
            if kept is not None:
                self._kept.move_to_end(text)
                return kept
        vector = encode(text)
        vector.setflags(write=False)
        with self._lock:
            self._kept[text] = vector
            self._kept.move_to_end(text)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return vector
