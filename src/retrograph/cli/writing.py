"""Commands that put something in: write, ingest."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.keeping import show_job
from retrograph.cli.output import jsonable, print_json, progress, remark
from retrograph.cli.parsing import entity, experience, json_object, moment, relation
from retrograph.cli.rendering import print_line, shortened, show_ingest, show_write
from retrograph.cli.sources import BadTurn, Format, Opened, open_bytes, open_source
from retrograph.errors import InvalidInput
from retrograph.models import MemoryType, Outcome, Scope, Source, Turn, WriteResult

_LISTED = 10


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    command(
        app,
        examples=[
            'retrograph write "Remember that the render queue runs on rig7."',
            'retrograph write "Ada moved to Lisbon" --occurred-at 2026-03-01 --entity Ada:person',
            "git log -1 --format=%B | retrograph write - --domain releases --source tool",
        ],
    )(write)
    command(
        app,
        examples=[
            "retrograph ingest conversations.json --user ada",
            "retrograph ingest notes.md --domain billing --dry-run",
            "tail -n 100 turns.jsonl | retrograph ingest - --format jsonl",
        ],
    )(ingest)


def write(
    call: Call,
    text: Annotated[str, typer.Argument(help="The statement; - reads it from stdin. Begins with -: put -- before it.")],
    force: Annotated[bool, typer.Option("--force", help="Store it whatever the gate says.")] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit 1 where it was not stored (refused, borderline, set aside)."),
    ] = False,
    type: Annotated[MemoryType | None, typer.Option(help="What kind it is; default: proposed.")] = None,
    summary: Annotated[str | None, typer.Option(help="A short form to show.")] = None,
    domain: Annotated[str | None, typer.Option(help="The field or task type it serves.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A label to filter by; may be repeated.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1; default: proposed.")] = None,
    confidence: Annotated[float | None, typer.Option(help="0 to 1; default: the source's.")] = None,
    source: Annotated[Source, typer.Option(help="Who it comes from.")] = Source.USER,
    scope: Annotated[Scope | None, typer.Option(help="Who may recall it.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Who said it.")] = None,
    occurred_at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="When it happened: 2026-05-03, 2026-05-03T10:00+08:00, 2d (ago)."),
    ] = None,
    occurred_until: Annotated[str | None, typer.Option(metavar="TIME", help="When it ended.")] = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="Since when it is true.")] = None,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME", help="Until when it is true.")] = None,
    expires_at: Annotated[
        str | None, typer.Option(metavar="TIME", help="When to forget it; 30d is in thirty days.")
    ] = None,
    half_life_days: Annotated[float | None, typer.Option(help="Half-life of its recency, days.")] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Never decays, never expires.")] = False,
    entities: Annotated[
        list[str] | None,
        typer.Option("--entity", metavar="NAME:TYPE", help="What it speaks of; may be repeated."),
    ] = None,
    relations: Annotated[
        list[str] | None,
        typer.Option("--relation", metavar="S|P|O", help="'Ada|works at|Initech'; may be repeated."),
    ] = None,
    lesson: Annotated[
        str | None,
        typer.Option(
            "--experience", metavar="JSON", help="A lesson: problem, root_cause, solution, verified, outcome."
        ),
    ] = None,
    metadata: Annotated[str | None, typer.Option(metavar="JSON", help="Anything, as a JSON object.")] = None,
) -> None:
    """Store one statement, or say why not.

    The write gate refuses greetings, acknowledgements and repeats. A refusal is an answer: the command exits
    0 and says so, with the scores; --strict makes it exit 1.
    """
    zone = call.settings.timezone
    with call.memory() as memory:
        result = memory.write(
            _piped() if text == "-" else text,
            type=type,
            summary=summary,
            domain=domain,
            tags=tag or (),
            importance=importance,
            confidence=confidence,
            source=source,
            scope=scope,
            speaker=speaker,
            occurred_at=moment(occurred_at, option="occurred-at", timezone=zone),
            occurred_until=moment(occurred_until, option="occurred-until", timezone=zone),
            valid_from=moment(valid_from, option="valid-from", timezone=zone),
            valid_until=moment(valid_until, option="valid-until", timezone=zone, ahead=True),
            expires_at=moment(expires_at, option="expires-at", timezone=zone, ahead=True),
            half_life_days=half_life_days,
            pinned=pinned,
            entities=[entity(item) for item in entities or ()],
            relations=[relation(item) for item in relations or ()],
            experience=experience(lesson),
            metadata=json_object(metadata, option="metadata"),
            force=force,
        )
    if call.as_json:
        print_json(jsonable(result))
    else:
        show_write(result)
    if strict and result.outcome in (Outcome.BORDERLINE, Outcome.REFUSED, Outcome.QUARANTINED):
        raise typer.Exit(1)


def ingest(
    call: Call,
    file: Annotated[Path, typer.Argument(help="The file; - reads stdin.", allow_dash=True)],
    format: Annotated[Format | None, typer.Option(help="Its form; default: told by its content.")] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out what cannot be read, and go on.")] = False,
    gate: Annotated[bool, typer.Option("--gate", help="Let the write gate refuse greetings and the like.")] = False,
    scope: Annotated[Scope | None, typer.Option(help="Who may recall them.")] = None,
    domain: Annotated[str | None, typer.Option(help="Domain of turns that name none.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A label for all of them; may be repeated.")] = None,
    batch_size: Annotated[int, typer.Option(min=1, max=1000, help="Turns a transaction.")] = 64,
    later: Annotated[
        bool, typer.Option("--later", help="Queue it as a job and answer at once; `jobs --run` or a server does it.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Store nothing; show what would become of each turn.")
    ] = False,
) -> None:
    """Store what is in a file.

    JSON lines, chat exports (ChatGPT, Claude, lists of messages), transcripts and notes are understood. The
    whole file is read once before anything is stored: a line that cannot be read is named, and nothing is
    stored unless --skip-bad is given. Doing it again, also after an interruption, stores nothing twice.
    """
    zone = call.settings.timezone
    source = (
        open_bytes(sys.stdin.buffer.read(), format=format, timezone=zone)
        if str(file) == "-"
        else open_source(file, format=format, timezone=zone)
    )
    total, bad = _looked_through(source, skip_bad=skip_bad)
    for item in bad[:_LISTED]:
        remark(f"left out: {item.place}: {item.reason}")
    if len(bad) > _LISTED:
        remark(f"left out: {len(bad) - _LISTED} more")
    labels = tuple(tag or ())
    if dry_run:
        turns = list(_labelled(source, domain=domain, tags=labels))
        told: list[tuple[Turn, WriteResult]] = []
        with call.memory() as memory, progress("look", total=total) as update:
            for pair in zip(turns, memory.preview(turns, scope=scope, force=not gate), strict=True):
                told.append(pair)
                update(len(told), None)
        _show_dry_run(call, source, told, bad)
        return
    if later:
        with call.memory() as memory:
            job = memory.ingest_later(
                _labelled(source, domain=domain, tags=labels), scope=scope, force=not gate, batch_size=batch_size
            )
        if call.as_json:
            print_json({**jsonable(job), "format": source.format.value, "left_out": len(bad)})
        else:
            show_job(job, zone)
        return
    with call.memory() as memory, progress("ingest", total=total) as update:
        report = memory.ingest(
            _labelled(source, domain=domain, tags=labels),
            scope=scope,
            force=not gate,
            batch_size=batch_size,
            progress=lambda done: update(done, None),
        )
    if call.as_json:
        print_json({**jsonable(report), "format": source.format.value, "left_out": len(bad)})
    else:
        show_ingest(report)


def _piped() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"stdin is not UTF-8 text (byte {error.start})", cure="Convert it with iconv first.", field="text"
        ) from None


def _looked_through(source: Opened, *, skip_bad: bool) -> tuple[int, list[BadTurn]]:
    total = 0
    bad: list[BadTurn] = []
    for item in source.read():
        if isinstance(item, Turn):
            total += 1
        elif skip_bad:
            bad.append(item)
        else:
            raise InvalidInput(
                f"{item.place}: {item.reason}; nothing was stored",
                cure="Mend it, or leave such out with --skip-bad.",
                field="file",
            )
    return total, bad


def _labelled(source: Opened, *, domain: str | None, tags: tuple[str, ...]) -> Iterator[Turn]:
    from dataclasses import replace

    for item in source.read():
        if isinstance(item, Turn):
            yield replace(item, domain=item.domain or domain, tags=(*item.tags, *tags))


def _show_dry_run(call: Call, source: Opened, told: list[tuple[Turn, WriteResult]], bad: list[BadTurn]) -> None:
    sample = [turn for turn, _ in told[:3]]
    outcomes = Counter(result.outcome for _, result in told)
    others = [(turn, result) for turn, result in told if result.outcome is not Outcome.STORED]
    if call.as_json:
        print_json(
            {
                "dry_run": True,
                "format": source.format.value,
                "total": len(told),
                "outcomes": {outcome.value: count for outcome, count in outcomes.items()},
                "not_stored": [
                    {"content": turn.content, "outcome": result.outcome.value, "reason": result.reason}
                    for turn, result in others
                ],
                "left_out": [{"place": item.place, "reason": item.reason} for item in bad],
                "sample": jsonable(sample),
            }
        )
        return
    print_line(f"{len(told)} turns ({source.format.value}); nothing was stored")
    print_line(f"would be {', '.join(f'{outcome.value}: {count}' for outcome, count in outcomes.most_common())}")
    for item in sample:
        print_line(f"  {f'{item.speaker}: ' if item.speaker else ''}{shortened(item.content, 100)}")
    for turn, result in others[:_LISTED]:
        print_line((result.outcome.value, "yellow"), f": {shortened(turn.content, 60)} ({result.reason})")
    if len(others) > _LISTED:
        print_line(f"and {len(others) - _LISTED} more")
