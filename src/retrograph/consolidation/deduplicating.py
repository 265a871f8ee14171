"""Merges memories that say the same, as the write pipeline would have, had they come one after the other.

Two statements are the same only where all their content words, numbers and negations are (`same_statement`). So
memories are first told apart by a hash of these, eight bytes each, and only those that share one are read and compared.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from tempfile import TemporaryFile
from typing import Any, TextIO

import numpy as np

from retrograph.consolidation.reflecting import LESSON
from retrograph.consolidation.report import Change
from retrograph.consolidation.work import Work, archive_row, archiving, chunks
from retrograph.extraction.duplicates import (
    LONGEST_CHARS,
    MERGE_RELEVANCE,
    Statement,
    normalise,
    same_statement,
    signature,
)
from retrograph.extraction.times import read_times
from retrograph.graph.driver import Call
from retrograph.models import Language

DUPLICATE = "duplicate"


def deduplicate(work: Work) -> None:
    """Merges each memory into the one that says the same, and archives it."""
    found: list[tuple[dict[str, Any], str]] = []
    for members in _groups(work):
        found += _twins(members, work)
        if len(found) >= work.batch:
            _merge(work, found)
            found = []
    _merge(work, found)


def statement(member: Mapping[str, Any], work: Work) -> Statement:
    """A memory as a text to compare, its times read."""
    memory = member["memory"]
    language = Language(memory["language"])
    times = read_times(memory["content"], reference=memory["occurred_at"], timezone=work.timezone, language=language)
    return Statement(memory["content"], language, frozenset(e["key"] for e in member["entities"]), times)


def cosine_of(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """Cosine of two memories' vectors, which are of length 1; 0 where one has none."""
    if not one["vector"] or not other["vector"]:
        return 0.0
    return float(np.dot(np.asarray(one["vector"]), np.asarray(other["vector"])))


def sameness_key(memory: Mapping[str, Any]) -> int:
    """64 bits that are equal for any two memories that `same_statement` could call the same."""
    text: str = memory["content"]
    # Not through its cache: each text is read once, and thousands of them would stay.
    words = signature.__wrapped__(text)
    if len(text) > LONGEST_CHARS or not words.words:
        said = [normalise(text)]
    else:
        said = [str(words.negations), *sorted(words.numbers), "", *sorted(words.words)]
    parts = "\0".join([memory["audience"], memory.get("speaker") or "", *said])
    return int.from_bytes(blake2b(parts.encode("utf-8"), digest_size=8).digest())


def _groups(work: Work) -> Iterator[list[dict[str, Any]]]:
    """Memories that share a key, group by group, those whose first id is lowest first."""
    # Reading a signature costs more than all else: each is read once, and waits on disk beside its id.
    with TemporaryFile("w+", encoding="utf-8") as spool:
        groups = _sharing(work, spool)
    for part in chunks(groups, work.batch):
        read = work.read_members([memory_id for ids in part for memory_id in ids])
        yield from ([read[memory_id] for memory_id in ids if memory_id in read] for ids in part)


def _sharing(work: Work, spool: TextIO) -> list[list[str]]:
    """Ids of the memories that share a key; eight bytes of each other memory are held, the rest is in `spool`."""
    keys = array("Q")
    for memories in work.memories():
        for memory in memories:
            # A summary or rule says again what its sources say.
            if memory.get("derived") in (None, LESSON):
                keys.append(sameness_key(memory))
                spool.write(f"{keys[-1]:x} {memory['id']}\n")
    values, counts = np.unique(np.frombuffer(keys, dtype=np.uint64), return_counts=True)
    shared = {f"{value:x}" for value in values[counts > 1].tolist()}
    members: dict[str, list[str]] = defaultdict(list)
    spool.seek(0)
    for line in spool if shared else ():
        key, _, memory_id = line.rstrip("\n").partition(" ")
        if key in shared:
            members[key].append(memory_id)
    return sorted(sorted(ids) for ids in members.values())


def _twins(members: Sequence[dict[str, Any]], work: Work) -> list[tuple[dict[str, Any], str]]:
    """The members that are merged, each with the id of the one that stays."""
    left = sorted(members, key=_precedence)
    if len(left) < 2:
        return []
    threshold = work.encoder().calibration.cosine(MERGE_RELEVANCE)
    found: list[tuple[dict[str, Any], str]] = []
    while len(left) > 1:
        kept, *others = left
        left = list[dict[str, Any]]()
        mine = statement(kept, work)
        for other in others:
            same = (
                _may_merge(kept, other)
                and same_statement(mine, statement(other, work), cosine=cosine_of(kept, other), threshold=threshold)[0]
            )
            if same:
                found.append((other["memory"], kept["id"]))
            else:
                left.append(other)
    return found


def _may_merge(kept: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Nothing but the words of the other is lost, and the owner did not take them apart before."""
    memory = other["memory"]
    lesson = memory.get("experience")
    return (
        not memory.get("pinned")
        and other["id"] not in kept["apart"]
        and (not lesson or lesson == kept["memory"].get("experience"))
    )


def _precedence(member: Mapping[str, Any]) -> tuple[Any, ...]:
    """What stays comes first: pinned, not to expire, important, trusted, old."""
    memory = member["memory"]
    expires_at = memory.get("expires_at")
    return (
        not memory.get("pinned"),
        expires_at is not None,
        -expires_at.timestamp() if expires_at else 0,
        -memory["importance"],
        -memory["confidence"],
        memory["created_at"],
        member["id"],
    )


def _merge(work: Work, found: Sequence[tuple[dict[str, Any], str]]) -> None:
    """In each transaction the one that stays takes over the counts and edges before the other leaves recall."""
    for part in chunks(found, work.batch):
        rows = [archive_row(memory, DUPLICATE, into=into) for memory, into in part]
        merged = [{"id": m["id"], "into": into, "number": number} for number, (m, into) in enumerate(part)]
        merge: Call = (
            "merge_memories",
            {
                "bank": work.bank,
                "run": work.run,
                "rows": merged,
                "weak": work.settings.prune_below,
                "at": work.now,
            },
        )
        work.write(archiving(work, rows, between=[merge]))
        work.leave(m["id"] for m, _ in part)
        for memory, into in part if work.dry_run else ():
            one = {"id": memory["id"], "session": memory.get("session_id"), "occurred_at": memory["occurred_at"]}
            work.plan.merged.setdefault(into, []).append(one)
        work.note(Change("merged", m["id"], (into,), DUPLICATE) for m, into in part)
