"""Recall: one query does the heavy work, and what is left is to cut and to say why."""

import dataclasses
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from retrograph import cypher
from retrograph.encoders import Encoder
from retrograph.errors import InvalidInput, NotFound
from retrograph.graph import BankSpace, Graph, bank_space, check_encoder
from retrograph.graph.moves import arriving
from retrograph.graph.records import EARLIEST, LATEST, NEVER_MS, metadata_tokens, reader, record_of, visible_as
from retrograph.graph.slots import SPACE_KNOWN_S
from retrograph.models import (
    Explanation,
    Hit,
    Identity,
    MemoryType,
    PathStep,
    SearchFilter,
    SearchResult,
    Source,
    Status,
    Term,
)
from retrograph.retrieval.blend import Blend, Published, preset
from retrograph.retrieval.cut import cut
from retrograph.retrieval.explain import Asked, path_cypher, verdict
from retrograph.retrieval.options import SearchOptions
from retrograph.retrieval.query_text import full_text_query, names_among, unspaced
from retrograph.retrieval.reading import QueryReader
from retrograph.retrieval.relevance import relevance_of
from retrograph.retrieval.render import prompt_block
from retrograph.settings import Settings

_MAX_LIMIT = 1_000
_MAX_QUERY_CHARS = 100_000
_ARCHIVED = "archived"
_NARROWED = 0.5
"""Share of the default floor of relevance that holds under a filter."""
_SPARE = 5
"""Hits fetched beyond the limit, for some are cut: too little relevance, or near-copies."""
_MEMORY = (
    "id bank content summary type layer scope status importance confidence source language access_count feedback "
    "half_life_days pinned version domain tags agent_id user_id session_id speaker experience metadata"
).split()
_TIMES = (
    "occurred_at occurred_until valid_from valid_until created_at updated_at last_accessed_at expires_at archived_at"
).split()
_TERMS = (
    "semantic keyword activation speaker time asks scene answer recency importance access feedback confidence".split()
)
_PUBLISHED = "similarity entity importance recency access feedback".split()
_RAW = "likeness score cosine words mass more_words".split()
_STEP = "id name is_memory activation edge".split()
_FILTER_FIELDS = {field.name for field in dataclasses.fields(SearchFilter)}
_OPTION_FIELDS = {field.name for field in dataclasses.fields(SearchOptions)}


class _Found(NamedTuple):
    """What the query answers: rows best first, the weights, and how many candidates there were."""

    rows: list[dict[str, Any]]
    weights: Mapping[str, float]
    looked: int


def _found(answer: Sequence[Mapping[str, Any]]) -> _Found:
    """The lists of the one row that the query answers with, by name; lists, for names in each would cost as much."""
    if not answer:
        return _Found([], {}, 0)
    rows = [
        {
            "memory": dict(zip(_MEMORY, memory, strict=True)) | dict(zip(_TIMES, map(_time, times), strict=True)),
            "terms": dict(zip(_PUBLISHED, published, strict=True) if published else zip(_TERMS, terms, strict=True)),
            "raw": dict(zip(_RAW, raw, strict=True)) | {"semantic": terms[0]},
            "path": [dict(zip(_STEP, step, strict=True)) for step in path],
        }
        for memory, times, terms, published, raw, path in answer[0]["hits"]
    ]
    return _Found(rows, answer[0]["weights"], answer[0]["looked"])


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text.partition("[")[0]).astimezone(UTC) if text else None


