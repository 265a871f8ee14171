"""What a recall found, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from retrograph.models.stored import MemoryRecord


@dataclass(frozen=True, slots=True)
class PathStep:
    """One node of the path that brought a hit, and the edge by which it was reached.

    Args:
        kind: `memory` or `entity`.
        id: The memory's id or the entity's key.
        name: Caption.
        edge: Type of the edge from the step before (`MENTIONS`, `RELATES works_at`, …); "" for the seed.
        activation: What arrived here, after decay and fan-out.
    """

    kind: str
    id: str
    name: str
    edge: str
    activation: float


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a hit's score: `contribution` = `weight` × `value`."""

    name: str
    value: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled memory, and why.

    Args:
        memory: The memory.
        relevance: Calibrated likeness to the query, before boosts.
        score: What it was ranked by, after boosts.
        seeds: Which arms found it directly: `vector`, `keyword`, `entity`, `time`.
        terms: Every term of the score.
        path: The strongest path that activation took to it; the seed first.
    """

    memory: MemoryRecord
    relevance: float
    score: float
    seeds: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    path: tuple[PathStep, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a recall.

    Args:
        query: As it was asked.
        hits: Best first.
        omitted: Relevant hits left out by `limit`, `max_tokens` or diversity.
        tokens: Estimated tokens of the whole payload.
        took_ms: Wall time of the recall, encoding included.
        weights: The weight of each arm that this query was answered with.
        text: A prompt-ready block, where asked for.
    """

    query: str
    hits: tuple[Hit, ...]
    omitted: int = 0
    tokens: int = 0
    took_ms: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a memory was, or was not, recalled for a query.

    Args:
        query: The query.
        memory_id: The memory asked about.
        found: It is among the results.
        rank: From 1, None where it did not reach the ranking.
        verdict: One paragraph: at which step it fell out, and what would have brought it in.
        hit: Its terms and path, where it was scored.
        steps: Each step of the recall and what it said of this memory.
        cypher: A query to paste into Neo4j Browser that draws the path.
    """

    query: str
    memory_id: str
    found: bool
    rank: int | None
    verdict: str
    hit: Hit | None = None
    steps: tuple[str, ...] = ()
    cypher: str = ""
