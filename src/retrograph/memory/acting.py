"""Says on whose behalf a method of `Memory` changes something, so that the audit knows."""

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from retrograph.graph.auditing import acting
from retrograph.models import Identity

P = ParamSpec("P")
R = TypeVar("R")


class _Seen(Protocol):
    identity: Identity


S = TypeVar("S", bound=_Seen)


def acts(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """A method whose changes are those of the memory's identity."""

    @functools.wraps(method)
    def in_its_name(self: S, *args: P.args, **kwargs: P.kwargs) -> R:
        with acting(self.identity):
            return method(self, *args, **kwargs)

    return in_its_name
