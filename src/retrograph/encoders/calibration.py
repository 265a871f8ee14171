"""From raw cosine to relevance, so that 0.5 means the same with every encoder."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Calibration:
    """A line from cosine to relevance, cut at both ends.

    Attributes:
        floor: Cosine of texts that have nothing to do with one another; relevance 0 at and below it.
        ceiling: Cosine of a question and the text that answers it outright; relevance 1 at and above it.
    """

    floor: float
    ceiling: float

    def __post_init__(self) -> None:
        if not -1 <= self.floor < self.ceiling <= 1:
            raise ValueError(f"need -1 <= floor < ceiling <= 1, not {self.floor!r}, {self.ceiling!r}")

    def relevance(self, cosine: float) -> float:
        """Relevance in [0, 1] of a raw cosine in [-1, 1]."""
        return min(1.0, max(0.0, (cosine - self.floor) / (self.ceiling - self.floor)))

    def cosine(self, relevance: float) -> float:
        """The cosine that has this relevance: the inverse of `relevance` between floor and ceiling."""
        return self.floor + relevance * (self.ceiling - self.floor)
