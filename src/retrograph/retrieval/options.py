"""How a recall is ranked and cut: its options and the named presets of the blend."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a recall is ranked and cut; None takes the setting.

    Args:
        limit: Results, 1 to 1,000.
        hops: Hops of spreading activation, 0 to 3.
        decay: Activation kept at each hop, (0, 1].
        preset: Name of the weights of the blend.
        min_score: Least relevance of a result, [0, 1].
        max_tokens: Most tokens of the whole payload, estimated.
        half_life_days: Half-life of recency for this recall, days.
        now: The instant to recall from; None is the present.
        text: Add the prompt-ready block.
        diversity: Leave out near-copies of better hits.
    """

    limit: int | None = None
    hops: int | None = None
    decay: float | None = None
    preset: str | None = None
    min_score: float | None = None
    max_tokens: int | None = None
    half_life_days: float | None = None
    now: datetime | None = None
    text: bool = False
    diversity: bool = True
