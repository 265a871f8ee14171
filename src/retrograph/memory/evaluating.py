"""Measures of recall on labelled questions, and of task runs with and without memory; docs/evaluation.md."""

import math
import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from retrograph.errors import InvalidInput
from retrograph.models import SearchResult, WriteResult

GOALS = {
    "recall": 0.85,
    "precision": 0.80,
    "write p50 ms": 200.0,
    "search p50 ms": 300.0,
    "utilisation": 0.40,
}
"""What a memory should reach: shares are least values, milliseconds are most."""
_YES_OR_NO = ("hit rate", "silence", "success", "first-try success")
_RESAMPLES = 2_000
_WRITE_FIELDS = set(
    "content type summary domain tags importance confidence source scope speaker occurred_at occurred_until valid_from "
    "valid_until expires_at half_life_days pinned metadata".split()
)
_Z = 1.959964
"""Two-sided 95 % of the normal distribution."""


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the right answers among the first `k`."""
    return len(set(ranked[:k]) & set(gold)) / len(gold)


def precision_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of right answers in the first `k`; of fewer, if there are fewer."""
    taken = ranked[:k]
    return sum(item in gold for item in taken) / len(taken) if taken else 0.0


def hit_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 where any right answer is among the first `k`."""
    return float(bool(set(ranked[:k]) & set(gold)))


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int = 10) -> float:
    """Discounted gain, binary, against the ideal over min(len(gold), k)."""
    gain = sum(1 / math.log2(n + 2) for n, item in enumerate(ranked[:k]) if item in gold)
    ideal = sum(1 / math.log2(n + 2) for n in range(min(len(gold), k)))
    return gain / ideal if ideal else 0.0


def mean(values: Sequence[float]) -> float:
    """Mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def wilson(successes: int, total: int) -> tuple[float, float]:
    """95 % confidence interval of a share; (0, 1) of nothing.

    Source: Wilson (1927); unlike the normal interval it stays within [0, 1] and holds for few trials.
    """
    if total == 0:
        return 0.0, 1.0
    share, spread = successes / total, _Z * _Z / total
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def bootstrap(values: Sequence[float], *, seed: int) -> tuple[float, float]:
    """95 % confidence interval of a mean, by resampling; (0, 0) of nothing.

    Source: Efron (1979), percentile method, 2,000 resamples.
    """
    if not values:
        return 0.0, 0.0
    draw = random.Random(seed)
    means = [mean(draw.choices(values, k=len(values))) for _ in range(_RESAMPLES)]
    return percentile(means, 0.025), percentile(means, 0.975)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, and what should be recalled for it.

    Args:
        question: The question.
        ids: Ids of memories, or of the file's own memories.
        contents: Texts; a memory that holds one, letter case and white space apart, is right.
        more: Filters and options of the recall.
    """

    question: str
    ids: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure with its 95 % confidence interval, and whether it reaches its goal; None where there is none."""

    value: float
    low: float
    high: float
    n: int
    goal: float | None = None
    reached: bool | None = None


@dataclass(frozen=True, slots=True)
class Missed:
    """A question of which something was not recalled."""

    question: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvalReport:
    """What was measured on a labelled file; `missed` names at most a hundred questions."""

    limit: int
    questions: int
    seed: int
    measures: Mapping[str, Measure]
    missed: tuple[Missed, ...] = ()


class _Searches(Protocol):
    def search(self, query: str, **more: Any) -> SearchResult: ...


def plant(
    write: Callable[..., WriteResult],
    rows: Sequence[Mapping[str, Any]],
    *,
    written: list[str],
    progress: Callable[[int, int | None], None] | None = None,
) -> tuple[dict[str, str], list[float]]:
    """Writes the memories of a labelled file.

    Args:
        write: Of a memory in a bank of its own.
        rows: Fields of `Memory.write`, `content` among them, and optionally `id`.
        written: Takes the id of each memory as it is written, so that all can be removed if one fails.
        progress: Called with the number written.

    Returns:
        The memory of each `id`, and the seconds that each write took.

    Raises:
        InvalidInput: A field cannot work, or two rows have one id.
    """
    named: dict[str, str] = {}
    seconds: list[float] = []
    for row in rows:
        given = dict(row)
        name = given.pop("id", None)
        if unknown := given.keys() - _WRITE_FIELDS:
            raise InvalidInput(f"a memory has no field {min(unknown)!r}", field=min(unknown))
        if name is not None and str(name) in named:
            raise InvalidInput(f"two memories have the id {name!r}", field="id")
        started = time.perf_counter()
        result = write(given.pop("content"), force=True, **given)
        seconds.append(time.perf_counter() - started)
        if result.id:
            written.append(result.id)
            if name is not None:
                named[str(name)] = result.id
        if progress:
            progress(len(seconds), None)
    return named, seconds


