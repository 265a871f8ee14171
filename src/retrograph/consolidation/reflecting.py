"""Makes lessons of task runs that nobody reflected on: what happened, why, what to do next time.

The draft of `memory.reflecting`, in the run's own words: every sentence is tied to the steps that show it. A run is
looked at once; what its owner undoes or forgets is not made again.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid5

from retrograph.consolidation.report import Change
from retrograph.consolidation.work import Work, chunks
from retrograph.extraction import detect_language
from retrograph.extraction.safety import screen, verdict
from retrograph.graph.records import NEVER_MS, digest
from retrograph.memory.items import Item
from retrograph.memory.reflecting import Reflection, draft, lesson_draft, lesson_row
from retrograph.memory.rows import embedded_text, memory_row
from retrograph.memory.trajectories import TaskStatus, Trajectory, trajectory_of
from retrograph.models import Extraction, Identity, MemoryType, Status

LESSON = "lesson"
REFUSED = "refused by the safety policy"
_NAMESPACE = UUID("5a3c1a52-5a0d-5a0e-9d0b-7b1f6b1f6d02")
_IMPORTANCE = {TaskStatus.FAILURE: 0.7}
_ELSE = 0.6


def reflect(work: Work) -> None:
    """Writes a lesson for each ended run that went wrong on its way or was corrected; all that it read are marked."""
    for rows in work.pages("page_unreflected"):
        for part in chunks([row["id"] for row in rows], work.batch):
            _reflect_on(work, part)


def read_run(work: Work, run: str) -> tuple[Trajectory, dict[str, Any]] | None:
    """A task run with all its steps, and the row it was read from; None where it was removed meanwhile."""
    rows = work.graph.run("read_run", bank=work.bank, id=run)
    return (trajectory_of(rows[0]), rows[0]) if rows else None


def _reflect_on(work: Work, ids: Sequence[str]) -> None:
    found: list[tuple[Trajectory, dict[str, Any], Reflection]] = []
    for run_id in ids:
        read = read_run(work, run_id)
        reflection = draft(read[0]) if read else None
        if read and reflection and reflection.sentences:
            found.append((read[0], read[1]["trajectory"], reflection))
    items = [item for run, told, reflection in found if (item := _item(work, run, told, reflection))]
    if len(items) < len(found):
        work.counts[REFUSED] = work.counts.get(REFUSED, 0) + len(found) - len(items)
    runs = {lesson_id(run.id): (run, told, reflection) for run, told, reflection in found}
    work.note(Change("reflected", item.id, (runs[item.id][0].id,), LESSON) for item in items)
    if work.dry_run:
        work.plan.derived += [_planned(work, item, runs[item.id][1]) for item in items]
        return
    marked = ("mark_reflected", {"bank": work.bank, "ids": list(ids), "at": work.now})
    if not items:
        work.write([marked])
        return
    encoder = work.encoder()
    vectors = encoder.encode_documents([embedded_text(item.draft.content, speaker=None) for item in items])
    readings = work.extractor().extract_many([item.draft.content for item in items])
    rows: list[dict[str, Any]] = []
    for item, vector, reading in zip(items, vectors, readings, strict=True):
        item.vector, item.extraction = vector, Extraction(item.language, reading.entities)
        rows.append(_row(work, item, runs[item.id][1], encoder=encoder.name))
    links = [lesson_row(item.id, runs[item.id][2], drafted=True) for item in items]
    work.write(
        [
            (work.query("write_memories"), {"bank": work.bank, "rows": rows}),
            ("link_lesson", {"bank": work.bank, "rows": links, "at": work.now}),
            marked,
            ("refresh_contexts", {"ids": [item.id for item in items]}),
        ]
    )


def lesson_id(run: str) -> str:
    """The same for the same run, so that a run of consolidation that is taken up again makes its lesson once."""
    return str(uuid5(_NAMESPACE, run))


def _item(work: Work, run: Trajectory, told: dict[str, Any], reflection: Reflection) -> Item | None:
    """The lesson; None where the safety policy refuses its words, which are a tool's or a stranger's."""
    lesson = lesson_draft(run, reflection)
    findings = screen(lesson.content, settings=work.safety, source=lesson.source)
    action = verdict(findings)
    if action == "refuse":
        return None
    item_id = lesson_id(run.id)
    key = digest(work.bank, LESSON, item_id)
    return Item(
        number=0,
        draft=lesson,
        id=item_id,
        at=work.now,
        audience=told["audience"],
        language=detect_language(lesson.content),
        times=(),
        identity_key=key,
        source_key=key,
        flags=tuple(dict.fromkeys(f"{found.kind}: {found.reason}" for found in findings)),
        status=Status.PENDING_REVIEW if action == "quarantine" else Status.ACTIVE,
        type=MemoryType.LESSON,
    )


def _row(work: Work, item: Item, told: dict[str, Any], *, encoder: str) -> dict[str, Any]:
    identity = Identity(work.bank, agent=told.get("agent_id"), user=told.get("user_id"))
    row = memory_row(item, identity, encoder=encoder, timezone=work.timezone)
    # A time that a step speaks of is no end of what the run taught.
    lasting = {"valid_from": None, "valid_until": None}
    row["properties"] |= {"derived": LESSON, "derived_by": work.run, "importance": _importance(told), **lasting}
    row["embedding"]["properties"]["until_ms"] = NEVER_MS
    return row


def _importance(told: dict[str, Any]) -> float:
    return _IMPORTANCE.get(TaskStatus(told["status"]), _ELSE)


def _planned(work: Work, item: Item, told: dict[str, Any]) -> dict[str, Any]:
    """What later jobs of a dry run need to know of it."""
    return {
        "id": item.id,
        "audience": item.audience,
        "type": item.type.value,
        "status": item.status.value,
        "importance": _importance(told),
        "created_at": work.now,
        "updated_at": work.now,
        "derived": "planned",
    }
