"""Why a memory came, or did not: in words, step by step, and as Cypher to paste into Neo4j Browser."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from retrograph.models import Hit, MemoryRecord, PathStep, SearchFilter, Status
from retrograph.retrieval.cut import cut, payload_tokens
from retrograph.retrieval.options import SearchOptions

_EDGE_TYPE = re.compile(r"[A-Z_]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """A recall that is explained.

    Args:
        where: What narrowed it.
        options: How it was ranked and cut, with every default in it.
        similar: Whether two contents are near-copies.
        answer: Ids of what it answered with, best first.
    """

    where: SearchFilter
    options: SearchOptions
    similar: Callable[[str, str], bool]
    answer: Sequence[str]

    @property
    def least(self) -> float:
        """Least relevance of a result."""
        return self.options.min_score or 0.0


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a memory: found or not, its rank among those that fit, the verdict, and each step."""

    found: bool
    rank: int | None
    verdict: str
    steps: tuple[str, ...]


def verdict(memory: MemoryRecord, asked: Asked, ranked: Sequence[Hit], *, ended_at: datetime | None = None) -> Told:
    """The verdict on a memory: the step at which it fell out, and what would have brought it in.

    Args:
        memory: The memory.
        asked: The recall.
        ranked: All that it ranked, best first, before the least relevance, near-copies, limit and budget.
        ended_at: When something replaced the memory.
    """
    hit = next((h for h in ranked if h.memory.id == memory.id), None)
    barred = _barred(memory, asked.where, now=asked.options.now or datetime.now(UTC), ended_at=ended_at)
    steps = [f"filters: {barred or 'passed'}"]
    if hit is None:
        if barred:
            return Told(False, None, f"Not recalled: {barred}.", tuple(steps))
        steps.append("seeds: no arm brought it (meaning, words, names)")
        steps.append(f"activation: no path of up to {_hops(asked)} hops led to it from the seeds")
        hint = "a word or a name it shares with the query, or a link to a memory that is recalled"
        said = f"Not recalled: nothing in the query leads to it. What would bring it in: {hint}."
        return Told(False, None, said, tuple(steps))
    if hit.seeds or hit.path:
        steps.append(f"seeds: {', '.join(hit.seeds) or 'none; it came by activation alone'}")
        steps.append(f"activation: {path_words(hit.path)}")
    else:
        steps.append("seeds: none; it was looked at because there was nothing nearer")
        steps.append("activation: no path led to it")
    steps.append("score: " + " + ".join(f"{t.contribution:.3f} {t.name}" for t in hit.terms if t.contribution))
    if memory.id in asked.answer:
        rank = asked.answer.index(memory.id) + 1
        steps.append(f"cut: kept, rank {rank}")
        return Told(True, rank, f"Recalled at rank {rank}: {path_words(hit.path)}.", tuple(steps))
    fitting = [h for h in ranked if h.relevance >= asked.least]
    if hit.relevance < asked.least:
        enough = math.floor(hit.relevance * 100) / 100
        said = f"its relevance {hit.relevance:.2f} is below min_score {asked.least:.2f}"
        steps.append(f"relevance: {said}")
        said = f"Left out: {said}; min_score={enough:.2f} would bring it in."
        return Told(False, _rank(hit, ranked), said, tuple(steps))
    rank = _rank(hit, fitting)
    steps.append(f"relevance: {hit.relevance:.2f} reaches min_score {asked.least:.2f}")
    kept, _, _ = cut(fitting, asked.options, similar=asked.similar)
    if any(h.memory.id == memory.id for h in kept):
        said = f"it was not among the best few that are looked at closely for limit {asked.options.limit}"
        said = f"{said}; a larger limit would bring it in"
    else:
        said = _cut_out(hit, fitting, asked)
    steps.append(f"cut: {said}")
    return Told(False, rank, f"Left out: {said}.", tuple(steps))


def _rank(hit: Hit, ranked: Sequence[Hit]) -> int:
    return next(n for n, other in enumerate(ranked, 1) if other.memory.id == hit.memory.id)


def _hops(asked: Asked) -> int:
    return 3 if asked.options.hops is None else asked.options.hops


def _cut_out(hit: Hit, fitting: Sequence[Hit], asked: Asked) -> str:
    """What of the cut left a fitting hit out: a better one like it, the limit, or the budget."""
    better = fitting[: _rank(hit, fitting) - 1]
    distinct, _, _ = cut(better, replace(asked.options, limit=None, max_tokens=None), similar=asked.similar)
    if asked.options.diversity:
        like = next((h for h in distinct if asked.similar(h.memory.content, hit.memory.content)), None)
        if like:
            return f"{like.memory.id!r}, which ranks higher, says nearly the same; diversity=false would bring it in"
    place, limit = len(distinct) + 1, asked.options.limit or len(fitting)
    unbound, _, _ = cut(fitting, replace(asked.options, max_tokens=None), similar=asked.similar)
    if place > limit and not any(h.memory.id == hit.memory.id for h in unbound):
        last = unbound[-1].score if unbound else 0.0
        where = f"rank {place} with score {hit.score:.3f}; limit {limit} ends at {last:.3f}"
        return f"{where}. limit={place} would bring it in"
    # The frame of a prompt-ready block counts too: what the cut says of the hits up to this one is what they take.
    reaching = replace(asked.options, limit=place, max_tokens=None)
    _, _, tokens = cut([*distinct, hit], reaching, similar=asked.similar)
    return (
        f"it takes {payload_tokens(hit)} tokens, and max_tokens {asked.options.max_tokens} was reached; "
        f"max_tokens={tokens} would bring it in"
    )