def evaluate(
    memory: _Searches,
    rows: Sequence[Labelled],
    *,
    limit: int = 5,
    seed: int = 0,
    named: Mapping[str, str] | None = None,
    write_seconds: Sequence[float] = (),
) -> EvalReport:
    """Asks every question and measures the answers.

    Args:
        memory: What to ask.
        rows: Questions and what should be recalled; one that expects nothing counts for `silence` alone.
        limit: Results asked for, and the depth of every measure, 1 to 1,000.
        seed: Of the resampling.
        named: The memory of each id that the file itself gives.
        write_seconds: How long each write of the file's memories took.

    Raises:
        InvalidInput: There is no question.
    """
    if not rows:
        raise InvalidInput("there is no question to ask", cure="docs/evaluation.md shows the file format.")
    values: dict[str, list[float]] = {"search p50 ms": []}
    missed: list[Missed] = []
    for row in rows:
        started = time.perf_counter()
        found = memory.search(row.question, **({"limit": limit, "diversity": False} | dict(row.more)))
        values["search p50 ms"].append(1000 * (time.perf_counter() - started))
        gold = [(named or {}).get(memory_id, memory_id) for memory_id in row.ids] + [_plain(t) for t in row.contents]
        if not gold:
            values.setdefault("silence", []).append(float(not found.hits))
            continue
        ranked = _labels(found, ids=set(gold[: len(row.ids)]), texts=gold[len(row.ids) :])
        for name, value in _judged(ranked, set(gold), limit).items():
            values.setdefault(name, []).append(value)
        missing = [
            shown for shown, item in zip((*row.ids, *row.contents), gold, strict=True) if item not in ranked[:limit]
        ]
        if missing:
            missed.append(Missed(row.question, tuple(missing)))
    if write_seconds:
        values["write p50 ms"] = [1000 * s for s in write_seconds]
    measures = {name: _measure(name, numbers, seed=seed) for name, numbers in values.items()}
    return EvalReport(limit, len(rows), seed, measures, tuple(missed[:100]))


def _judged(ranked: Sequence[str], gold: Collection[str], k: int) -> dict[str, float]:
    return {
        "recall": recall_at(ranked, gold, k),
        # As deep as there are right answers: a question with one answer could not reach more than 1 / k otherwise.
        "precision": precision_at(ranked, gold, min(k, len(gold))),
        f"precision@{k}": precision_at(ranked, gold, k),
        "hit rate": hit_at(ranked, gold, k),
        "nDCG": ndcg_at(ranked, gold, k),
    }