class Recaller:
    """Answers queries over banks. Thread-safe.

    Args:
        graph: The database.
        encoder: Gives the query's vector.
        reader: Reads names and times in the query.
        settings: Defaults.
    """

    def __init__(self, graph: Graph, encoder: Encoder, reader: QueryReader, *, settings: Settings) -> None:
        self._graph = graph
        self._encoder = encoder
        self._reader = reader
        self._settings = settings
        self._spaces: dict[str, tuple[BankSpace, float]] = {}

    def search(
        self,
        query: str,
        *,
        identity: Identity,
        where: SearchFilter | None = None,
        options: SearchOptions | None = None,
        **more: Any,
    ) -> SearchResult:
        """Recalls; `Memory.search` says what the arguments mean.

        Raises:
            InvalidInput: An argument cannot work.
            EncoderMismatch: The bank was written with another encoder.
            GraphError: The database does not answer.
        """
        started = time.perf_counter()
        where, options = checked(query, where, options, more, settings=self._settings)
        hits, weights = self._recall(query, identity=identity, where=where, options=options)
        kept, omitted, tokens = cut(hits, options, similar=self._reader.similar_text)
        text = prompt_block(kept, language=self._reader.language(query)) if options.text else None
        took_ms = (time.perf_counter() - started) * 1000
        return SearchResult(query, kept, omitted, tokens, took_ms, weights, text)

    def warm(self, slot: str) -> None:
        """Has the database plan the recall, which takes some seconds after a start, before somebody waits for it.

        Args:
            slot: The embedding slot that will be searched.
        """
        # A plan is for names of about one length.
        identity = Identity(bank=self._settings.bank)
        params = self._parameters(
            "warm", identity=identity, where=SearchFilter(), options=SearchOptions(), blend=Blend()
        )
        self._graph.run(cypher.load("recall").in_slot(slot), **params)

    def explain(self, query: str, memory_id: str, *, identity: Identity, **more: Any) -> Explanation:
        """Says why a memory is, or is not, among the results; `Memory.explain`.

        Raises:
            NotFound: There is no such memory for this identity.
        """
        where, options = checked(query, None, None, more, settings=self._settings)
        rows = self._graph.run("get_memory", id=memory_id, **reader(identity))
        if not rows:
            raise NotFound(
                f"there is no memory {memory_id!r} in this bank for this identity",
                cure="Ids come from write and search.",
            )
        memory = record_of(rows[0]["memory"])
        wide = dataclasses.replace(options, limit=_MAX_LIMIT, min_score=0.0, max_tokens=None, diversity=False)
        hits, _ = self._recall(query, identity=identity, where=where, options=wide)
        hit = next((h for h in hits if h.memory.id == memory_id), None)
        asked = Asked(where, options, self._reader.similar_text)
        told = verdict(memory, asked, hits, ended_at=rows[0]["memory"].get("superseded_at"))
        alone = (PathStep("memory", memory_id, memory.content, "", 0.0),)
        return Explanation(
            query=query,
            memory_id=memory_id,
            found=told.found,
            rank=told.rank,
            verdict=told.verdict,
            hit=hit,
            steps=told.steps,
            cypher=path_cypher((hit.path if hit else ()) or alone, bank=identity.bank),
        )

    def _recall(
        self, query: str, *, identity: Identity, where: SearchFilter, options: SearchOptions
    ) -> tuple[list[Hit], Mapping[str, float]]:
        space = self._space(identity.bank)
        if space is None:
            return [], {}
        blend = preset(options.preset or self._settings.recall.preset)
        params = self._parameters(query, identity=identity, where=where, options=options, blend=blend)
        hits, found = self._ask(query, space, params, floor=options.min_score or 0.0, blend=blend)
        if len(hits) < (options.limit or 0) and len(found.rows) == params["limit"]:
            # Rare: what was looked at first is irrelevant or a near-copy, and there is more.
            params["limit"] = params["blend"]["kept"] = 4 * params["limit"]
            hits, found = self._ask(query, space, params, floor=options.min_score or 0.0, blend=blend)
        return hits, found.weights

    def _ask(
        self, query: str, space: BankSpace, params: dict[str, Any], *, floor: float, blend: Blend
    ) -> tuple[list[Hit], "_Found"]:
        """Hits at least as relevant as the floor, and all that was found."""
        found = _found(self._graph.run(cypher.load("recall").in_slot(space.slot), **params))
        calibration = self._encoder.calibration
        relevances = relevance_of(found.rows, query, looked=found.looked, calibration=calibration, blend=blend)
        relevant = [pair for pair in zip(found.rows, relevances, strict=True) if pair[1] >= floor]
        return [self._hit(row, found.weights, blend, relevance) for row, relevance in relevant], found

    def _parameters(
        self, query: str, *, identity: Identity, where: SearchFilter, options: SearchOptions, blend: Blend
    ) -> dict[str, Any]:
        recall = self._settings.recall
        now = options.now or datetime.now(UTC)
        statuses = [status.value for status in where.statuses]
        if where.as_of:
            statuses = [Status.ACTIVE.value, Status.SUPERSEDED.value]
        if where.deep:
            statuses.append(_ARCHIVED)
        text = full_text_query(query, identity=identity, where=where, statuses=statuses, content_weight=blend.content)
        limit = options.limit or recall.limit
        calibration = self._encoder.calibration
        weights = dataclasses.asdict(blend) | {
            "half_life_days": options.half_life_days or recall.half_life_days,
            "half_lives": {} if options.half_life_days else recall.half_life_of,
            "spread": blend.spread * (calibration.ceiling - calibration.floor),
            "recency": blend.recent if self._reader.asks_for_recent(query) else blend.recency,
        }
        as_of_ms = _ms(where.as_of)
        ends = [end for end in (_ms(where.until), as_of_ms + 1 if as_of_ms is not None else None) if end is not None]
        window = self._reader.window(query, reference=now) if not (where.since or where.until) else None
        window_ms = ((_ms(window.start) or 0), (_ms(window.end) or NEVER_MS)) if window else (None, None)
        keys = self._reader.keys(query)
        asked = limit + max(_SPARE, limit // 2)
        return {
            "deep": True if where.deep else None,
            "bank": identity.bank,
            "audiences": identity.audiences,
            "statuses": statuses,
            "visible": [visible_as(identity.bank, a, status) for a in identity.audiences for status in statuses],
            "vector": self._encoder.encode_query(query).tolist(),
            "pool": max(blend.pool, limit),
            # In a map, for the size of a list or a text that is a parameter of its own is part of the plan's key.
            "text": text | {"keys": keys, "names": names_among(keys, query), "unspaced": unspaced(keys)},
            "types": [kind.value for kind in where.types] if where.types else None,
            "domain": where.domain,
            "session": where.session,
            "source": where.source.value if where.source else None,
            "tags": list(where.tags) or None,
            "metadata": metadata_tokens(where.metadata) or None,
            "from_ms": _ms(where.since),
            "before_ms": min(ends) if ends else None,
            "alive_ms": as_of_ms,
            "since": (where.since or EARLIEST) if where.since or where.until else None,
            "until": where.until or LATEST,
            "window_from_ms": window_ms[0],
            "window_before_ms": window_ms[1],
            "window": {"from_ms": window_ms[0], "before_ms": window_ms[1]},
            "now": now,
            "hops": recall.hops if options.hops is None else options.hops,
            "decay": options.decay or recall.decay,
            "blend": weights | {"kept": max(blend.kept, 2 * asked)},
            "limit": asked,
        }

    def _space(self, bank: str) -> BankSpace | None:
        space, known_at = self._spaces.get(bank, (None, 0.0))
        # Not for good: the bank may move to another encoder meanwhile.
        if space is None or time.monotonic() - known_at > SPACE_KNOWN_S / 2:
            space, known_at = bank_space(self._graph, bank), time.monotonic()
            if space is None:
                return None
            if space.is_arriving:
                raise arriving(bank)
            self._spaces[bank] = (space, known_at)
        check_encoder(space, bank, encoder=self._encoder.name)
        return space

    def _hit(self, row: Mapping[str, Any], weights: Mapping[str, float], blend: Blend, relevance: float) -> Hit:
        terms, raw = row["terms"], row["raw"]
        return Hit(
            memory=record_of(row["memory"]),
            relevance=relevance,
            score=raw["score"],
            seeds=_seeds(raw, row["path"]),
            terms=_terms(terms, weights, blend, raw["likeness"]),
            path=_path(row["path"], row["memory"]["id"]),
        )


def _seeds(raw: Mapping[str, Any], path: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    arms = [("vector", raw["semantic"] > 0), ("keyword", raw["words"] > 0)]
    if path and not path[0]["is_memory"]:
        arms.append(("entity", True))
    return tuple(name for name, found in arms if found)


_BOOSTS = ("recency", "importance", "access", "feedback", "confidence")


def _terms(terms: Mapping[str, float], weights: Mapping[str, float], blend: Blend, likeness: float) -> tuple[Term, ...]:
    """Every term with its weight, what counts most first; a boost's weight is relative to the likeness it re-orders."""
    if blend.published:
        return _published_terms(terms, blend.published)
    rows: list[Term] = []
    for name, value in terms.items():
        weight = weights.get(name, getattr(blend, name))
        if name in _BOOSTS:
            weight *= likeness
        elif name == "asks":
            weight = -weight
        rows.append(Term(name, value, weight, weight * value))
    return tuple(sorted(rows, key=lambda term: (-abs(term.contribution), term.name)))


def _published_terms(terms: Mapping[str, float], formula: Published) -> tuple[Term, ...]:
    """Terms of a published formula; of a product, similarity with all other factors as its weight."""
    weights = {name: getattr(formula, name) for name in terms}
    if formula.is_product:
        weights = dict.fromkeys(terms, 0.0) | {"similarity": terms["recency"] * terms["importance"]}
    return tuple(Term(name, value, weights[name], weights[name] * value) for name, value in terms.items())


def _path(steps: Sequence[Mapping[str, Any]], memory_id: str) -> tuple[PathStep, ...]:
    """The way to the memory, without circles; it ends where it first comes there."""
    path: list[PathStep] = []
    for s in steps:
        known = next((n for n, step in enumerate(path) if step.id == s["id"]), None)
        if known is None:
            kind = "memory" if s["is_memory"] else "entity"
            # A node is as active as all ways to it make it; along one way no more comes than its start has.
            activation = min(s["activation"], path[-1].activation) if path else s["activation"]
            path.append(PathStep(kind, s["id"], s["name"] or "", s["edge"], activation))
        else:
            del path[known + 1 :]
        if s["id"] == memory_id:
            break
    return tuple(path)


def _ms(time_: datetime | None) -> int | None:
    return int(time_.timestamp() * 1000) if time_ else None


def checked(
    query: str,
    where: SearchFilter | None,
    options: SearchOptions | None,
    more: Mapping[str, Any],
    *,
    settings: Settings,
) -> tuple[SearchFilter, SearchOptions]:
    """The filter and options with single fields merged in and every value checked.

    Raises:
        InvalidInput: A value cannot work, or a field is unknown: a filter is never silently ignored.
    """
    unknown = more.keys() - _FILTER_FIELDS - _OPTION_FIELDS
    if unknown:
        raise InvalidInput(
            f"search has no argument {min(unknown)!r}",
            cure=f"Filters: {', '.join(sorted(_FILTER_FIELDS))}. Options: {', '.join(sorted(_OPTION_FIELDS))}.",
            field=min(unknown),
        )
    given = {name: value for name, value in more.items() if value is not None}
    where = dataclasses.replace(where or SearchFilter(), **{k: v for k, v in given.items() if k in _FILTER_FIELDS})
    options = dataclasses.replace(options or SearchOptions(), **{k: v for k, v in given.items() if k in _OPTION_FIELDS})
    if not query.strip():
        raise InvalidInput("the query is empty", cure="Ask with at least one word.", field="query")
    if len(query) > _MAX_QUERY_CHARS:
        raise InvalidInput(f"the query has {len(query):,} characters, at most {_MAX_QUERY_CHARS:,}", field="query")
    _check_range("limit", options.limit, 1, _MAX_LIMIT)
    _check_range("hops", options.hops, 0, 3)
    _check_range("decay", options.decay, 1e-6, 1)
    _check_range("min_score", options.min_score, 0, 1)
    _check_range("max_tokens", options.max_tokens, 1, 10_000_000)
    _check_range("half_life_days", options.half_life_days, 1e-6, 1e6)
    try:
        where = dataclasses.replace(
            where,
            types=[MemoryType(kind) for kind in where.types] if where.types else None,
            source=Source(where.source) if where.source else None,
            statuses=[Status(status) for status in where.statuses],
            since=_aware(where.since),
            until=_aware(where.until),
            as_of=_aware(where.as_of),
        )
    except ValueError as error:
        raise InvalidInput(str(error), cure="`retrograph search --help` lists the values.") from error
    if Status.PENDING_REVIEW in where.statuses:
        raise InvalidInput(
            "memories that wait for review are never recalled",
            cure="List them with `pending`; `review` approves or rejects one.",
            field="statuses",
        )
    limit = options.limit or settings.recall.limit
    least = options.min_score
    if least is None:
        # Whoever narrows a recall has said already what bears on it.
        least = settings.recall.min_score * (
            _NARROWED if where != SearchFilter(deep=where.deep, statuses=where.statuses, as_of=where.as_of) else 1
        )
    return where, dataclasses.replace(options, limit=limit, min_score=least, now=_aware(options.now))


def _check_range(name: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        raise InvalidInput(f"{name} is {value!r}, not between {low:g} and {high:g}", field=name)


def _aware(time_: datetime | None) -> datetime | None:
    return time_ if time_ is None or time_.tzinfo else time_.replace(tzinfo=UTC)
