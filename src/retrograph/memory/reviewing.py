"""Review: memories that were quarantined, or that contradict what is trusted more, approved or rejected."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from retrograph import cypher
from retrograph.errors import Conflict, InvalidInput
from retrograph.extraction import entity_key
from retrograph.extraction.conflicts import Claim, Verdict, judge
from retrograph.extraction.keys import aliases_in
from retrograph.graph import Graph, bank_space, hold_lease
from retrograph.graph.driver import Call
from retrograph.graph.records import filter_token, record_of, relation_of
from retrograph.graph.store import (
    StoredStatement,
    Supersession,
    find_claims,
    find_neighbours,
    statement_of_row,
    supersede,
)
from retrograph.memory.administering import not_found
from retrograph.memory.items import claim_of
from retrograph.memory.neighbours import NEIGHBOURS
from retrograph.models import (
    EntityType,
    Identity,
    PendingList,
    PendingMemory,
    ReviewResult,
    Source,
    Status,
)

_MOST = 1_000
_MOST_WAITING = 10_000
_CLAIMS = 50
_LEASE_S = 60
_WAIT_S = 30


def pending_memories(graph: Graph, *, identity: Identity, limit: int) -> PendingList:
    """What waits for review; `Memory.pending`.

    Raises:
        InvalidInput: `limit` cannot work.
    """
    if not 1 <= limit <= _MOST:
        raise InvalidInput(f"limit is {limit!r}, not between 1 and {_MOST:,}", field="limit")
    audiences = " ".join(filter_token("a", audience) for audience in identity.audiences)
    text = (
        f"+filter_tokens:{filter_token('b', identity.bank)} +filter_tokens:({audiences}) +filter_tokens:spendingreview"
    )
    row = graph.run(
        "list_pending",
        bank=identity.bank,
        audiences=identity.audiences,
        text=text,
        most=_MOST_WAITING,
        limit=limit,
    )[0]
    items = tuple(
        PendingMemory(
            memory=record_of(item["memory"]),
            flags=tuple(item["memory"].get("flags") or ()),
            contradicts=tuple(record_of(other) for other in item["contradicts"]),
        )
        for item in row["items"]
    )
    return PendingList(items, row["total"])


def review_memory(graph: Graph, memory_id: str, *, approve: bool, identity: Identity) -> ReviewResult:
    """Approves or rejects a memory that waits for review; `Memory.review`.

    Raises:
        NotFound: There is no such memory, or none for this identity.
        Conflict: It does not wait for review, or the last review said otherwise.
    """
    # Two reviewers at once would each see it wait.
    with hold_lease(graph, f"review:{memory_id}", seconds=_LEASE_S, wait_s=_WAIT_S):
        space = bank_space(graph, identity.bank)
        slot = space.slot if space else "a"
        row = _read(graph, memory_id, slot=slot, identity=identity)
        memory = row["memory"]
        if memory["status"] != Status.PENDING_REVIEW or memory.get("archived_at") is not None:
            return _reviewed_before(row, approve=approve)
        at = datetime.now(UTC)
        if not approve:
            archive = cypher.load("archive_memories").in_slot(slot)
            params = {"bank": identity.bank, "ids": [memory_id], "at": at}
            graph.run_all([("reject_memories", {"ids": [memory_id], "at": at}), (archive, params)])
            return ReviewResult(memory_id, approved=False, changed=True)
        graph.run_all(_approval(graph, row, slot=slot, at=at))
        after = _read(graph, memory_id, slot=slot, identity=identity)
    return ReviewResult(
        memory_id,
        approved=True,
        changed=True,
        superseded=tuple(after["supersedes"]),
        superseded_by=tuple(after["superseded_by"]),
    )


def _read(graph: Graph, memory_id: str, *, slot: str, identity: Identity) -> dict[str, Any]:
    read = cypher.load("read_for_review").in_slot(slot)
    rows = graph.run(read, bank=identity.bank, audiences=identity.audiences, id=memory_id)
    if not rows:
        raise not_found(memory_id)
    return rows[0]


def _reviewed_before(row: Mapping[str, Any], *, approve: bool) -> ReviewResult:
    memory = row["memory"]
    said = memory.get("reviewed")
    if said != ("approved" if approve else "rejected"):
        state = f"was {said} before" if said else "does not wait for review"
        raise Conflict(f"memory {memory['id']!r} {state}", cure="`forget` archives a memory, `restore` brings it back.")
    return ReviewResult(
        memory["id"],
        approved=approve,
        changed=False,
        superseded=tuple(row["supersedes"]),
        superseded_by=tuple(row["superseded_by"]),
    )


def _approval(graph: Graph, row: Mapping[str, Any], *, slot: str, at: datetime) -> list[Call]:
    """Everything that a write would have done had it not been held back, in one transaction."""
    memory = row["memory"]
    approve = cypher.load("approve_memories").in_slot(slot)
    calls: list[Call] = [(approve, {"ids": [memory["id"]], "at": at})]
    relations, aliases = _relation_rows(row), _alias_rows(row, at=at)
    if relations:
        calls.append(("write_relations", {"bank": memory["bank"], "rows": relations}))
    if aliases:
        calls.append(("write_aliases", {"bank": memory["bank"], "rows": aliases}))
    pairs = _supersessions(graph, row, slot=slot)
    if pairs:
        calls += supersede(pairs, slot=slot, at=at)
    calls.append(("refresh_contexts", {"ids": [memory["id"]]}))
    return calls


def _supersessions(graph: Graph, row: Mapping[str, Any], *, slot: str) -> list[Supersession]:
    """Whom it replaces, and who replaces it, now that somebody vouches for it."""
    memory, contradicted = row["memory"], {c["id"]: statement_of_row(c) for c in row["contradicts"]}
    bank, audience = memory["bank"], memory["audience"]
    rivals = find_claims(graph, bank, audience, [memory["claim_keys"]], limit=_CLAIMS)[0]
    if row["vector"]:
        vector = np.array(row["vector"], dtype=np.float32)
        near = find_neighbours(graph, bank, audience, [vector], slot=slot, k=NEIGHBOURS, least=0.0)[0]
        rivals += [other.stored for other in near]
    mine = _vouched_for(row)
    older: list[tuple[StoredStatement, str]] = []
    newer: list[tuple[StoredStatement, str]] = []
    for rival in ({r.id: r for r in rivals} | contradicted).values():
        if rival.id == memory["id"]:
            continue
        judged = judge(mine, claim_of(rival))
        verdict = judged.verdict
        if rival.id in contradicted and verdict in (Verdict.PENDING, Verdict.NONE):
            is_newer = (memory["occurred_at"], memory["created_at"]) >= (rival.said_at, rival.created_at)
            verdict = Verdict.SUPERSEDES if is_newer else Verdict.SUPERSEDED_BY
        if verdict is Verdict.SUPERSEDES:
            older.append((rival, f"approved in review: {judged.reason}"))
        elif verdict is Verdict.SUPERSEDED_BY:
            newer.append((rival, f"approved in review: {judged.reason}"))
    pairs: list[Supersession] = []
    if older:
        # What it contradicted goes, each of them; of an older chain of versions the last.
        last = max(older, key=lambda found: (found[0].said_at, found[0].id))[0].id
        pairs += [Supersession(memory["id"], r.id, why) for r, why in older if r.id == last or r.id in contradicted]
    if newer:
        rival, why = min(newer, key=lambda found: (found[0].said_at, found[0].id))
        pairs.append(Supersession(rival.id, memory["id"], why))
    return pairs


def _vouched_for(row: Mapping[str, Any]) -> Claim:
    """The memory as a claim that its reviewer is sure of."""
    memory = row["memory"]
    stored = statement_of_row(memory | {"entities": [entity["key"] for entity in row["entities"]]})
    return replace(claim_of(stored), confidence=1.0, source=Source.USER)


def _relation_rows(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    memory = row["memory"]
    keys = {entity["key"] for entity in row["entities"]}
    relations = [relation_of(text) for text in memory.get("relations") or ()]
    return [
        {
            "subject": entity_key(relation.subject),
            "object": entity_key(relation.object),
            "predicate": relation.predicate,
            "surface": relation.predicate,
            "negated": relation.negated,
            "audience": memory["audience"],
            "weight": 1.0,
            "memory_id": memory["id"],
            "valid_from": memory.get("valid_from"),
            "valid_until": memory.get("valid_until"),
        }
        for relation in relations
        if not relation.object_is_literal
        and {entity_key(relation.subject), entity_key(relation.object)} <= keys
        and entity_key(relation.subject) != entity_key(relation.object)
    ]


def _alias_rows(row: Mapping[str, Any], *, at: datetime) -> Sequence[dict[str, Any]]:
    memory = row["memory"]
    kinds = {entity["key"]: entity["type"] for entity in row["entities"]}
    return [
        {
            "alias": alias,
            "alias_key": entity_key(alias),
            "canonical": canonical,
            "canonical_key": entity_key(canonical),
            "type": kinds.get(entity_key(canonical), EntityType.CONCEPT.value),
            "audience": memory["audience"],
            "memory_id": memory["id"],
            "at": at,
        }
        for alias, canonical in aliases_in(memory["content"])
        if entity_key(alias) != entity_key(canonical)
    ]