def path_words(path: Sequence[PathStep]) -> str:
    """A path on one line: `memory "…" →MENTIONS→ rig7 →MENTIONS→ memory "…"`."""
    if not path:
        return "no path; it was found directly"
    words = [_node(path[0])]
    for step in path[1:]:
        words.append(f"—{step.edge}→ {_node(step)}")
    return " ".join(words)


def path_cypher(path: Sequence[PathStep], *, bank: str) -> str:
    """A query for Neo4j Browser that draws the path, nodes and edges; what names hold is data, quoted.

    Args:
        path: The path; "" without one.
        bank: The bank it lies in: another bank's entity of the same name is not drawn.
    """
    lines = [
        f"MATCH (n{n}:Entity|NamePart {{key: {_quoted(step.id)}, bank: {_quoted(bank)}}})"
        if step.kind == "entity"
        else f"MATCH (n{n}:Memory|ArchivedMemory {{id: {_quoted(step.id)}, bank: {_quoted(bank)}}})"
        for n, step in enumerate(path)
    ]
    for n, step in enumerate(path[1:], 1):
        kind = step.edge.partition(" ")[0]
        # Optional: a link may have gone since the path was walked, and the rest is drawn all the same.
        typed = f":{kind}" if _EDGE_TYPE.fullmatch(kind) else ""
        lines.append(f"OPTIONAL MATCH (n{n - 1})-[r{n}{typed}]-(n{n})")
    columns = [f"n{n}" for n in range(len(path))] + [f"r{n}" for n in range(1, len(path))]
    return "\n".join([*lines, f"RETURN {', '.join(columns)}"]) if path else ""


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _node(step: PathStep) -> str:
    return f'memory "{step.name}"' if step.kind == "memory" else step.name


def _barred(memory: MemoryRecord, where: SearchFilter, *, now: datetime, ended_at: datetime | None) -> str:
    """Why the filters leave the memory out, and what would let it in; "" where they do not."""
    return (
        _barred_by_state(memory, where, now=now)
        or _barred_by_time(memory, where, ended_at)
        or _barred_by_kind(memory, where)
    )


def _barred_by_state(memory: MemoryRecord, where: SearchFilter, *, now: datetime) -> str:
    if memory.archived and not where.deep:
        return "it is archived; deep=true searches the archive"
    if memory.status is Status.PENDING_REVIEW:
        return "it waits for review; a review that approves it would bring it in"
    if memory.expires_at and memory.expires_at <= now and not memory.pinned:
        return f"it expired at {memory.expires_at:%Y-%m-%d}; pinned, or with a later expires_at, it would come"
    if where.as_of or memory.archived or memory.status in where.statuses:
        return ""
    if memory.status is Status.SUPERSEDED:
        return "a newer memory supersedes it; as_of asks what was true before"
    return f"its status is {memory.status.value}; statuses={[memory.status.value]} would bring it in"


def _barred_by_time(memory: MemoryRecord, where: SearchFilter, ended_at: datetime | None) -> str:
    happened = f"it happened at {memory.occurred_at:%Y-%m-%d %H:%M}"
    if where.since and memory.occurred_at < where.since:
        return f"{happened}, outside the time asked for: since={memory.occurred_at:%Y-%m-%d} would bring it in"
    if where.until and memory.occurred_at >= where.until:
        return f"{happened}, outside the time asked for: an until after that would bring it in"
    if where.as_of is None:
        return ""
    if memory.occurred_at > where.as_of:
        return f"{happened}, after as_of; a later as_of would bring it in"
    ends = [end for end in (memory.valid_until, ended_at) if end is not None and end <= where.as_of]
    if ends:
        return f"it was over at {min(ends):%Y-%m-%d %H:%M}, before as_of; an earlier as_of would bring it in"
    return ""


def _barred_by_kind(memory: MemoryRecord, where: SearchFilter) -> str:
    if where.types and memory.type not in where.types:
        return f"its type is {memory.type.value}; types={[memory.type.value]} would bring it in"
    if where.domain and memory.domain != where.domain:
        return f"its domain is {memory.domain!r}; that one, or none, would bring it in"
    if lacking := sorted(set(where.tags) - set(memory.tags)):
        return f"it lacks the tags {lacking}; without them it would come"
    if where.source and memory.source is not where.source:
        return f"its source is {memory.source.value}; that one, or none, would bring it in"
    if where.session and memory.session != where.session:
        return f"it belongs to another session, {memory.session!r}; without a session it would come"
    known = memory.metadata or {}
    unlike = sorted(key for key, value in (where.metadata or {}).items() if key not in known or known[key] != value)
    if unlike:
        return f"its metadata differs at {unlike}; without them it would come"
    return ""
