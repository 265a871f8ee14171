"""Commands that look after what is stored: versions, entities, review, jobs."""

from typing import Annotated, Any

import typer

from retrograph.cli.calling import Call, command
from retrograph.cli.consolidating import undo_consolidation
from retrograph.cli.output import jsonable, print_json, progress, remark
from retrograph.cli.parsing import json_object, moment
from retrograph.cli.rendering import local, print_line, shortened, show_rows, show_write, visible
from retrograph.errors import InvalidInput
from retrograph.models import EntityDetail, JobState, JobView, MemoryVersion, Scope

Id = Annotated[str, typer.Argument(metavar="ID", help="The memory's id.")]
Most = Annotated[int, typer.Option("--limit", min=1, max=1000, help="Most entries of each list.")]


def add_commands(app: typer.Typer) -> None:
    """Registers the commands of this module."""
    command(app, examples=["retrograph history 01980f3e-…"])(history)
    command(
        app,
        examples=[
            'retrograph update 01980f3e-… "The render queue runs on gpu1."',
            "retrograph update 01980f3e-… --tag infra --importance 0.9 --clear expires_at",
        ],
    )(update)
    command(app, examples=["retrograph undo 01980f41-… 01980f3e-…", "retrograph undo 01980f52-…"])(undo)
    command(app, examples=["retrograph restore 01980f3e-…"])(restore)
    command(
        app,
        examples=[
            "retrograph review",
            "retrograph review 01980f3e-… --approve",
            "retrograph review 01980f3e-… --reject",
        ],
    )(review)
    command(app, examples=['retrograph entity "Robert Chen"', "retrograph entity 李建国 --limit 3"])(entity)
    command(app, examples=["retrograph candidates"])(candidates)
    command(
        app,
        examples=[
            'retrograph merge Bob "Robert Chen" --reason "a nickname"',
            'retrograph merge Bob "Robert Chen" --undo',
        ],
    )(merge)
    command(
        app,
        examples=["retrograph jobs", "retrograph jobs --run", "retrograph jobs 01980f3e-… --cancel"],
    )(jobs)


def history(call: Call, id: Id) -> None:
    """Show the chain of versions that a memory stands in, oldest first."""
    with call.memory() as memory:
        versions = memory.history(id)
    if call.as_json:
        print_json([_version(version) for version in versions])
        return
    zone = call.settings.timezone
    for version in versions:
        record = version.memory
        print_line((f"{record.version}. ", "bold"), visible(record.content))
        end = f" … {local(version.superseded_at, zone)}" if version.superseded_at else ""
        marks = [record.status.value, f"{local(record.occurred_at, zone)}{end}", record.id]
        print_line((f"   {' · '.join(marks)}", "dim"))
        if version.reason:
            print_line((f"   replaced: {visible(version.reason)}", "dim"))


