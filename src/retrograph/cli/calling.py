"""What all commands share: the options that say who is asking, and how an answer is given."""

import inspect
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec

import typer

from retrograph.cli.failures import stop_writing
from retrograph.errors import InvalidInput, RetrographError

if TYPE_CHECKING:
    from retrograph.consolidation import Consolidator
    from retrograph.encoders import Encoder
    from retrograph.engine import Engine
    from retrograph.graph import Graph
    from retrograph.memory import Memory
    from retrograph.settings import Settings

P = ParamSpec("P")

WHO = "Who is asking"
HOW = "How it answers"


def _open_memory(settings: "Settings") -> "Memory":
    from retrograph.memory import Memory

    return Memory(settings)


def _open_engine(settings: "Settings") -> "Engine":
    from retrograph.engine import Engine

    return Engine(settings.engine, data_dir=settings.data_dir, cache_dir=settings.cache_dir)


def _open_graph(settings: "Settings", engine: "Engine") -> "Graph":
    from retrograph.cli.connecting import open_graph

    return open_graph(settings, engine)


def _open_encoder(settings: "Settings") -> "Encoder":
    from retrograph.encoders import open_encoder

    key = settings.encoder_api_key
    return open_encoder(settings.encoder, api_key=key.get_secret_value() if key else None)


def _open_consolidators(
    memory: "Memory", *, trouble: "Callable[[str, RetrographError], None] | None" = None
) -> "list[Consolidator]":
    from retrograph.consolidation import Consolidator

    if trouble is None:
        return [Consolidator(memory.resources.graph, lambda: memory.resources.encoder, memory.settings)]
    made: list[Consolidator] = []
    for place in memory.resources.everywhere():
        try:
            made.append(Consolidator(place.graph, lambda at=place: at.encoder, memory.settings, name=place.name))
        except RetrographError as error:
            trouble(place.name, error)
    return made


def _load_models() -> None:
    from retrograph.extraction import Extractor

    Extractor().warm()


@dataclass(frozen=True, slots=True)
class Parts:
    """What the commands work with; tests hand in their own.

    Args:
        open_memory: Makes a memory from settings.
        open_engine: Makes the local engine's handle from settings.
        open_graph: Makes a handle on the database from settings and the local engine.
        open_encoder: Loads the encoder that the settings name.
        load_models: Loads the language models of the extraction.
        open_consolidators: Makes what consolidates a memory's bank; given `trouble`, one for each database, and it is
            told the names of those that do not answer.
    """

    open_memory: Callable[["Settings"], "Memory"] = _open_memory
    open_engine: Callable[["Settings"], "Engine"] = _open_engine
    open_graph: Callable[["Settings", "Engine"], "Graph"] = _open_graph
    open_encoder: Callable[["Settings"], "Encoder"] = _open_encoder
    load_models: Callable[[], None] = _load_models
    open_consolidators: "Callable[..., list[Consolidator]]" = _open_consolidators


class Call:
    """One call of a command: the settings it runs with and the way it answers.

    Args:
        parts: What to work with.
        config: The settings file that was named, or None.
        given: Settings given as options, by dotted name.
        as_json: Answer in JSON.
        verbosity: 0, 1 (-v) or 2 (-vv).
    """

    def __init__(
        self, parts: Parts, *, config: Path | None, given: dict[str, Any], as_json: bool, verbosity: int
    ) -> None:
        self.parts = parts
        self.config = config
        self.given = given
        self.as_json = as_json
        self.verbosity = verbosity

    @cached_property
    def settings(self) -> "Settings":
        """All settings, with this call's options over the rest. Sets up logging by them.

        Raises:
            SettingsError: A setting cannot work.
        """
        import logging

        from retrograph.settings import Settings

        settings = Settings.load(self.config, **self.given)
        level = ("debug" if self.verbosity > 1 else "info") if self.verbosity else settings.log_level
        logging.basicConfig(
            stream=sys.stderr, level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
        )
        if level == "warning":
            # The driver warns of each attempt to connect again; what comes of it is told as an error or not at all.
            logging.getLogger("neo4j").setLevel(logging.ERROR)
        return settings

    @contextmanager
    def memory(self) -> Generator["Memory"]:
        """The memory that the settings name, closed afterwards."""
        memory = self.parts.open_memory(self.settings)
        try:
            yield memory
        finally:
            memory.close()

    def engine(self) -> "Engine":
        """The local engine that the settings name."""
        return self.parts.open_engine(self.settings)