def _labels(found: SearchResult, *, ids: Collection[str], texts: Sequence[str]) -> list[str]:
    """What each hit answers: itself where its id is expected, else the first expected text that it holds."""
    left = list(texts)
    labels: list[str] = []
    for hit in found.hits:
        held = next((text for text in left if text in _plain(hit.memory.content)), None)
        if hit.memory.id in ids or held is None:
            labels.append(hit.memory.id)
        else:
            left.remove(held)
            labels.append(held)
    return labels


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _measure(name: str, values: Sequence[float], *, seed: int) -> Measure:
    if name.endswith(" ms"):
        # Of a median, by its ranks: it needs no resampling.
        half = _Z * math.sqrt(len(values)) / 2 / len(values)
        value = percentile(values, 0.5)
        low, high = percentile(values, max(0.0, 0.5 - half)), percentile(values, min(1.0, 0.5 + half))
        return Measure(value, low, high, len(values), GOALS[name], value < GOALS[name])
    is_count = name in _YES_OR_NO
    low, high = wilson(int(sum(values)), len(values)) if is_count else bootstrap(values, seed=seed)
    goal = GOALS.get(name)
    return Measure(mean(values), low, high, len(values), goal, None if goal is None else mean(values) > goal)


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One run of a task by an agent.

    Args:
        task: Its name; the same in both files for the same task.
        success: It was solved in the end.
        rounds: Tries or turns that it took, 1 or more.
        errors: What went wrong, one mark each; the same mark again, in this or a later run, is a repeated error.
        tokens: Spent in all.
        recalled: Memories that were recalled.
        used: How many of them the answer used.
    """

    task: str
    success: bool
    rounds: int = 1
    errors: tuple[str, ...] = ()
    tokens: int | None = None
    recalled: int | None = None
    used: int | None = None


@dataclass(frozen=True, slots=True)
class AbMeasure:
    """A figure of both sides, and of their difference, B less A, each with a 95 % confidence interval.

    `differs` says whether the interval of the difference leaves zero out.
    """

    a: Measure
    b: Measure
    difference: Measure
    differs: bool


@dataclass(frozen=True, slots=True)
class AbReport:
    """Two files of task runs compared; `paired` where both hold the same tasks."""

    paired: bool
    seed: int
    measures: Mapping[str, AbMeasure]


def compare_runs(a: Sequence[TaskRun], b: Sequence[TaskRun], *, seed: int = 0) -> AbReport:
    """Compares runs without memory (A) and with it (B).

    Where both files hold the same tasks, as often each, the difference is taken task by task, which needs fewer runs.

    Raises:
        InvalidInput: A side has no run.
    """
    if not a or not b:
        raise InvalidInput("a file has no run to compare", cure="docs/evaluation.md shows the file format.")
    paired = sorted(run.task for run in a) == sorted(run.task for run in b)
    of_a, of_b = _figures(a), _figures(b)
    if paired:
        of_a, of_b = _by_task(a, of_a), _by_task(b, of_b)
    measures: dict[str, AbMeasure] = {}
    for name in of_a:
        left, right = of_a[name], of_b[name]
        both = [(x, y) for x, y in zip(left, right, strict=False) if x is not None and y is not None]
        x, y = [v for v in left if v is not None], [v for v in right if v is not None]
        if not x or not y:
            continue
        if paired:
            low, high = bootstrap([after - before for before, after in both], seed=seed) if both else (0.0, 0.0)
            difference = Measure(mean([after - before for before, after in both]), low, high, len(both))
        else:
            low, high = _bootstrap_difference(x, y, seed=seed)
            difference = Measure(mean(y) - mean(x), low, high, min(len(x), len(y)))
        measures[name] = AbMeasure(
            _measure(name, x, seed=seed), _measure(name, y, seed=seed), difference, not low <= 0 <= high
        )
    return AbReport(paired, seed, measures)


def _figures(runs: Sequence[TaskRun]) -> dict[str, list[float | None]]:
    seen: set[str] = set()
    repeated: list[float | None] = []
    for run in runs:
        again = 0
        for error in run.errors:
            again += error in seen
            seen.add(error)
        repeated.append(float(again))
    return {
        "first-try success": [float(run.success and run.rounds == 1) for run in runs],
        "success": [float(run.success) for run in runs],
        "rounds": [float(run.rounds) for run in runs],
        "repeated errors": repeated,
        "tokens": [None if run.tokens is None else float(run.tokens) for run in runs],
        "utilisation": [run.used / run.recalled if run.recalled and run.used is not None else None for run in runs],
    }


def _by_task(runs: Sequence[TaskRun], figures: Mapping[str, list[float | None]]) -> dict[str, list[float | None]]:
    order = sorted(range(len(runs)), key=lambda n: runs[n].task)
    return {name: [values[n] for n in order] for name, values in figures.items()}


def _bootstrap_difference(x: Sequence[float], y: Sequence[float], *, seed: int) -> tuple[float, float]:
    draw = random.Random(seed)
    gaps = [mean(draw.choices(y, k=len(y))) - mean(draw.choices(x, k=len(x))) for _ in range(_RESAMPLES)]
    return percentile(gaps, 0.025), percentile(gaps, 0.975)
