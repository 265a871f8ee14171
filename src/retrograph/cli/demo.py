"""`retrograph demo`: from nothing to a recall that follows the links of a graph, in one command."""

import time
from typing import TYPE_CHECKING, Any

from retrograph.cli.demo_story import QUESTIONS, Question, story
from retrograph.cli.engines import drawing_query, fetch
from retrograph.cli.output import jsonable, print_json, progress, remark, search_answer
from retrograph.cli.rendering import path_line, print_line, shortened
from retrograph.models import Hit, IngestReport, SearchResult

if TYPE_CHECKING:
    from retrograph.cli.calling import Call
    from retrograph.memory import Memory

_SHOWN = 3


def run_demo(call: "Call") -> None:
    """Installs and starts the engine where need be, tells the story, asks the questions, shows the answers.

    Args:
        call: The call; its bank is `demo`.

    Raises:
        RetrographError: The engine could not be installed or started, or the database failed.
    """
    settings = call.settings
    engine = None if settings.uri else call.engine()
    if engine and not engine.is_installed():
        remark("Neo4j is not installed yet: fetching it once, about 170 MB …")
        fetch(engine)
    remark("Starting Neo4j and loading the models …")
    started = time.perf_counter()
    with call.memory() as memory:
        memory.warm()
        ready_s = time.perf_counter() - started
        turns = story()
        with progress("tell the story", total=len(turns)) as update:
            report = memory.ingest(turns, progress=lambda done: update(done, None))
        answers = [(question, memory.search(question.text, limit=5)) for question in QUESTIONS]
        address = engine.start() if engine else None
        if engine:
            engine.show_bank(settings.bank)
        link = f"{address.http_url}/browser/" if address else None
        if call.as_json:
            print_json(_answer(report, answers, link=link, query=drawing_query(settings.bank), ready_s=ready_s))
            return
        _show_story(memory, report, ready_s=ready_s)
    for question, result in answers:
        _show_answer(question, result)
    _show_ending(link, drawing_query(settings.bank))


def _answer(
    report: IngestReport,
    answers: list[tuple[Question, SearchResult]],
    *,
    link: str | None,
    query: str,
    ready_s: float,
) -> dict[str, Any]:
    return {
        "ready_s": round(ready_s, 2),
        "ingest": jsonable(report),
        "questions": [
            {**search_answer(result, with_terms=False), "by_links": question.by_links} for question, result in answers
        ],
        "browser": link,
        "browser_query": query,
    }


def _show_story(memory: "Memory", report: IngestReport, *, ready_s: float) -> None:
    stats = memory.stats()
    print_line()
    print_line(("Retrograph", "bold"), f": ready after {ready_s:.1f} s")
    told = f"{report.stored} memories stored in {report.seconds:.1f} s" if report.stored else "told before, nothing new"
    print_line(f"The story: {told}. Bank demo holds {stats.memories} memories and {stats.entities} entities.")


def _show_answer(question: Question, result: SearchResult) -> None:
    print_line()
    print_line(("? ", "bold cyan"), (question.text, "bold"))
    for hit in result.hits[:_SHOWN]:
        _show_hit(hit)


def _show_hit(hit: Hit) -> None:
    memory = hit.memory
    said = f"{memory.speaker}: " if memory.speaker else ""
    marks = f"   {hit.relevance:.2f} · {memory.occurred_at:%d %b %Y}"
    print_line("  ", (said, "cyan"), shortened(memory.content, 200), (marks, "dim"))
    if len(hit.path) > 1:
        print_line(("      ", "dim"), path_line(hit.path))


def _show_ending(link: str | None, query: str) -> None:
    print_line()
    if link is None:
        print_line("See the graph: open Neo4j Browser at your database and run")
    else:
        print_line("See the graph in Neo4j Browser: ", (link, "bold"))
        print_line("  sign in as neo4j (password: retrograph engine browser --bank demo --show-password) and run")
    print_line((f"  {query}", "green"))
    print_line("Ask on: ", ('retrograph search --bank demo "…"', "bold"))
