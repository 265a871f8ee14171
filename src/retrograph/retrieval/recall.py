"""Recall: two queries do the heavy work, and what is left is to cut and to say why."""

import dataclasses
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from retrograph import cypher
from retrograph.encoders import Encoder
from retrograph.errors import NotFound
from retrograph.graph import BankSpace, Graph, bank_space, check_encoder
from retrograph.graph.moves import arriving
from retrograph.graph.records import EARLIEST, LATEST, NEVER_MS, metadata_tokens, reader, record_of, visible_as
from retrograph.graph.slots import SPACE_KNOWN_S
from retrograph.models import (
    Explanation,
    Hit,
    Identity,
    PathStep,
    SearchFilter,
    SearchResult,
    Status,
    Term,
    TimeSpan,
)
from retrograph.retrieval.arguments import MAX_LIMIT, checked, narrows
from retrograph.retrieval.blend import Blend, Published, preset
from retrograph.retrieval.cut import cut, estimate_tokens
from retrograph.retrieval.explain import Asked, path_cypher, verdict
from retrograph.retrieval.options import SearchOptions
from retrograph.retrieval.query_text import both_ends, full_text_query, names_among, unspaced
from retrograph.retrieval.reading import QueryReader
from retrograph.retrieval.relevance import COVERED, relevance_of
from retrograph.retrieval.render import prompt_block
from retrograph.retrieval.topic import Topic, asks_for_newest, topic_of
from retrograph.settings import Settings

_NAMED_CHARS = 3_800
"""Characters of a query in which names are looked for."""
_ENCODED_TOKENS = 480
"""Tokens, estimated, of which every encoder sees all: what is longer they cut at the end."""
_ARCHIVED = "archived"
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


class _Found(NamedTuple):
    """What the query answers: rows best first, the weights, and how many candidates there were."""

    rows: list[dict[str, Any]]
    weights: Mapping[str, float]
    looked: int


class _Read(NamedTuple):
    """A query as it was read: where to look, when, for what, and how to rank."""

    query: str
    where: SearchFilter
    now: datetime
    window: TimeSpan | None
    topic: Topic
    is_recent: bool
    is_latest: bool
    """Of what fits as well as anything, the newest is wanted, however old."""
    is_list: bool
    """It names nothing but a time, or that it wants the latest: all there is of that, newest first."""
    blend: Blend


class _Parameters(NamedTuple):
    """What the two queries of a recall are given."""

    seeds: dict[str, Any]
    recall: dict[str, Any]


