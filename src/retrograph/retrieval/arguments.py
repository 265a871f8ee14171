"""Arguments of a recall: each is checked, and none is silently ignored."""

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from retrograph.errors import InvalidInput
from retrograph.models import MemoryType, SearchFilter, Source, Status
from retrograph.retrieval.options import SearchOptions
from retrograph.settings import Settings

MAX_LIMIT = 1_000
"""Most results of a recall."""
_MAX_QUERY_CHARS = 100_000
_NARROWED = 0.5
"""Share of the default floor of relevance that holds under a filter."""
_FILTER_FIELDS = {field.name for field in dataclasses.fields(SearchFilter)}
_OPTION_FIELDS = {field.name for field in dataclasses.fields(SearchOptions)}
_OPERATOR = re.compile(
    r"\$\w+|[<>=!~]=?|<>|gte?|lte?|eq|neq?|n?in|not|(?:greater|less|more)[ _]?than(?:[ _]or[ _]equal(?:[ _]to)?)?"
    r"|(?:not[ _])?equals?(?:[ _]to)?|contains|starts[ _]?with|ends[ _]?with|between|like|regex|exists"
    r"|大于(?:等于)?|小于(?:等于)?|等于|不等于|包含|介于",
    re.IGNORECASE,
)
"""A comparison that is asked for as a key: metadata is compared for equality alone."""


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
    _check_whole("limit", options.limit, 1, MAX_LIMIT)
    _check_whole("hops", options.hops, 0, 3)
    _check_range("decay", options.decay, 1e-6, 1)
    _check_range("min_score", options.min_score, 0, 1)
    _check_whole("max_tokens", options.max_tokens, 1, 10_000_000)
    _check_range("half_life_days", options.half_life_days, 1e-6, 1e6)
    where = _typed(where)
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
        least = settings.recall.min_score * (_NARROWED if narrows(where) else 1)
    return where, dataclasses.replace(options, limit=limit, min_score=least, now=_aware("now", options.now))


def narrows(where: SearchFilter) -> bool:
    """Whether a filter says what bears on the query, and not only how far to look."""
    return where != SearchFilter(deep=where.deep, statuses=where.statuses, as_of=where.as_of)


def _typed(where: SearchFilter) -> SearchFilter:
    """The filter with every value of its own type: what has another would filter nothing, or break the query."""
    if isinstance(where.tags, str) or not all(isinstance(tag, str) for tag in cast(Sequence[object], where.tags)):
        raise InvalidInput(f"tags is {where.tags!r}, not a list of texts", cure='tags=["red"].', field="tags")
    for name in ("domain", "session"):
        value: object = getattr(where, name)
        if value is not None and not isinstance(value, str):
            raise InvalidInput(f"{name} is {value!r}, not a text", field=name)
    if not where.statuses:
        raise InvalidInput("statuses is empty, and every memory has one", cure="Leave it out.", field="statuses")
    _check_metadata(where.metadata)
    try:
        return dataclasses.replace(
            where,
            types=[MemoryType(kind) for kind in where.types] if where.types else None,
            source=Source(where.source) if where.source else None,
            statuses=[Status(status) for status in where.statuses],
            since=_aware("since", where.since),
            until=_aware("until", where.until),
            as_of=_aware("as_of", where.as_of),
        )
    except ValueError as error:
        raise InvalidInput(str(error), cure="`retrograph search --help` lists the values.") from error


def _check_metadata(metadata: object) -> None:
    """What cannot be compared, or reads like a comparison that is not made, is no filter."""
    if metadata is None:
        return
    if not isinstance(metadata, Mapping):
        raise InvalidInput(f"metadata is {metadata!r}, not a map", cure='metadata={"team": "red"}.', field="metadata")
    for key, value in cast(Mapping[object, object], metadata).items():
        try:
            json.dumps(value)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"metadata {key!r} is {value!r}, which JSON cannot say", field="metadata") from error
        inner = list(cast(Mapping[object, object], value)) if isinstance(value, Mapping) else []
        if operators := [name for name in inner if isinstance(name, str) and _OPERATOR.fullmatch(name.strip())]:
            raise InvalidInput(
                f"metadata {key!r} asks for {operators[0]!r}; metadata is compared for equality alone",
                cure="Give the value itself; since and until compare times.",
                field="metadata",
            )


def _check_whole(name: str, value: object, low: int, high: int) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high):
        raise InvalidInput(f"{name} is {value!r}, not a whole number between {low:,} and {high:,}", field=name)


def _check_range(name: str, value: object, low: float, high: float) -> None:
    if value is not None and (not isinstance(value, int | float) or not low <= value <= high):
        raise InvalidInput(f"{name} is {value!r}, not between {low:g} and {high:g}", field=name)


def _aware(name: str, time_: object) -> datetime | None:
    if time_ is None:
        return None
    if not isinstance(time_, datetime):
        raise InvalidInput(f"{name} is {time_!r}, not a date and time", cure="Give a datetime.", field=name)
    return time_ if time_.tzinfo else time_.replace(tzinfo=UTC)
