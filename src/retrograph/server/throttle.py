"""How often one identity may call over HTTP: a bucket of calls that fills up again."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from retrograph.models import Identity
from retrograph.server.failures import CallFailed, Failure

_MOST_KEPT = 10_000


@dataclass(slots=True)
class _Bucket:
    calls: float
    at: float


class Throttle:
    """Lets an identity call so often in the long run, with bursts. Thread-safe.

    The bucket is the identity's, not the token's: a new token, or a JWT made anew, is no way round it.

    Args:
        per_minute: Calls a minute; 0 lets everything pass.
        at_once: Calls that a full bucket holds.
        clock: Seconds that only go up.
    """

    def __init__(self, *, per_minute: int, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._at_once = at_once
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[tuple[str | None, ...], _Bucket] = OrderedDict()

    def admit(self, identity: Identity) -> None:
        """Counts a call.

        Raises:
            CallFailed: The bucket is empty; says when the next call passes.
        """
        if not self._per_second:
            return
        key = (identity.bank, identity.agent, identity.user, identity.team)
        now = self._clock()
        with self._lock:
            bucket = self._buckets.get(key) or _Bucket(self._at_once, now)
            bucket.calls = min(self._at_once, bucket.calls + (now - bucket.at) * self._per_second)
            bucket.at = now
            self._buckets[key] = bucket
            self._buckets.move_to_end(key)
            while len(self._buckets) > _MOST_KEPT:
                self._buckets.popitem(last=False)
            if bucket.calls >= 1:
                bucket.calls -= 1
                return
            wait_s = (1 - bucket.calls) / self._per_second
        shown = max(1, math.ceil(wait_s))
        raise CallFailed(
            Failure(
                "throttled",
                f"too many calls: {self._per_second * 60:g} a minute are allowed to one identity. Nothing was done.",
                f"Call again in {shown} s; ask for more at once (limit, memory_ingest) instead of more often.",
                retryable=True,
                facts={"retry_after_s": shown},
            )
        )
