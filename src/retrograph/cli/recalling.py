"""Commands that only read: search, get, explain, stats."""

from typing import Annotated, Any

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.output import hit_answer, jsonable, print_json, search_answer
from retrograph.cli.parsing import json_object, moment
from retrograph.cli.rendering import print_line, show_explanation, show_memory, show_search, show_stats
from retrograph.models import MemoryType, Source

NARROW = "What narrows it"
RANK = "How it is ranked and cut"

Limit = Annotated[
    int | None, typer.Option("--limit", "-n", help="Results, 1 to 1,000; default 5.", rich_help_panel=RANK)
]
Hops = Annotated[int | None, typer.Option(help="Hops of spreading activation, 0 to 3.", rich_help_panel=RANK)]
Preset = Annotated[str | None, typer.Option(help="Named weights of the blend.", rich_help_panel=RANK)]
MinScore = Annotated[float | None, typer.Option(help="Least relevance, 0 to 1.", rich_help_panel=RANK)]
Types = Annotated[
    list[MemoryType] | None,
    typer.Option("--type", metavar="TYPE", help="Only this type; may be repeated.", rich_help_panel=NARROW),
]
Domain = Annotated[str | None, typer.Option(help="Only this domain.", rich_help_panel=NARROW)]
Tags = Annotated[
    list[str] | None,
    typer.Option(
        "--tag",
        metavar="TAG",
        help="Only with this label; repeated: with all of them.",
        rich_help_panel=NARROW,
    ),
]
InSession = Annotated[str | None, typer.Option(help="Only of this session.", rich_help_panel=NARROW)]
From = Annotated[Source | None, typer.Option("--source", help="Only from this source.", rich_help_panel=NARROW)]
Since = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Happened at or after: 2026-05-03, 7d (ago).", rich_help_panel=NARROW),
]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Happened before.", rich_help_panel=NARROW)]
AsOf = Annotated[str | None, typer.Option(metavar="TIME", help="What was true and known then.", rich_help_panel=NARROW)]
Deep = Annotated[bool, typer.Option("--deep", help="The archive too.", rich_help_panel=NARROW)]

Metadata = Annotated[
    str | None,
    typer.Option(metavar="JSON", help="Equal on each of these top-level keys.", rich_help_panel=NARROW),
]
MaxTokens = Annotated[
    int | None, typer.Option(help="Most tokens of the whole answer, estimated.", rich_help_panel=RANK)
]


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    command(
        app,
        examples=[
            'retrograph search "where does rendering happen?"',
            'retrograph search "上周三决定了什么" --type decision --since 14d --explain',
            'retrograph search "billing" --as-of 2026-01-01 --json | jq -r ".results[].content"',
        ],
    )(search)
    command(app, examples=["retrograph get 01980f3e-8a4b-7c39-9f1e-2d5b6a7c8d9e --json"])(get)
    command(
        app,
        examples=['retrograph explain "where does rendering happen?" 01980f3e-8a4b-7c39-9f1e-2d5b6a7c8d9e'],
    )(explain)
    command(app, examples=["retrograph stats --bank team-x"])(stats)


def search(
    call: Call,
    query: Annotated[str, typer.Argument(help="Words or a question, in any language.")],
    limit: Limit = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show every term of each score.")] = False,
    text: Annotated[bool, typer.Option("--text", help="Print the block to put into a prompt instead.")] = False,
    types: Types = None,
    domain: Domain = None,
    tags: Tags = None,
    in_session: InSession = None,
    source: From = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    deep: Deep = False,
    metadata: Metadata = None,
    min_score: MinScore = None,
    max_tokens: MaxTokens = None,
    hops: Hops = None,
    preset: Preset = None,
    half_life_days: Annotated[
        float | None, typer.Option(help="Half-life of recency for this recall, days.", rich_help_panel=RANK)
    ] = None,
) -> None:
    """Recall what bears on a question.

    The best comes first, each with the path through the graph that brought it. With --json:
    {"results": [{"id", "content", "type", "relevance", "score", "path", …}], …}; --explain adds the terms of
    each score.
    """
    more = narrowed(
        call,
        types=types,
        domain=domain,
        tags=tags,
        in_session=in_session,
        source=source,
        since=since,
        until=until,
        as_of=as_of,
        deep=deep,
        metadata=metadata,
    )
    more |= _given(
        limit=limit,
        min_score=min_score,
        max_tokens=max_tokens,
        hops=hops,
        preset=preset,
        half_life_days=half_life_days,
        text=text or None,
    )
    with call.memory() as memory:
        result = memory.search(query, **more)
    if call.as_json:
        print_json(search_answer(result, with_terms=explain))
    elif text:
        print_line(result.text or "")
    else:
        show_search(result, timezone=call.settings.timezone, with_terms=explain)


def get(call: Call, id: Annotated[str, typer.Argument(help="The memory's id.")]) -> None:
    """Show one memory with all it is linked to."""
    with call.memory() as memory:
        detail = memory.get(id)
    if call.as_json:
        answer = jsonable(detail)
        print_json({**answer.pop("memory"), **answer})
    else:
        show_memory(detail, timezone=call.settings.timezone)


def explain(
    call: Call,
    query: Annotated[str, typer.Argument(help="The question.")],
    id: Annotated[str, typer.Argument(help="The memory asked about.")],
    limit: Limit = None,
    hops: Hops = None,
    preset: Preset = None,
    min_score: MinScore = None,
    types: Types = None,
    domain: Domain = None,
    tags: Tags = None,
    in_session: InSession = None,
    source: From = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    deep: Deep = False,
    metadata: Metadata = None,
    max_tokens: MaxTokens = None,
) -> None:
    """Say why a memory is, or is not, recalled.

    Shows each step of the recall and what it said of the memory, every term of its score, and its path.
    """
    more = narrowed(
        call,
        types=types,
        domain=domain,
        tags=tags,
        in_session=in_session,
        source=source,
        since=since,
        until=until,
        as_of=as_of,
        deep=deep,
        metadata=metadata,
    )
    more |= _given(limit=limit, hops=hops, preset=preset, min_score=min_score, max_tokens=max_tokens)
    with call.memory() as memory:
        explanation = memory.explain(query, id, **more)
    if call.as_json:
        answer = jsonable(explanation)
        print_json({**answer, "hit": hit_answer(explanation.hit, with_terms=True) if explanation.hit else None})
    else:
        show_explanation(explanation, timezone=call.settings.timezone)


def stats(call: Call) -> None:
    """Count what is in the bank, of what this identity may see."""
    with call.memory() as memory:
        counts = memory.stats()
    if call.as_json:
        print_json(jsonable(counts))
    else:
        show_stats(counts, timezone=call.settings.timezone)


def narrowed(
    call: Call,
    *,
    types: list[MemoryType] | None = None,
    domain: str | None = None,
    tags: list[str] | None = None,
    in_session: str | None = None,
    source: Source | None = None,
    since: str | None = None,
    until: str | None = None,
    as_of: str | None = None,
    deep: bool = False,
    metadata: str | None = None,
) -> dict[str, Any]:
    """What was given of a filter, as fields of `SearchFilter`.

    Raises:
        InvalidInput: A time or the metadata cannot be read.
    """
    zone = call.settings.timezone
    return _given(
        types=types or None,
        domain=domain,
        tags=tags or None,
        session=in_session,
        source=source,
        since=moment(since, option="since", timezone=zone),
        until=moment(until, option="until", timezone=zone),
        as_of=moment(as_of, option="as-of", timezone=zone),
        deep=deep or None,
        metadata=json_object(metadata, option="metadata"),
    )


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