def _filters(where: SearchFilter) -> dict[str, Any]:
    """What the vector index filters by; None for each filter that is not given."""
    as_of_ms = _ms(where.as_of)
    ends = [end for end in (_ms(where.until), as_of_ms + 1 if as_of_ms is not None else None) if end is not None]
    return {
        "types": [kind.value for kind in where.types] if where.types else None,
        "domain": where.domain,
        "session": where.session,
        "source": where.source.value if where.source else None,
        "from_ms": _ms(where.since),
        "before_ms": min(ends) if ends else None,
        "alive_ms": as_of_ms,
    }


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
        identity = Identity(bank=self._settings.bank)
        options = SearchOptions()
        asked = self._parameters(self._read("warm", SearchFilter(), options), identity=identity, options=options)
        self._run(slot, self._seeds(slot, asked.seeds), asked.recall)

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
        wide = dataclasses.replace(options, limit=MAX_LIMIT, min_score=0.0, max_tokens=None, diversity=False)
        similar = self._reader.similar_text
        # What it answers is asked for as it was: more is looked at for more.
        answer, _, _ = cut(
            self._recall(query, identity=identity, where=where, options=options)[0], options, similar=similar
        )
        hits, _ = self._recall(query, identity=identity, where=where, options=wide)
        hit = next((h for h in (*answer, *hits) if h.memory.id == memory_id), None)
        read = self._read(query, where, options)
        asked = Asked(read.where, options, similar, [h.memory.id for h in answer])
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
        read = self._read(query, where, options)
        asked = self._parameters(read, identity=identity, options=options)
        seeds, params, floor = self._seeds(space.slot, asked.seeds), asked.recall, options.min_score or 0.0
        found = self._run(space.slot, seeds, params)
        hits = self._relevant(read, found, floor=floor)
        if len(hits) < (options.limit or 0) and len(found.rows) >= params["limit"]:
            # Rare: what was looked at first is irrelevant or a near-copy, and there is more.
            params["limit"] = params["blend"]["kept"] = 4 * params["limit"]
            found = self._run(space.slot, seeds, params)
            hits = self._relevant(read, found, floor=floor)
        return hits, found.weights

    def _read(self, query: str, where: SearchFilter, options: SearchOptions) -> _Read:
        now = options.now or datetime.now(UTC)
        blend = preset(options.preset or self._settings.recall.preset)
        window = self._reader.window(query, reference=now) if not (where.since or where.until) else None
        recent = self._reader.asks_for_recent(query)
        topic = topic_of(query, time=window.surface if window else "")
        is_list = topic.is_anything and blend.published is None and bool(window or recent or narrows(where))
        if is_list:
            blend = dataclasses.replace(blend, published=Published(recency=1.0))
            if window:
                where, window = dataclasses.replace(where, since=window.start, until=window.end), None
        latest = is_list or (recent and asks_for_newest(query))
        return _Read(query, where, now, window, topic, recent, latest, is_list, blend)

    def _seeds(self, slot: str, params: dict[str, Any]) -> list[tuple[str, float | None]]:
        """Ids of the memories where recall begins, each once, with the cosine of those near the query."""
        found: dict[str, float | None] = {}
        for row in self._graph.run(cypher.load("find_seeds").in_slot(slot), **params):
            for memory_id, cosine in row["seeds"]:
                if found.get(memory_id) is None:
                    found[memory_id] = cosine
        return list(found.items())

    def _run(self, slot: str, seeds: list[tuple[str, float | None]], params: dict[str, Any]) -> _Found:
        return _found(self._graph.run(cypher.load("recall").in_slot(slot), seeds=seeds, **params))

    def _relevant(self, read: _Read, found: _Found, *, floor: float) -> list[Hit]:
        """What was found that is at least as relevant as the floor."""
        if read.is_list:
            relevances = [COVERED] * len(found.rows)
        else:
            calibration = self._encoder.calibration
            relevances = relevance_of(
                found.rows, read.topic, looked=found.looked, calibration=calibration, blend=read.blend
            )
        relevant = [pair for pair in zip(found.rows, relevances, strict=True) if pair[1] >= floor]
        return [self._hit(row, found.weights, read.blend, relevance) for row, relevance in relevant]

    def _parameters(self, read: _Read, *, identity: Identity, options: SearchOptions) -> _Parameters:
        recall, where, query = self._settings.recall, read.where, read.query
        statuses = _statuses(where)
        text = full_text_query(
            query, identity=identity, where=where, statuses=statuses, content_weight=read.blend.content
        )
        window = read.window
        window_ms = ((_ms(window.start) or 0), (_ms(window.end) or NEVER_MS)) if window else (None, None)
        keys = self._reader.keys(both_ends(query, _NAMED_CHARS))
        limit = options.limit or recall.limit
        asked = limit + max(_SPARE, limit // 2)
        pool = read.blend.pool * (read.blend.looked if read.is_latest else 1)
        kept = max(pool if read.is_latest else read.blend.kept, 2 * asked)
        filters = _filters(where)
        both = {
            "bank": identity.bank,
            "audiences": identity.audiences,
            "statuses": statuses,
            "vector": self._encoder.encode_query(_encodable(query)).tolist(),
            "pool": max(pool, limit),
        }
        seeds = {
            "visible": [visible_as(identity.bank, a, status) for a in identity.audiences for status in statuses],
            "since": (where.since or EARLIEST) if where.since or where.until else None,
            "until": where.until or LATEST,
            "newest": read.now if read.is_list and not (where.since or where.until) else None,
            "window_from_ms": window_ms[0],
            "window_before_ms": window_ms[1],
        }
        rest = {
            "text": text | {"keys": keys, "names": names_among(keys, query), "unspaced": unspaced(keys)},
            "where": filters | {"tags": list(where.tags or ()), "metadata": metadata_tokens(where.metadata)},
            "window": {"from_ms": window_ms[0], "before_ms": window_ms[1]},
            "now": read.now,
            "hops": recall.hops if options.hops is None else options.hops,
            "decay": options.decay or recall.decay,
            "blend": self._weights(read, options) | {"kept": 4 * kept if read.is_list else kept},
            "limit": asked,
        }
        return _Parameters(both | filters | seeds, both | rest)

    def _weights(self, read: _Read, options: SearchOptions) -> dict[str, Any]:
        recall, blend, calibration = self._settings.recall, read.blend, self._encoder.calibration
        return dataclasses.asdict(blend) | {
            "half_life_days": options.half_life_days or recall.half_life_days,
            "half_lives": {} if options.half_life_days else recall.half_life_of,
            "spread": blend.spread * (calibration.ceiling - calibration.floor),
            "recency": blend.recent if read.is_recent or read.is_latest else blend.recency,
            "is_latest": read.is_latest,
            # No boost lifts what is less like the query than this; where the query names nothing, all fits.
            "fitting": -1.0 if read.is_list else 1 / (1 + blend.recent),
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


def _encodable(query: str) -> str:
    tokens = estimate_tokens(query)
    return query if tokens <= _ENCODED_TOKENS else both_ends(query, len(query) * _ENCODED_TOKENS // tokens)


def _statuses(where: SearchFilter) -> list[str]:
    statuses = [Status.ACTIVE, Status.SUPERSEDED] if where.as_of else where.statuses
    return [status.value for status in statuses] + ([_ARCHIVED] if where.deep else [])


def _ms(time_: datetime | None) -> int | None:
    return int(time_.timestamp() * 1000) if time_ else None