def _shared(
    bank: Annotated[
        str | None,
        typer.Option(help="The isolated memory space. [env: RETROGRAPH_BANK]", rich_help_panel=WHO),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(help="The agent on whose behalf. [env: RETROGRAPH_AGENT]", rich_help_panel=WHO),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="The person on whose behalf. [env: RETROGRAPH_USER]", rich_help_panel=WHO),
    ] = None,
    team: Annotated[
        str | None,
        typer.Option(help="Whose team memories are shared. [env: RETROGRAPH_TEAM]", rich_help_panel=WHO),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(help="The conversation or task run. [env: RETROGRAPH_SESSION]", rich_help_panel=WHO),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.", rich_help_panel=HOW)] = False,
    config: Annotated[
        Path | None, typer.Option(help="Settings file. [env: RETROGRAPH_CONFIG]", rich_help_panel=HOW)
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any setting: --set recall.hops=2", rich_help_panel=HOW),
    ] = None,
    verbose: Annotated[
        int, typer.Option("--verbose", "-v", count=True, help="Log more (-vv: most).", rich_help_panel=HOW)
    ] = 0,
) -> None: ...


_SHARED = tuple(inspect.signature(_shared).parameters.values())


def group(name: str, *, help: str) -> typer.Typer:
    """A command that has commands of its own; without one of them it shows its help."""
    return typer.Typer(
        name=name,
        help=help,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def command(
    app: typer.Typer, *, examples: Sequence[str], name: str | None = None
) -> Callable[[Callable[Concatenate[Call, P], None]], Callable[Concatenate[Call, P], None]]:
    """Registers a function as a command that also takes the options all commands share.

    Args:
        app: Where to register it.
        examples: Command lines that show its use; the help ends with them.
        name: The command's name; default: the function's.
    """

    def register(function: Callable[Concatenate[Call, P], None]) -> Callable[Concatenate[Call, P], None]:
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        ]

        def run(ctx: typer.Context, **given: Any) -> None:
            shared = {parameter.name: given.pop(parameter.name) for parameter in _SHARED}
            try:
                function(_call(ctx.obj, **shared), *(), **given)  # pyright: ignore[reportCallIssue]
                sys.stdout.flush()
            except BrokenPipeError:
                raise typer.Exit(stop_writing()) from None

        context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
        shared = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in _SHARED]
        signature = inspect.Signature([context, *own, *shared])
        run.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in signature.parameters.values()}
        run.__doc__ = function.__doc__
        shown = "\n".join(f"  {example}" for example in examples)
        epilog = f"\b\n{'Example' if len(examples) == 1 else 'Examples'}:\n{shown}"
        app.command(name or function.__name__.replace("_", "-"), epilog=epilog)(run)
        return function

    return register


def _call(
    parts: Parts,
    *,
    as_json: bool,
    config: Path | None,
    setting: list[str] | None,
    verbose: int,
    **who: str | None,
) -> Call:
    given: dict[str, Any] = {name: value for name, value in who.items() if value is not None}
    for assignment in setting or ():
        name, equals, value = assignment.partition("=")
        if not equals or not name.strip():
            raise InvalidInput(
                f"--set takes NAME=VALUE, not {assignment!r}", cure="Write --set recall.hops=2.", field="set"
            )
        given[name.strip()] = value
    return Call(parts, config=config, given=given, as_json=as_json, verbosity=verbose)
