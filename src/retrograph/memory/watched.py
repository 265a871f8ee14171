"""Where the facade and its parts tell what they do; see `retrograph.watching`."""

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, TypeVar

from retrograph.encoders import Calibration, Encoder, Vectors
from retrograph.memory.items import Item
from retrograph.memory.usage import UsageLog
from retrograph.memory.writing import Writer
from retrograph.models import Identity, SearchFilter, SearchResult, WriteResult
from retrograph.retrieval import Recaller, SearchOptions
from retrograph.watching import step

C = TypeVar("C", bound=type)

_NOT_STEPS = {"for_identity", "close"}


def watched(facade: C) -> C:
    """A class each of whose public methods, inherited ones too, is a step of the layer `memory`."""
    for name in dir(facade):
        method = inspect.getattr_static(facade, name)
        is_step = isinstance(method, FunctionType) and not inspect.isgeneratorfunction(method)
        if is_step and not name.startswith("_") and name not in _NOT_STEPS:
            setattr(facade, name, _as_step(name, method))
    return facade


def _as_step(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def told(*args: Any, **kwargs: Any) -> Any:
        with step("memory", name) as done:
            done.result = method(*args, **kwargs)
        return done.result

    return told


class WatchedEncoder:
    """An encoder that tells how long it encodes.

    Args:
        encoder: The one that does it.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def name(self) -> str:
        """As the encoder's."""
        return self._encoder.name

    @property
    def dimensions(self) -> int:
        """As the encoder's."""
        return self._encoder.dimensions

    @property
    def calibration(self) -> Calibration:
        """As the encoder's."""
        return self._encoder.calibration

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """As the encoder's, a step."""
        with step("encode", "documents"):
            return self._encoder.encode_documents(texts)

    def encode_query(self, text: str) -> Vectors:
        """As the encoder's, a step."""
        with step("encode", "query"):
            return self._encoder.encode_query(text)

    def warm(self) -> None:
        """As the encoder's."""
        self._encoder.warm()


class WatchedWriter(Writer):
    """The write pipeline, telling what became of each write, whoever asked for it.

    Args:
        usage: Counts it.
        parts: As the pipeline's.
        more: As the pipeline's.
    """

    def __init__(self, usage: UsageLog, *parts: Any, **more: Any) -> None:
        super().__init__(*parts, **more)
        self._usage = usage

    def store(self, items: Sequence[Item], *, identity: Identity, force: bool) -> list[WriteResult]:
        """As the pipeline's, a step."""
        with step("memory", "writer.store") as done:
            done.result = super().store(items, identity=identity, force=force)
        self._usage.wrote(done.result, identity=identity)
        return done.result


class WatchedRecaller(Recaller):
    """The recall, telling what it found, whoever asked for it.

    Args:
        usage: Counts it.
        parts: As the recall's.
        more: As the recall's.
    """

    def __init__(self, usage: UsageLog, *parts: Any, **more: Any) -> None:
        super().__init__(*parts, **more)
        self._usage = usage

    def search(
        self,
        query: str,
        *,
        identity: Identity,
        where: SearchFilter | None = None,
        options: SearchOptions | None = None,
        **more: Any,
    ) -> SearchResult:
        """As the recall's, a step."""
        with step("memory", "recaller.search") as done:
            done.result = super().search(query, identity=identity, where=where, options=options, **more)
        self._usage.searched(done.result, identity=identity)
        return done.result
