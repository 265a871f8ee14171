"""Why a memory came, or did not: in words, step by step, and as Cypher to paste into Neo4j Browser."""

from collections.abc import Sequence
from datetime import UTC, datetime

from retrograph.models import Hit, MemoryRecord, PathStep, SearchFilter, Status
from retrograph.retrieval.options import SearchOptions


def verdict(
    memory: MemoryRecord,
    hit: Hit | None,
    *,
    rank: int | None,
    found: bool,
    where: SearchFilter,
    options: SearchOptions,
    best: Sequence[Hit],
) -> tuple[str, tuple[str, ...]]:
    """The verdict on a memory, and what each step of the recall said of it."""
    steps: list[str] = []
    barred = _barred(memory, where, now=options.now or datetime.now(UTC))
    steps.append(f"filters: {barred or 'passed'}")
    if hit is None:
        if barred:
            return f"Not recalled: {barred}.", tuple(steps)
        steps.append("seeds: no arm brought it (meaning, words, names)")
        steps.append("activation: no path of up to 3 hops led to it from the seeds")
        hint = "a word or a name it shares with the query, or a link to a memory that is recalled"
        return f"Not recalled: nothing in the query leads to it. What would bring it in: {hint}.", tuple(steps)
    steps.append(f"seeds: {', '.join(hit.seeds) or 'none; it came by activation alone'}")
    steps.append(f"activation: {path_words(hit.path)}")
    steps.append("score: " + " + ".join(f"{t.contribution:.3f} {t.name}" for t in hit.terms if t.contribution))
    if found:
        return f"Recalled at rank {rank}: {path_words(hit.path)}.", tuple(steps)
    if options.min_score is not None and hit.relevance < options.min_score:
        return (
            f"Left out: its relevance {hit.relevance:.2f} is below min_score {options.min_score:.2f}.",
            tuple(steps),
        )
    limit = options.limit or 0
    last = best[min(limit, len(best)) - 1].score if best else 0.0
    if rank is not None and rank > limit:
        return (
            f"Left out: rank {rank} with score {hit.score:.3f}; limit {limit} ends at {last:.3f}. "
            f"limit={rank} would bring it in.",
            tuple(steps),
        )
    return "Left out: a better hit says nearly the same, or max_tokens was reached.", tuple(steps)


def path_words(path: Sequence[PathStep]) -> str:
    """A path on one line: `memory "…" →MENTIONS→ gpu0 →MENTIONS→ memory "…"`."""
    if not path:
        return "no path; it was found directly"
    words = [_node(path[0])]
    for step in path[1:]:
        words.append(f"—{step.edge}→ {_node(step)}")
    return " ".join(words)


def path_cypher(path: Sequence[PathStep]) -> str:
    """A query for Neo4j Browser that draws the path; names are quoted, so that it is data whatever they hold."""
    memories = [step.id for step in path if step.kind == "memory"]
    entities = [step.id for step in path if step.kind == "entity"]
    if not path:
        return ""
    return (
        f"MATCH (n) WHERE (n:Memory AND n.id IN {_quoted(memories)}) "
        f"OR (n:Entity AND n.key IN {_quoted(entities)}) RETURN n"
    )


def _quoted(values: Sequence[str]) -> str:
    return "[" + ", ".join("'" + v.replace("\\", "\\\\").replace("'", "\\'") + "'" for v in values) + "]"


def _node(step: PathStep) -> str:
    return f'memory "{step.name}"' if step.kind == "memory" else step.name


def _barred(memory: MemoryRecord, where: SearchFilter, *, now: datetime) -> str:
    if memory.archived and not where.deep:
        return "it is archived; deep=true searches the archive"
    if memory.status is Status.PENDING_REVIEW:
        return "it waits for review"
    if memory.status is Status.SUPERSEDED and not where.as_of:
        return "a newer memory supersedes it; as_of asks what was true before"
    if where.types and memory.type not in where.types:
        return f"its type is {memory.type.value}"
    if where.domain and memory.domain != where.domain:
        return f"its domain is {memory.domain!r}"
    if not set(where.tags) <= set(memory.tags):
        return f"it lacks the tags {sorted(set(where.tags) - set(memory.tags))}"
    if where.source and memory.source is not where.source:
        return f"its source is {memory.source.value}"
    if memory.expires_at and memory.expires_at <= now and not memory.pinned:
        return f"it expired at {memory.expires_at:%Y-%m-%d}"
    if where.session and memory.session != where.session:
        return "it belongs to another session"
    if (where.since and memory.occurred_at < where.since) or (where.until and memory.occurred_at >= where.until):
        return f"it happened at {memory.occurred_at:%Y-%m-%d}, outside the time asked for"
    return ""
