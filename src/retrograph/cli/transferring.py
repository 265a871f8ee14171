"""Commands that move a bank: export, import, reembed, move."""

import os
import sys
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.output import jsonable, print_json, progress, remark
from retrograph.cli.rendering import print_line, show_rows
from retrograph.errors import InvalidInput

if TYPE_CHECKING:
    from retrograph.graph import Graph
    from retrograph.settings import Settings


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    command(
        app,
        name="export",
        examples=["retrograph export bank.jsonl", "retrograph export - --no-vectors | gzip > bank.jsonl.gz"],
    )(export_)
    command(
        app,
        name="import",
        examples=[
            "retrograph import bank.jsonl --dry-run",
            "retrograph import bank.jsonl --into team-x",
            "retrograph import bank.jsonl --set uri=neo4j://db.example:7687",
        ],
    )(import_)
    command(
        app,
        examples=["RETROGRAPH_ENCODER=sentence-transformers:BAAI/bge-m3 retrograph reembed --bank default"],
    )(reembed)
    command(
        app,
        examples=[
            "retrograph move --bank team-x --to new.toml --dry-run",
            "retrograph move --bank team-x --to new.toml",
            "retrograph move --bank team-x --to new.toml --remove-old",
        ],
    )(move)


def export_(
    call: Call,
    file: Annotated[str, typer.Argument(help="Where to; - writes to stdout.")],
    vectors: Annotated[bool, typer.Option("--vectors/--no-vectors", help="With the vectors: 2 KB a memory.")] = True,
    audit: Annotated[bool, typer.Option("--audit", help="With the audit.")] = False,
) -> None:
    """Write everything of the bank into a file: memories, archive, entities, relations, versions, vectors.

    The bank can be used meanwhile. The file is there whole or not at all. `import` puts it back, here or elsewhere.
    """
    from retrograph.transfer import export_bank

    with _graph(call) as graph, progress("export") as update:
        bank = call.settings.bank
        if file == "-":
            report = export_bank(graph, bank, sys.stdout, vectors=vectors, audit=audit)
            remark(f"{sum(report.nodes.values()):,} nodes")
            return
        target = Path(file)
        # A name of its own until it is whole, so that a killed export leaves no half file behind under this one.
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        try:
            with partial.open("w", encoding="utf-8", newline="\n") as out:
                report = export_bank(
                    graph, bank, out, vectors=vectors, audit=audit, progress=lambda done: update(done, None)
                )
                out.flush()
                os.fsync(out.fileno())
            partial.replace(target)
        except OSError as error:
            raise InvalidInput(f"{target} cannot be written: {error.strerror}", field="file") from error
        finally:
            partial.unlink(missing_ok=True)
    if call.as_json:
        print_json(jsonable(report))
        return
    print_line(f"exported bank {report.bank!r} to {file}")
    show_rows({"nodes": _counted(report.nodes), "edges": _counted(report.edges), "vectors": f"{report.vectors:,}"})


def import_(
    call: Call,
    file: Annotated[str, typer.Argument(help="What `export` wrote; - reads stdin.")],
    into: Annotated[str | None, typer.Option(help="The bank to put it into; default: the name in the file.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the file and count, write nothing.")] = False,
) -> None:
    """Put an export into a bank.

    The whole file is checked before anything is written. Doing it again, also after an interruption, stores nothing
    twice; what the bank has already stays as it is. A memory without a vector of the encoder that the settings name
    is encoded anew.
    """
    from retrograph.transfer import import_bank

    with _whole(file) as path, _graph(call) as graph, progress("import") as update:
        report = import_bank(
            graph,
            path,
            bank=into or call.given.get("bank"),
            encoder=call.parts.open_encoder(call.settings),
            timezone=ZoneInfo(call.settings.timezone),
            dry_run=dry_run,
            progress=update,
        )
    if call.as_json:
        print_json(jsonable(report))
        return
    print_line(f"{'would import' if dry_run else 'imported'} bank {report.from_bank!r} into {report.bank!r}")
    show_rows(
        {
            "new": _counted(report.created),
            "there already": _counted(report.unchanged),
            "same words": f"{report.merged:,} memories" if report.merged else "",
            "edges": f"{report.edges:,}" if not dry_run else "",
            "encoded": f"{report.encoded:,}" if report.encoded else "",
        }
    )


