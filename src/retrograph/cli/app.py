"""The command line put together, and the one place where an error becomes an exit code.

Nothing here, and nothing that the command modules import at their top, loads settings, the database driver, a
language model or the MCP framework: `retrograph --help` must answer at once.
"""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.main import get_command

from retrograph import __version__
from retrograph.cli import (
    configuring,
    consolidating,
    curating,
    engines,
    evaluating,
    guarding,
    keeping,
    learning,
    recalling,
    running,
    transferring,
    using,
    writing,
)
from retrograph.cli.calling import Parts
from retrograph.cli.failures import INTERRUPTED, report, report_usage
from retrograph.cli.rendering import print_line
from retrograph.errors import RetrographError

_HELP = """Long-term memory for AI agents: a graph of what was lived through, recalled along its links.

Data goes to stdout, everything else to stderr; --json makes the data JSON.
Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 engine not reachable, 130 interrupted.
"""
_EPILOG = """\b
Begin with:
  retrograph demo
  retrograph write "Remember that Ada prefers tea."
  retrograph search "what does Ada drink?"
"""


def build() -> typer.Typer:
    """The application with all its commands."""
    app = typer.Typer(
        name="retrograph",
        help=_HELP,
        epilog=_EPILOG,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    running.add_first_commands(app)
    writing.add_commands(app)
    recalling.add_commands(app)
    using.add_commands(app)
    curating.add_commands(app)
    evaluating.add_commands(app)
    keeping.add_commands(app)
    learning.add_commands(app)
    transferring.add_commands(app)
    consolidating.add_commands(app)
    guarding.add_commands(app)
    engines.add_commands(app)
    configuring.add_commands(app)
    running.add_commands(app)
    return app


def run(arguments: Sequence[str], *, parts: Parts | None = None) -> int:
    """Runs one command.

    Args:
        arguments: What follows `retrograph`.
        parts: What the commands work with; default: the real things.

    Returns:
        The exit code.
    """
    as_json = "--json" in list(arguments)[: _end_of_options(arguments)]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # A test's stream may have no such method.
            # What a terminal's encoding has no letter for is shown as its number, not an error.
            stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    try:
        code = get_command(build())(
            args=list(arguments), prog_name="retrograph", standalone_mode=False, obj=parts or Parts()
        )
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        if _came_of_an_interrupt(error):
            return INTERRUPTED
        if isinstance(error, RetrographError):
            return report(error, as_json=as_json)
        if isinstance(error, typer.TyperException):
            return report_usage(error, as_json=as_json)
        raise
    return code if isinstance(code, int) else 0


def _came_of_an_interrupt(error: BaseException) -> bool:
    """Whether the interrupt met a library half-way, which then failed at its own cleaning up."""
    before = error.__cause__ or error.__context__
    return before is not None and (isinstance(before, KeyboardInterrupt) or _came_of_an_interrupt(before))


def _end_of_options(arguments: Sequence[str]) -> int:
    return list(arguments).index("--") if "--" in arguments else len(arguments)


def _tell_version(asked: bool) -> None:
    if asked:
        print_line(__version__)
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Print the version and exit.")
    ] = False,
) -> None:
    pass