def update(
    call: Call,
    id: Id,
    text: Annotated[str | None, typer.Argument(help="The new words; without them only fields change.")] = None,
    occurred_at: Annotated[str | None, typer.Option(metavar="TIME", help="Since when the new words hold.")] = None,
    summary: Annotated[str | None, typer.Option(help="A short form to show.")] = None,
    domain: Annotated[str | None, typer.Option(help="The field or task type it serves.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A label, instead of those it has; may be repeated.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    confidence: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    pinned: Annotated[bool | None, typer.Option("--pin/--unpin", help="Never decays, never expires.")] = None,
    expires_at: Annotated[
        str | None, typer.Option(metavar="TIME", help="When to forget it; 30d is in thirty days.")
    ] = None,
    half_life_days: Annotated[float | None, typer.Option(help="Half-life of its recency, days.")] = None,
    metadata: Annotated[str | None, typer.Option(metavar="JSON", help="Instead of what it has.")] = None,
    clear: Annotated[
        list[str] | None,
        typer.Option(help="Empty domain, expires_at, half_life_days, metadata, summary or tags; may be repeated."),
    ] = None,
) -> None:
    """Write a new version of a memory, or change its fields in place.

    New words go the way of every write; the old version stays in the history.
    """
    zone = call.settings.timezone
    with call.memory() as memory:
        result = memory.update(
            id,
            content=text,
            occurred_at=moment(occurred_at, option="occurred-at", timezone=zone),
            summary=summary,
            domain=domain,
            tags=tag,
            importance=importance,
            confidence=confidence,
            pinned=pinned,
            expires_at=moment(expires_at, option="expires-at", timezone=zone, ahead=True),
            half_life_days=half_life_days,
            metadata=json_object(metadata, option="metadata"),
            clear=clear or (),
        )
    if call.as_json:
        print_json(jsonable(result))
    else:
        show_write(result)


def undo(
    call: Call,
    newer: Annotated[
        str, typer.Argument(metavar="NEWER|RUN", help="Id of the memory that replaced the other; or of a run.")
    ],
    older: Annotated[
        str | None, typer.Argument(metavar="[OLDER]", help="Id of the memory that was replaced; none for a run.")
    ] = None,
) -> None:
    """Take back that one memory replaces another, or all that a run of `consolidate` did."""
    if older is None:
        undo_consolidation(call, newer)
        return
    with call.memory() as memory:
        change = memory.undo_supersede(newer, older)
    if call.as_json:
        print_json(jsonable(change))
        return
    print_line("undone" if change.changed else "nothing to undo: the one does not replace the other")
    show_rows({newer: change.newer_status.value, older: change.older_status.value})


def restore(
    call: Call, ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The archived memories.")]
) -> None:
    """Bring memories back from the archive."""
    with call.memory() as memory:
        report = memory.restore(ids)
    if call.as_json:
        print_json(jsonable(report))
        return
    print_line(f"restored: {len(report.restored)} memories")
    if report.unchanged:
        print_line(f"not in the archive: {', '.join(report.unchanged)}")
    for memory_id, twin in report.twins.items():
        print_line((f"{memory_id} stays archived: {twin} says the same", "yellow"))


def review(
    call: Call,
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="The memory; without it, all that wait.")] = None,
    approve: Annotated[bool, typer.Option("--approve", help="It is recalled from now on.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="It goes into the archive, out of every recall.")] = False,
    limit: Most = 50,
) -> None:
    """List the memories that wait for review, or approve or reject one.

    A write waits where the safety screen saw something, or where it contradicts what is trusted more.
    """
    if (id is None) == (approve or reject) or (approve and reject):
        raise InvalidInput(
            "an id goes with one of --approve and --reject",
            cure="`retrograph review` lists what waits; `retrograph review ID --approve` decides.",
            field="id",
        )
    with call.memory() as memory:
        if id is not None:
            result = memory.review(id, approve=approve)
            if call.as_json:
                print_json(jsonable(result))
                return
            state = "approved" if result.approved else "rejected"
            print_line(f"{state}{'' if result.changed else ' before; nothing changed'}: {result.id}")
            show_rows({"replaces": ", ".join(result.superseded), "replaced by": ", ".join(result.superseded_by)})
            return
        waiting = memory.pending(limit=limit)
    if call.as_json:
        print_json(jsonable(waiting))
        return
    for item in waiting.items:
        print_line(visible(item.memory.content))
        show_rows(
            {
                "id": item.memory.id,
                "why": "; ".join(item.flags) or "it contradicts what is trusted more",
                "against": "; ".join(f"{shortened(m.content)} ({m.id})" for m in item.contradicts),
            }
        )
    print_line((f"{waiting.total} wait for review", "dim"))


def entity(call: Call, name: Annotated[str, typer.Argument(help="Any of its names.")], limit: Most = 10) -> None:
    """Show an entity under all its names: who mentions it, its relations, what may be the same."""
    with call.memory() as memory:
        detail = memory.entity(name, limit=limit)
    if call.as_json:
        print_json(jsonable(detail))
    else:
        _show_entity(detail, call.settings.timezone)


def candidates(call: Call, limit: Most = 50) -> None:
    """List names that may be one entity, surest first; none is merged unasked."""
    with call.memory() as memory:
        found = memory.entity_candidates(limit=limit)
    if call.as_json:
        print_json(jsonable(found))
        return
    for pair in found.pairs:
        names = f"{visible(pair.first.name)} / {visible(pair.second.name)}"
        print_line(f"{pair.confidence:.2f}  {names}", (f"  {visible(pair.evidence)}", "dim"))
    print_line((f"{found.total} pairs", "dim"))


def merge(
    call: Call,
    alias: Annotated[str, typer.Argument(help="The other name.")],
    canonical: Annotated[str, typer.Argument(help="The name to show.")],
    reason: Annotated[str, typer.Option(help="Why; kept with the merge.")] = "",
    scope: Annotated[Scope | None, typer.Option(help="For whom.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the merge back.")] = False,
) -> None:
    """Say that one name is another name of the same entity, or take that back. Nothing is moved."""
    with call.memory() as memory:
        if undo:
            result = memory.unmerge_entities(alias, canonical)
        else:
            result = memory.merge_entities(alias, canonical, reason=reason, scope=scope)
    if call.as_json:
        print_json(jsonable(result))
        return
    state = "one" if result.merged else "apart"
    was = "" if result.changed else ", as they were"
    print_line(f"{visible(result.alias.name)} and {visible(result.canonical.name)} are {state}{was}")


def jobs(
    call: Call,
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="One job; without it, the newest.")] = None,
    run: Annotated[bool, typer.Option("--run", help="Work on what waits until nothing is left.")] = False,
    cancel: Annotated[bool, typer.Option("--cancel", help="End the job; what it has written stays.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Put the failed job back into the queue.")] = False,
    limit: Most = 20,
) -> None:
    """Show the jobs of `ingest --later`, or work on them. A killed run goes on where it stopped."""
    if run + cancel + retry > 1 or (id is None and (cancel or retry)) or (id is not None and run):
        raise InvalidInput(
            "--cancel and --retry go with an id, --run without one",
            cure="Give one of them: `retrograph jobs ID --cancel`.",
            field="id",
        )
    with call.memory() as memory:
        if run:
            with progress("jobs") as update:
                found = memory.run_jobs(progress=lambda job: update(job.done, job.total))
        elif id is None:
            found = memory.jobs(limit=limit)
        elif cancel or retry:
            found = (memory.cancel_job(id) if cancel else memory.retry_job(id),)
        else:
            found = (memory.job(id),)
    if call.as_json:
        print_json(jsonable(found[0]) if id is not None else [jsonable(job) for job in found])
        return
    for job in found:
        show_job(job, call.settings.timezone)
    if not found:
        remark("no jobs" if not run else "no job waits")


