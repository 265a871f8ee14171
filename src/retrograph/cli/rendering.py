"""Answers as text for a person. Every text that comes from a memory goes through `visible`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from retrograph.cli.output import show, visible
from retrograph.models import (
    BankStats,
    BankUsage,
    Explanation,
    ForgetReport,
    Hit,
    IngestReport,
    LinkResult,
    MemoryDetail,
    Outcome,
    PathStep,
    SearchResult,
    Status,
    WriteResult,
)

if TYPE_CHECKING:
    from rich.text import Text

_CAPTION = 44


def show_write(result: WriteResult) -> None:
    """What became of a write, why, and what it was linked to."""
    good = (Outcome.STORED, Outcome.MERGED, Outcome.UNCHANGED)
    style = "green" if result.outcome in good else "yellow" if result.outcome is Outcome.BORDERLINE else "red"
    print_line((result.outcome.value, style), f"  {result.id or ''}".rstrip())
    rows = {
        "why": result.reason,
        "type": result.type.value if result.type else "",
        "entities": ", ".join(result.entities),
        "relations": "; ".join(result.relations),
        "replaces": ", ".join(result.superseded),
        "replaced by": result.superseded_by or "",
        "similar": ", ".join(result.similar),
        "flags": ", ".join(result.flags),
    }
    if result.scores:
        scores = result.scores
        rows["scores"] = (
            f"salience {scores.salience:.2f} (information {scores.information:.2f}, "
            f"novelty {scores.novelty:.2f}, future relevance {scores.future_relevance:.2f}, "
            f"emotion {scores.emotion:.2f}, explicit {scores.explicit:.2f}; decided by {scores.decided_by})"
        )
    show_rows(rows)
    if result.outcome is Outcome.BORDERLINE:
        print_line(("  not stored: add --force to store it all the same", "yellow"))


def show_search(result: SearchResult, *, timezone: str, with_terms: bool) -> None:
    """The hits, best first, each with its path."""
    if not result.hits:
        print_line(("nothing bears on this", "yellow"))
    for rank, hit in enumerate(result.hits, 1):
        show_hit(hit, rank=rank, timezone=timezone, with_terms=with_terms)
    if result.omitted:
        print_line((f"{result.omitted} more left out (--limit)", "dim"))


def show_hit(hit: Hit, *, rank: int | None = None, timezone: str, with_terms: bool = False) -> None:
    """One recalled memory, where and when it is from, and the path to it."""
    memory = hit.memory
    lead = f"{rank}. " if rank else ""
    said = f"{memory.speaker}: " if memory.speaker else ""
    print_line((lead, "bold"), (visible(said), "cyan"), visible(memory.content))
    marks = [
        f"relevance {hit.relevance:.2f}",
        memory.type.value,
        local(memory.occurred_at, timezone),
        *(["superseded"] if memory.status is Status.SUPERSEDED else []),
        *(["archived"] if memory.archived else []),
        memory.id,
    ]
    print_line((f"   {' · '.join(marks)}", "dim"))
    if len(hit.path) > 1:
        print_line(("   path  ", "dim"), path_line(hit.path))
    elif hit.seeds:
        print_line((f"   found by {', '.join(hit.seeds)}", "dim"))
    if with_terms:
        for term in hit.terms:
            print_line(
                (
                    f"   {term.name:<14} {term.weight:6.3f} × {term.value:6.3f} = {term.contribution:7.4f}",
                    "dim",
                )
            )


def path_line(path: Sequence[PathStep]) -> "Text":
    """The path as one line: `“memory” ─MENTIONS→ [entity] ─MENTIONS→ “memory”`."""
    from rich.text import Text

    line = Text()
    for step in path:
        if step.edge:
            line.append(f" ─{visible(step.edge)}→ ", style="dim")
        if step.kind == "entity":
            line.append(f"[{visible(step.name)}]", style="magenta")
        else:
            line.append(f"“{shortened(step.name)}”", style="green")
    return line


def show_memory(detail: MemoryDetail, *, timezone: str) -> None:
    """One memory with all it is linked to."""
    memory = detail.memory
    print_line((memory.content if memory.speaker is None else f"{memory.speaker}: {memory.content}", "bold"))
    experience = memory.experience
    rows = {
        "id": memory.id,
        "bank": memory.bank,
        "type": f"{memory.type.value} ({memory.layer.value})",
        "status": memory.status.value
        + (", archived" if memory.archived else "")
        + (", pinned" if memory.pinned else ""),
        "scope": memory.scope.value,
        "owner": ", ".join(f"{k} {v}" for k, v in (("user", memory.user), ("agent", memory.agent)) if v),
        "session": memory.session or "",
        "summary": memory.summary or "",
        "domain": memory.domain or "",
        "tags": ", ".join(memory.tags),
        "happened": span(memory.occurred_at, memory.occurred_until, timezone),
        "true": span(memory.valid_from, memory.valid_until, timezone),
        "written": local(memory.created_at, timezone),
        "expires": local(memory.expires_at, timezone),
        "importance": f"{memory.importance:.2f}",
        "confidence": f"{memory.confidence:.2f} ({memory.source.value})",
        "recalled": f"{memory.access_count} times" if memory.access_count else "",
        "problem": experience.problem if experience else "",
        "root cause": experience.root_cause if experience else "",
        "solution": experience.solution if experience else "",
        "metadata": str(dict(memory.metadata)) if memory.metadata else "",
        "entities": ", ".join(f"{entity.name} ({entity.type.value})" for entity in detail.entities),
        "relations": "; ".join(
            f"{r.subject} {'not ' if r.negated else ''}{r.predicate} {r.object}" for r in detail.relations
        ),
        "links": "; ".join(f"{'→' if link.direction == 'out' else '←'} {link.type} {link.id}" for link in detail.links),
        "replaces": ", ".join(detail.supersedes),
        "replaced by": ", ".join(detail.superseded_by),
    }
    show_rows(rows)


def show_explanation(explanation: Explanation, *, timezone: str) -> None:
    """Why a memory was, or was not, recalled."""
    style = "green" if explanation.found else "yellow"
    place = f"recalled, rank {explanation.rank}" if explanation.found else "not recalled"
    print_line((place, style))
    print_line(f"  {visible(explanation.verdict)}")
    for step in explanation.steps:
        print_line((f"  - {visible(step)}", "dim"))
    if explanation.hit:
        show_hit(explanation.hit, timezone=timezone, with_terms=True)
    if explanation.cypher:
        print_line(("  To see it, paste this into Neo4j Browser (retrograph engine browser):", "dim"))
        print_line(f"  {visible(explanation.cypher)}")


def show_ingest(report: IngestReport) -> None:
    """How many turns ended how."""
    rate = report.total / report.seconds if report.seconds > 0 else 0.0
    print_line(
        (f"{report.stored} stored", "green"),
        f" of {report.total} turns in {report.seconds:.1f} s ({rate:.0f}/s)",
    )
    counts = {
        "merged with what was known": report.merged,
        "there already": report.unchanged,
        "borderline, not stored": report.borderline,
        "refused": report.refused,
        "put aside for review": report.quarantined,
    }
    show_rows({name: str(count) for name, count in counts.items() if count})


def show_forget(report: ForgetReport) -> None:
    """What was forgotten, or would be."""
    verb = ("delete" if report.hard else "archive") if report.dry_run else ("deleted" if report.hard else "archived")
    along = f", and {report.entities} entities that nothing else mentions" if report.entities else ""
    print_line(f"{'would ' if report.dry_run else ''}{verb}: {report.count} memories{along}")
    for memory_id in report.ids:
        print_line(f"  {memory_id}")
    if report.count > len(report.ids):
        print_line((f"  … and {report.count - len(report.ids)} more", "dim"))


def show_link(result: LinkResult) -> None:
    """A link that now exists."""
    state = "linked" if result.created else "was linked already"
    print_line(f"{state}: {result.from_id} ─{visible(result.type)}→ {result.to_id} (strength {result.strength:g})")


def show_stats(stats: BankStats, *, timezone: str) -> None:
    """Counts of a bank."""
    print_line(("bank ", "dim"), (visible(stats.bank), "bold"))
    show_rows(
        {
            "memories": str(stats.memories),
            "by type": ", ".join(f"{name} {count}" for name, count in stats.by_type.items()),
            "by status": ", ".join(f"{name} {count}" for name, count in stats.by_status.items()),
            "archived": str(stats.archived),
            "entities": str(stats.entities),
            "sessions": str(stats.sessions),
            "encoder": stats.encoder or "none yet",
            "from": local(stats.oldest_at, timezone),
            "to": local(stats.newest_at, timezone),
            "ever recalled": _share(stats.utilisation),
            "searches": _searches(stats.usage),
            "hits that helped": _share(stats.usage.use_rate),
            "writes": ", ".join(f"{name} {count}" for name, count in _writes(stats.usage).items() if count),
        }
    )


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"


def _searches(usage: BankUsage) -> str:
    if not usage.searches:
        return ""
    return f"{usage.searches}, {_share(usage.hit_rate)} with hits, {usage.mean_search_ms:.0f} ms on average"


def _writes(usage: BankUsage) -> dict[str, int]:
    return {outcome.value: getattr(usage, outcome.value) for outcome in Outcome}


def show_rows(rows: Mapping[str, str]) -> None:
    """Name and value, a line each; an empty value is left out."""
    width = max((len(name) for name, value in rows.items() if value), default=0)
    for name, value in rows.items():
        if value:
            print_line((f"  {name:<{width}}  ", "dim"), visible(value))


def print_line(*parts: "str | tuple[str, str] | Text") -> None:
    """One line on stdout; a part is text, text with a style, or rich text."""
    from rich.text import Text

    line = Text()
    for part in parts:
        line.append_text(part) if isinstance(part, Text) else line.append(*((part,) if isinstance(part, str) else part))
    show(line)


def shortened(text: str, width: int = _CAPTION) -> str:
    """The text on one line, cut to `width` characters."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= width else f"{flat[: width - 1].rstrip()}…"


def local(instant: datetime | None, timezone: str) -> str:
    """An instant in the reader's time zone; "" for None."""
    if instant is None:
        return ""
    return instant.astimezone(ZoneInfo(timezone)).strftime("%Y-%m-%d %H:%M %Z")


def span(start: datetime | None, end: datetime | None, timezone: str) -> str:
    """A span of time; an open end is left open, "" where both are."""
    if start is None and end is None:
        return ""
    if end is None:
        return local(start, timezone)
    return f"{local(start, timezone)} … {local(end, timezone)}"
