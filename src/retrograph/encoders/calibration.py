"""From raw cosine to relevance, so that one number means the same with every encoder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrograph.errors import EncoderError

Encode = Callable[[Sequence[str]], NDArray[np.float32]]

# A question and the one text that answers it. Each question is unrelated to every other text, so twelve pairs give
# twelve related and 132 unrelated cosines, across the languages too.
PAIRS = (
    ("Which port does the billing service listen on?", "The billing service listens on port 9077."),
    ("What is Maria allergic to?", "Maria is allergic to peanuts and always carries an injector."),
    ("Why did the nightly import fail?", "The nightly import failed because the disk was full."),
    ("Where did Tom spend his holidays?", 'Tom said, "We spent two weeks by a lake in Finland."'),
    ("Which colour scheme does the user prefer?", "The user prefers dark themes in every editor."),
    ("When is the contract with the landlord renewed?", "The lease is renewed every year on the first of March."),
    ("他平时喜欢喝什么？", "他每天早上喝一杯龙井绿茶。"),
    ("项目什么时候上线？", "产品负责人决定下个月十五号发布新版本。"),
    ("小猫叫什么名字？", "我们家的小猫名叫团子，今年三岁。"),
    ("数据库为什么变慢了？", "订单表缺少索引，所以查询一直很慢。"),
    ("谁负责客户培训？", "客户培训由李娜负责。"),
    ("周末去哪里爬山？", "我们打算周六去黄山徒步。"),
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """A line from cosine to relevance, cut at both ends.

    Attributes:
        floor: Cosine of texts that have nothing to do with one another; relevance 0 at and below it.
        ceiling: Cosine of a question and a text that answers it outright; relevance 1 at and above it.
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


def calibrate(encode_queries: Encode, encode_documents: Encode, *, name: str) -> Calibration:
    """Measure an encoder on `PAIRS`: floor at the median of unrelated, ceiling at the 90th percentile of related.

    Costs 24 short texts. The median, not a high quantile, is the floor: what an encoder ranks first among unrelated
    texts is still told apart by the blend, and a floor above a related pair would cut it off for good.

    Args:
        encode_queries: Questions to `(n, d)` unit rows.
        encode_documents: Texts to `(n, d)` unit rows.
        name: The encoder, for the message.

    Raises:
        EncoderError: The encoder does not tell related from unrelated.
    """
    asked = encode_queries([question for question, _ in PAIRS])
    found = encode_documents([text for _, text in PAIRS])
    cosines = asked.astype(np.float64) @ found.T.astype(np.float64)
    related = np.diagonal(cosines)
    unrelated = cosines[~np.eye(len(PAIRS), dtype=np.bool_)]
    floor = float(np.median(unrelated))
    ceiling = min(1.0, float(np.quantile(related, 0.9)))
    if ceiling - floor < 0.01:
        raise EncoderError(
            f"encoder {name!r} does not tell related sentences from unrelated ones: "
            f"cosine {ceiling:.3f} against {floor:.3f}",
            cure="Check that the model named makes sentence embeddings for retrieval.",
        )
    return Calibration(floor=floor, ceiling=ceiling)