def show_job(job: JobView, timezone: str) -> None:
    """How far a job is."""
    style = {JobState.DONE: "green", JobState.FAILED: "red"}.get(job.state, "yellow")
    print_line((job.state.value, style), f"  {job.done} of {job.total} turns  {job.id}")
    counts = {
        "asked for": local(job.created_at, timezone),
        "stored": str(job.stored),
        "merged": str(job.merged or ""),
        "there already": str(job.unchanged or ""),
        "not stored": str(job.borderline + job.refused or ""),
        "for review": str(job.quarantined or ""),
        "error": job.error or "",
    }
    show_rows(counts)


def _version(version: MemoryVersion) -> dict[str, Any]:
    answer: dict[str, Any] = jsonable(version)
    return {**answer.pop("memory"), **answer}


def _show_entity(detail: EntityDetail, timezone: str) -> None:
    print_line((visible(detail.entity.name), "bold"), (f"  {detail.entity.type.value}", "dim"))
    aliases = ", ".join(name.name for name in detail.names[1:])
    show_rows({"also": aliases, "may be": ", ".join(f"{c.second.name} ({c.evidence})" for c in detail.candidates)})
    for relation in detail.relations:
        words = f"{relation.subject} {'not ' if relation.negated else ''}{relation.predicate} {relation.object}"
        print_line(f"  {visible(words)}", (f"  {relation.memories}", "dim"))
    _more(len(detail.relations), detail.relations_total, "relations")
    for memory in detail.memories:
        print_line(f"  {visible(memory.content)}", (f"  {local(memory.occurred_at, timezone)} · {memory.id}", "dim"))
    _more(len(detail.memories), detail.memories_total, "memories")


def _more(shown: int, total: int, what: str) -> None:
    if total > shown:
        print_line((f"  … and {total - shown} more {what} (--limit)", "dim"))