def reembed(
    call: Call,
    keep_old: Annotated[bool, typer.Option("--keep-old", help="Leave the former vectors for now.")] = False,
    wait: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Wait so long for another process that re-embeds the bank.")
    ] = 0,
) -> None:
    """Move the bank to the encoder that the settings name.

    Recall goes on all the while, in the old space until the new one is whole. A killed run goes on where it stopped,
    a minute after the kill: until then it counts as at work (--wait 90 waits for that).
    Other processes need the new RETROGRAPH_ENCODER once it is done: until then they are told so.
    """
    from retrograph.transfer import reembed_bank

    with _graph(call) as graph, progress("reembed") as update:
        encoder = call.parts.open_encoder(call.settings)
        report = reembed_bank(graph, call.settings.bank, encoder, keep_old=keep_old, wait_s=wait, progress=update)
    if call.as_json:
        print_json(jsonable(report))
        return
    if report.was == report.encoder and not report.removed:
        print_line(f"bank {report.bank!r} has the encoder {report.encoder!r} already: nothing to do")
        return
    print_line(f"bank {report.bank!r} has the encoder {report.encoder!r} now")
    show_rows({"encoded": f"{report.encoded:,}", "former vectors removed": f"{report.removed:,}"})


def move(
    call: Call,
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="Settings that say where the bank is to live.")],
    hold: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Do not move where writes would be held for longer.")
    ] = 60,
    wait: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Wait so long for another process that moves the bank.")
    ] = 0,
    remove_old: Annotated[
        bool, typer.Option("--remove-old", help="Remove what is left where the bank lived, once it has moved.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; count what would be moved.")] = False,
) -> None:
    """Move the bank to another database while it is read and written.

    It is copied in rounds until little changes between two, then its writes wait for one last round and the bank is
    switched. Processes with the settings from before are told so when they write. A move that was killed leaves the
    bank where it was; run it again and it goes on. Jobs and the audit go along.
    """
    from retrograph.settings import Settings
    from retrograph.transfer import Place, move_bank

    bank = call.settings.bank
    target = Settings.load(to, bank=bank)
    with _graph(call) as here, _graph_of(call, target, migrates=not dry_run) as there, progress("move") as update:
        report = move_bank(
            Place(here, _address(here)),
            Place(there, _address(there)),
            bank,
            hold_s=hold,
            wait_s=wait,
            remove_old=remove_old,
            dry_run=dry_run,
            progress=lambda _, done: update(done, None),
        )
    if call.as_json:
        print_json(jsonable(report))
        return
    if dry_run:
        print_line(f"would move bank {bank!r} from {report.moved_from} to {report.moved_to}; nothing was written")
    elif report.rounds:
        print_line(f"moved bank {bank!r} from {report.moved_from} to {report.moved_to}")
    else:
        print_line(f"bank {bank!r} lives at {report.moved_to} already")
    show_rows(
        {
            "nodes": f"{report.nodes:,}",
            "edges": f"{report.edges:,}",
            "jobs": f"{report.jobs:,}" if report.jobs else "",
            "rounds": f"{report.rounds}, {report.copied:,} nodes copied" if report.rounds else "",
            "writes held": f"{report.held_s:.1f} s" if report.rounds else "",
            "removed": f"{report.removed:,} nodes at {report.moved_from}" if report.removed else "",
        }
    )
    if report.rounds:
        remark(f"Start the processes that use the bank with the settings of {to} now.")


def _address(graph: "Graph") -> str:
    at = graph.connection
    return f"{at.uri}/{at.database}" if at.database else at.uri


def _graph(call: Call) -> "AbstractContextManager[Graph]":
    return _graph_of(call, call.settings)


@contextmanager
def _graph_of(call: Call, settings: "Settings", *, migrates: bool = True) -> "Generator[Graph]":
    from retrograph.cli.connecting import held
    from retrograph.graph import migrate

    engine = call.parts.open_engine(settings)
    with held(settings, engine), call.parts.open_graph(settings, engine) as graph:
        if migrates:
            migrate(graph)
        yield graph


@contextmanager
def _whole(file: str) -> Generator[Path]:
    """The file, or all of stdin in one of its own: it is read more than once."""
    if file != "-":
        path = Path(file)
        if not path.is_file():
            raise InvalidInput(f"there is no file {file}", field="file")
        yield path
        return
    with NamedTemporaryFile("wb", suffix=".jsonl", delete=False) as spool:
        while chunk := sys.stdin.buffer.read(1 << 20):
            spool.write(chunk)
    try:
        yield Path(spool.name)
    finally:
        Path(spool.name).unlink(missing_ok=True)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items()) or "none"
