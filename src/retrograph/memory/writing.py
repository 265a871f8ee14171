"""The write pipeline: normalise → safety → gate → duplicates → extraction → conflicts → one transaction.

It works on batches; a single write is a batch of one. Every answer says what decided.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from operator import itemgetter
from threading import Lock
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from uuid_utils import uuid7

from retrograph.encoders import Encoder
from retrograph.extraction import Extractor, KnownNames, detect_language, entity_key
from retrograph.extraction.candidates import candidate_keys
from retrograph.extraction.conflicts import Judgement, Verdict, claim_subjects, judge
from retrograph.extraction.duplicates import (
    MERGE_RELEVANCE,
    SIMILAR_RELEVANCE,
    is_about_the_same,
    is_similar,
    normalise,
    novelty_against,
    same_statement,
)
from retrograph.extraction.gate import decide, score_gate
from retrograph.extraction.kinds import propose_type
from retrograph.extraction.safety import Throttle, screen, verdict
from retrograph.extraction.times import read_times
from retrograph.graph import Graph, open_bank_space
from retrograph.graph.auditing import acting
from retrograph.graph.records import (
    digest,
    filter_token,
)
from retrograph.graph.store import (
    Batch,
    Known,
    Near,
    NewLink,
    StoredStatement,
    Supersession,
    find_claims,
    find_neighbours,
    look_up,
    write_batch,
    write_conflicts,
)
from retrograph.memory.drafts import Draft, checked
from retrograph.memory.items import Item, claim_of, identity_key, statement_of
from retrograph.memory.near import near_names_of
from retrograph.memory.neighbours import NEIGHBOURS, RELATED_RELEVANCE, Neighbourhood
from retrograph.memory.rows import alias_rows, embedded_text, memory_row, relation_rows
from retrograph.models import (
    EntityMention,
    EntityType,
    Extraction,
    GateScores,
    Identity,
    MemoryType,
    Outcome,
    RelationMention,
    Scope,
    Status,
    WriteResult,
)
from retrograph.settings import Settings

T = TypeVar("T")

_CLAIMS = 50
_MANY = 32
"""A batch of so many is an ingest's: what is near and at odds is looked for by two queries side by side."""
_MENTIONED_BY_CALLER = 1.0
_TURNS = 64
"""Locks that banks share: enough that two busy ones seldom have the same."""
_TURN_S = 5.0


class Writer:
    """Writes drafts into a bank. Thread-safe.

    Args:
        graph: The database.
        encoder: Gives the vectors.
        extractor: Reads entities and relations.
        settings: Gate, safety, time zone.
    """

    def __init__(self, graph: Graph, encoder: Encoder, extractor: Extractor, *, settings: Settings) -> None:
        self._graph = graph
        self._encoder = encoder
        self._extractor = extractor
        self._settings = settings
        self._timezone = ZoneInfo(settings.timezone)
        self._throttle = Throttle(per_minute=settings.safety.flood_per_minute)
        self._turns = tuple(Lock() for _ in range(_TURNS))

    @property
    def graph(self) -> Graph:
        """The database written to."""
        return self._graph

    @property
    def timezone(self) -> ZoneInfo:
        """The time zone of naive times."""
        return self._timezone

    def warm(self) -> None:
        """Loads the language models."""
        self._extractor.warm()

    def write(
        self, drafts: Sequence[Draft], *, identity: Identity, force: bool, throttle: bool = True
    ) -> list[WriteResult]:
        """Writes a batch in one transaction.

        Args:
            drafts: What to write.
            identity: Who writes.
            force: Store whatever the gate says; safety still has its word.
            throttle: Count the drafts against floods.

        Returns:
            What became of each, in order.

        Raises:
            InvalidInput: A draft cannot work; nothing of the batch is stored.
            EncoderError: No vectors; nothing is stored.
            GraphError: The database does not answer; nothing is stored.
        """
        return self.store(self.prepare(drafts, identity=identity, throttle=throttle), identity=identity, force=force)

    def prepare(self, drafts: Sequence[Draft], *, identity: Identity, throttle: bool = True) -> list[Item]:
        """The part of a write that needs nothing of the batch before: checks, safety, vectors.

        Nothing is stored. Arguments and errors as in `write`.
        """
        items = self._screened(drafts, identity, throttle=throttle)
        going = [item for item in items if item.result is None]
        self._encode(self._not_told(going, identity))
        return items

    def _not_told(self, items: Sequence[Item], identity: Identity) -> Sequence[Item]:
        """Those that need a vector; whether one still is there is asked again when it is stored.

        Where the first of a batch is new, all are taken for new: an ingest that goes on was cut between two batches.
        """
        named = [item for item in items if item.draft.source_id]
        if not named or not self._look_up(named[:1], identity, names=False).source_keys:
            return items
        told = self._look_up(named, identity, names=False).source_keys
        return [item for item in items if item.source_key not in told]

    def store(self, items: Sequence[Item], *, identity: Identity, force: bool) -> list[WriteResult]:
        """Stores what was prepared, in one transaction. Arguments, answer and errors as in `write`."""
        going = [item for item in items if item.result is None]
        if going:
            space = open_bank_space(
                self._graph, identity.bank, encoder=self._encoder.name, dimensions=self._encoder.dimensions
            )
            known = self._look_up(going, identity)
            going = [item for item in going if not self._was_told(item, known)]
            self._encode([item for item in going if not item.vector.size])
            self._extract(going, known)
            batch = Batch()
            kept = self._judge(going, batch, known, identity=identity, slot=space.slot, force=force)
            if kept or batch.reinforcements:
                before = self._commit(kept, batch, identity=identity, slot=space.slot, now=items[0].at)
                if len(items) < _MANY or before != known.last_batch:
                    self._settle_late(kept, identity=identity, slot=space.slot)
        return [item.result for item in items if item.result is not None]

    def preview(self, drafts: Sequence[Draft], *, identity: Identity, force: bool) -> list[WriteResult]:
        """What a write would do with each draft, as far as its own words decide that. Nothing is read or stored.

        What the bank holds already counts for nothing: a repeat is told as new. Arguments and errors as in `write`.
        """
        items = self._screened(drafts, identity, throttle=False)
        going = [item for item in items if item.result is None]
        self._extract(going, Known({}, {}, {}, None))
        for item in going:
            item.scores = self._score(item, ())
            if self._passes_gate(item, force=force):
                item.result = self._answer(item, Batch(), {"outcome": "stored"})
        return [replace(item.result, id=None) for item in items if item.result is not None]

    def _screened(self, drafts: Sequence[Draft], identity: Identity, *, throttle: bool) -> list[Item]:
        now = datetime.now(UTC)
        items = [self._item(number, draft, identity, now) for number, draft in enumerate(drafts)]
        for item in items:
            self._screen(item, identity, throttle=throttle)
        return items

    def _item(self, number: int, draft: Draft, identity: Identity, now: datetime) -> Item:
        draft = checked(draft, identity=identity, timezone=self._timezone, max_chars=self._settings.safety.max_chars)
        occurred_at = draft.occurred_at or now
        language = detect_language(draft.content)
        times = read_times(draft.content, reference=occurred_at, timezone=self._timezone, language=language)
        audience = identity.audience(draft.scope or Scope.GLOBAL)
        memory_id = str(uuid7())
        return Item(
            number=number,
            draft=draft,
            id=memory_id,
            at=now,
            audience=audience,
            language=language,
            times=times,
            identity_key=identity_key(
                identity.bank, audience, speaker=draft.speaker, content=draft.content, times=times
            ),
            source_key=digest(audience, draft.source_id or memory_id),
            flags=(),
            status=Status.ACTIVE,
        )

    def _screen(self, item: Item, identity: Identity, *, throttle: bool) -> None:
        draft = item.draft
        findings = screen(draft.content, settings=self._settings.safety, source=draft.source)
        item.flags = tuple(dict.fromkeys(f"{f.kind}: {f.reason}" for f in findings))
        action = verdict(findings)
        writer = f"{identity.bank}/{identity.agent}/{identity.user}/{draft.source}"
        if action == "refuse":
            item.result = WriteResult(
                Outcome.REFUSED, None, f"refused by the safety policy: {item.flags[0]}", flags=item.flags
            )
        elif throttle and not self._throttle.admit(writer, draft.content):
            item.result = WriteResult(
                Outcome.REFUSED,
                None,
                "refused: too many near-equal texts a minute from one source (RETROGRAPH_SAFETY_FLOOD_PER_MINUTE)",
                flags=item.flags,
            )
        elif action == "quarantine":
            item.status = Status.PENDING_REVIEW

    def _look_up(self, items: Sequence[Item], identity: Identity, *, names: bool = True) -> Known:
        if names:
            for item in items:
                item.name_keys = candidate_keys(item.draft.content)
        return look_up(
            self._graph,
            identity.bank,
            keys=sorted({key for item in items for key in item.name_keys}) if names else [],
            identity_keys=[item.identity_key for item in items] if names else [],
            source_keys=[item.source_key for item in items if item.draft.source_id],
        )

    def _was_told(self, item: Item, known: Known) -> bool:
        """The very same source again (a repeated ingest): nothing changes, and the answer says so."""
        told = known.source_keys.get(item.source_key)
        if told:
            item.result = WriteResult(Outcome.UNCHANGED, told, "told before by the same source; nothing changed")
        return told is not None

    def _extract(self, items: Sequence[Item], known: Known) -> None:
        names = {key: (name, EntityType(kind)) for key, (name, kind) in known.entities.items()}
        found = self._extractor.extract_many(
            [item.draft.content for item in items],
            speakers=[item.draft.speaker for item in items],
            known_names=names,
        )
        self._take(items, found, known=names)
        for item in items:
            item.type = item.draft.type or propose_type(
                item.draft.content, language=item.language, speaker=item.draft.speaker
            )
            item.claim_keys = [
                filter_token("c", f"{item.audience}\0{subject}")
                for subject in claim_subjects(item.extraction.relations, item.draft.content)
            ]

    def _take(self, items: Sequence[Item], found: Sequence[Extraction], *, known: KnownNames) -> None:
        """Each item its extraction; a name that the batch brings is known to what comes after it, as one by one."""
        brought: dict[str, tuple[str, EntityType]] = {}
        for item, extraction in zip(items, found, strict=True):
            held = {entity_key(entity.name) for entity in extraction.entities}
            if any(key in brought and key not in held for key in item.name_keys):
                (extraction,) = self._extractor.extract_many(
                    [item.draft.content], speakers=[item.draft.speaker], known_names={**known, **brought}
                )
            item.extraction = _with_callers_own(extraction, item.draft)
            for entity in item.extraction.entities:
                key = entity_key(entity.name)
                if key not in known:
                    brought.setdefault(key, (entity.name, entity.type))

    def _encode(self, items: Sequence[Item]) -> None:
        if not items:
            return
        vectors = self._encoder.encode_documents(
            [embedded_text(item.draft.content, speaker=item.draft.speaker) for item in items]
        )
        for item, vector in zip(items, vectors, strict=True):
            item.vector = vector

    def _judge(
        self, items: Sequence[Item], batch: Batch, known: Known, *, identity: Identity, slot: str, force: bool
    ) -> list[Item]:
        """Decides what becomes of each; what is kept is returned, what is reinforced goes into the batch.

        Telling something again is never refused for being no news: repeats are looked for before the gate.
        """
        if not items:
            return []
        neighbourhood = self._neighbourhood(items, identity=identity, slot=slot)
        neighbours: dict[int, list[Near]] = {}
        told = dict(known.identity_keys)
        said: dict[str, datetime] = {}
        new: list[Item] = []
        again: list[Item] = []
        for item in items:
            near = neighbours[item.number] = neighbourhood.of(item, new)
            item.scores = self._score(item, near)
            twin = self._near_duplicate(item, near)
            if item.identity_key in told and not item.draft.replaces:
                again.append(item)
                _say_again(told[item.identity_key], item, said)
            elif twin is not None:
                self._reinforce(item, twin, batch)
                _say_again(twin.id, item, said)
            elif self._passes_gate(item, force=force):
                told[item.identity_key] = item.id
                new.append(item)
                self._link_similar(item, [*near, *neighbourhood.former(item)], batch)
        for item in new:
            item.said_again_at = max(said.get(item.id, item.occurred_at), item.occurred_at)
        self._resolve_conflicts(new, neighbours, batch, said, identity=identity)
        return new + again

    def _reinforce(self, item: Item, twin: StoredStatement, batch: Batch) -> None:
        batch.reinforcements.append(
            {"id": twin.id, "source_key": item.source_key, "at": item.at, "said_at": item.occurred_at}
        )
        item.result = WriteResult(
            Outcome.MERGED,
            twin.id,
            "says the same as an earlier memory, which was reinforced",
            scores=item.scores,
            type=MemoryType(twin.type),
            flags=item.flags,
        )

    def _neighbourhood(self, items: Sequence[Item], *, identity: Identity, slot: str) -> Neighbourhood:
        least = self._encoder.calibration.cosine(RELATED_RELEVANCE)

        def near(part: Sequence[Item]) -> list[list[Near]]:
            return find_neighbours(
                self._graph,
                identity.bank,
                part[0].audience,
                [item.vector for item in part],
                slot=slot,
                k=NEIGHBOURS,
                least=least,
                statuses=(Status.ACTIVE, Status.SUPERSEDED),
            )

        return Neighbourhood(items, _asked_of(items, near), least=least)

    def _score(self, item: Item, near: Sequence[Near]) -> GateScores:
        novelty, floor = 1.0, self._encoder.calibration.floor
        if near and is_about_the_same(near[0].cosine, floor=floor):
            nearest = statement_of(near[0].stored, self._timezone)
            novelty = novelty_against(item.statement(), nearest, cosine=near[0].cosine, floor=floor)
        return score_gate(
            item.draft.content,
            settings=self._settings.gate,
            novelty=novelty,
            language=item.language,
            entities=len(item.extraction.entities),
            source=item.draft.source,
        )

    def _passes_gate(self, item: Item, *, force: bool) -> bool:
        outcome, reason = decide(item.scores, settings=self._settings.gate, force=force)
        if outcome is not Outcome.STORED:
            item.result = WriteResult(outcome, None, reason, scores=item.scores, type=item.type, flags=item.flags)
        return outcome is Outcome.STORED

    def _near_duplicate(self, item: Item, near: Sequence[Near]) -> StoredStatement | None:
        if item.status is not Status.ACTIVE or item.draft.replaces:
            return None
        threshold = self._encoder.calibration.cosine(MERGE_RELEVANCE)
        for other, cosine in _above(threshold, near):
            if (other.speaker or None) != item.draft.speaker:
                continue
            theirs = statement_of(other, self._timezone)
            if same_statement(item.statement(), theirs, cosine=cosine, threshold=threshold)[0]:
                # Equal words are left to the identity key, which no two writers can get past.
                is_equal = normalise(other.content) == normalise(item.draft.content)
                return None if is_equal else other
        return None

    def _link_similar(self, item: Item, near: Sequence[Near], batch: Batch) -> None:
        threshold = self._encoder.calibration.cosine(SIMILAR_RELEVANCE)
        for other, cosine in _above(threshold, near):
            theirs = statement_of(other, self._timezone)
            if is_similar(item.statement(), theirs, cosine=cosine, threshold=threshold)[0]:
                strength = self._encoder.calibration.relevance(cosine)
                # From the later one to the earlier, whichever was told first.
                one, two = (item.occurred_at, item.draft.content), (other.occurred_at, other.content)
                ends = (item.id, other.id) if one >= two else (other.id, item.id)
                batch.links.append(NewLink(*ends, "similar", strength))

    def _resolve_conflicts(
        self,
        kept: Sequence[Item],
        neighbours: Mapping[int, list[Near]],
        batch: Batch,
        said: Mapping[str, datetime],
        *,
        identity: Identity,
    ) -> None:
        by_claim = self._claims_beside(kept, identity)
        # A claim's key holds its audience.
        earlier: dict[str, list[StoredStatement]] = defaultdict(list)
        doubtful: set[str] = set()
        for item in kept:
            if item.status is Status.ACTIVE:
                beside = [claim for key in item.claim_keys for claim in earlier[key]]
                near = [other.stored for other in neighbours[item.number]]
                found = (_as_said(rival, said) for rival in (*by_claim[item.number], *near, *beside))
                rivals = {s.id: s for s in found if s.id not in doubtful}
                rivals.pop(item.draft.replaces or "", None)
                item.rivals = frozenset(rivals)
                self._weigh(item, list(rivals.values()), batch)
            if item.draft.replaces:
                _replace(item, item.draft.replaces, batch)
            if item.status is Status.ACTIVE:
                stored = item.stored()
                for key in item.claim_keys:
                    earlier[key].append(stored)
            else:
                doubtful.add(item.id)

    def _claims_beside(self, items: Sequence[Item], identity: Identity) -> dict[int, list[StoredStatement]]:
        """What is stored under the same claims, by number of the draft."""

        def beside(part: Sequence[Item]) -> list[list[StoredStatement]]:
            keys = [item.claim_keys for item in part]
            return find_claims(self._graph, identity.bank, part[0].audience, keys, limit=_CLAIMS)

        return _asked_of(items, beside)

    def _settle_late(self, kept: Sequence[Item], *, identity: Identity, slot: str) -> None:
        """Two who write at one moment do not see each other's claim: whoever was stored last finds the other's now.

        For a batch of an ingest this is a sixth of its time: only where another batch came in between.
        """
        claims = [i for i in kept if i.claim_keys and i.result and i.result.outcome is Outcome.STORED]
        if not claims:
            return
        own, batch = {item.id for item in kept}, Batch()
        beside = self._claims_beside(claims, identity)
        for item in claims:
            known = own | item.rivals | {item.draft.replaces}
            self._weigh(item, [rival for rival in beside[item.number] if rival.id not in known], batch)
            item.status = Status.ACTIVE  # It is stored: a doubt that comes late is a link.
        if batch.supersessions or batch.links:
            with acting(identity):
                write_conflicts(self._graph, batch, slot=slot, at=datetime.now(UTC))
            for item in claims:
                item.result = _with_late(item, batch)

    def _weigh(self, item: Item, rivals: Sequence[StoredStatement], batch: Batch) -> None:
        mine = item.claim()
        # Claims of different owners never meet: of a hub's, most are of others.
        own = (rival for rival in rivals if (rival.speaker or "") == mine.owner)
        judged = [(rival, judge(mine, claim_of(rival))) for rival in own]
        at_odds = [rival for rival, j in judged if j.verdict is Verdict.PENDING]
        if at_odds:
            item.status = Status.PENDING_REVIEW
        else:
            at_odds = [rival for rival, j in judged if j.verdict is Verdict.CONTRADICTS]
        batch.links += [NewLink(item.id, rival.id, "contradicts", 1.0) for rival in at_odds]
        if item.status is Status.PENDING_REVIEW:
            return
        older = [(r, j) for r, j in judged if j.verdict is Verdict.SUPERSEDES]
        newer = _earliest([(r, j) for r, j in judged if j.verdict is Verdict.SUPERSEDED_BY and _is_later(r, item)])
        for rival, judgement in _latest(older):
            batch.supersessions.append(Supersession(item.id, rival.id, _reason(judgement, item, rival)))
        if newer:
            rival, judgement = newer
            batch.supersessions.append(Supersession(rival.id, item.id, _reason(judgement, rival, item)))

    def _commit(
        self, kept: Sequence[Item], batch: Batch, *, identity: Identity, slot: str, now: datetime
    ) -> str | None:
        """Stores them; gives the batch that was written before this one."""
        for item in kept:
            batch.rows.append(memory_row(item, identity, encoder=self._encoder.name, timezone=self._timezone))
            batch.relations += relation_rows(item)
            batch.aliases += alias_rows(item)
        batch.near = near_names_of(self._graph, identity.bank, batch)
        # Writers that lock shared nodes in one order do not deadlock.
        for row in batch.rows:
            row["mentions"].sort(key=itemgetter("key"))
        batch.relations.sort(key=lambda row: (row["subject"], row["object"], row["predicate"]))
        with acting(identity), self._turn(identity.bank):
            outcomes, before = write_batch(self._graph, identity.bank, batch, slot=slot, at=now)
        written = {row["row"]: row for row in outcomes}
        for item in kept:
            item.result = self._answer(item, batch, written[item.number])
        return before

    @contextmanager
    def _turn(self, bank: str) -> Generator[None]:
        """One transaction of this process at a time writes a bank.

        In the database they would wait for each other all the same, and some in a circle. Whoever has waited long goes
        on without: the one before may be waiting for a database that does not answer.
        """
        lock = self._turns[hash(bank) % len(self._turns)]
        has_turn = lock.acquire(timeout=_TURN_S)
        try:
            yield
        finally:
            if has_turn:
                lock.release()

    def _answer(self, item: Item, batch: Batch, written: Mapping[str, Any]) -> WriteResult:
        if written["outcome"] != "stored":
            told = written["outcome"] == "told"
            reason = (
                "told before by the same source; nothing changed"
                if told
                else "the same words are stored already; that memory was reinforced"
            )
            outcome = Outcome.UNCHANGED if told else Outcome.MERGED
            return WriteResult(outcome, written["id"], reason, item.scores, item.type, flags=item.flags)
        quarantined = item.status is Status.PENDING_REVIEW
        newer = next((s.newer for s in batch.supersessions if s.older == item.id), None)
        return WriteResult(
            Outcome.QUARANTINED if quarantined else Outcome.STORED,
            item.id,
            _stored_reason(item, newer),
            scores=item.scores,
            type=item.type,
            entities=tuple(dict.fromkeys(e.name for e in item.extraction.entities)),
            relations=tuple(_in_words(r) for r in item.extraction.relations),
            superseded=tuple(s.older for s in batch.supersessions if s.newer == item.id),
            superseded_by=newer,
            similar=tuple(
                link.to_id if link.from_id == item.id else link.from_id
                for link in batch.links
                if link.type == "similar" and item.id in (link.from_id, link.to_id)
            ),
            flags=item.flags,
        )


def _asked_of(items: Sequence[Item], ask: Callable[[Sequence[Item]], list[T]]) -> dict[int, T]:
    """What the database answers for each item, by its number; `ask` is given items of one audience.

    These searches are most of what a batch costs the database, and one query has one of its threads.
    """
    groups = [[item for item in items if item.audience == key] for key in sorted({i.audience for i in items})]
    if len(items) < _MANY:
        parts = groups
        found = [ask(part) for part in parts]
    else:
        parts = [half for group in groups for half in (group[0::2], group[1::2]) if half]
        with ThreadPoolExecutor(2, thread_name_prefix="retrograph-searches") as pool:
            found = list(pool.map(ask, parts))
    pairs = zip(parts, found, strict=True)
    return {item.number: answer for part, told in pairs for item, answer in zip(part, told, strict=True)}


def _above(least: float, near: Sequence[Near]) -> Iterator[Near]:
    """Those alike enough: reading the times of a text costs more than finding it."""
    return (other for other in near if other.cosine >= least)


def _say_again(memory_id: str, item: Item, said: dict[str, datetime]) -> None:
    """Notes that an item of the batch says what a memory says: it holds as of the last time it was said."""
    said[memory_id] = max(item.occurred_at, said.get(memory_id, item.occurred_at))


def _as_said(rival: StoredStatement, said: Mapping[str, datetime]) -> StoredStatement:
    again_at = said.get(rival.id)
    return replace(rival, said_at=again_at) if again_at and again_at > rival.said_at else rival


def _reason(judgement: Judgement, newer: StoredStatement | Item, older: StoredStatement | Item) -> str:
    """Why one replaces the other, in words; its own date does not tell it of what was said again since."""
    if newer.occurred_at < older.occurred_at < newer.said_at:
        return f"{judgement.reason} (it was said again on {newer.said_at:%Y-%m-%d})"
    return judgement.reason


def _is_later(rival: StoredStatement, item: Item) -> bool:
    """Of two that happened at once the one that was written later counts, but a new version is later by its nature.

    A clock that was set back would date it before the one that it replaces, and close a circle.
    """
    return not item.draft.replaces or rival.said_at > item.occurred_at


def _with_late(item: Item, batch: Batch) -> WriteResult | None:
    """What the writer is told, with what was settled after the storing."""
    result = item.result
    older = tuple(s.older for s in batch.supersessions if s.newer == item.id)
    newer = next((s.newer for s in batch.supersessions if s.older == item.id), None)
    if result is None or not (older or newer):
        return result
    return replace(
        result,
        reason=_stored_reason(item, newer or result.superseded_by),
        superseded=(*result.superseded, *older),
        superseded_by=newer or result.superseded_by,
    )


def _replace(item: Item, older: str, batch: Batch) -> None:
    """A new version takes the place of the old one, unless it must be reviewed first."""
    if item.status is Status.ACTIVE:
        reason = "a new version of it was written"
        batch.replacements.append({"identity_key": item.identity_key, "older": older, "reason": reason, "at": item.at})
    else:
        batch.links.append(NewLink(item.id, older, "contradicts", 1.0))


def _in_words(relation: RelationMention) -> str:
    return f"{relation.subject} {'not ' if relation.negated else ''}{relation.predicate} {relation.object}"


def _stored_reason(item: Item, newer: str | None) -> str:
    if item.status is Status.PENDING_REVIEW:
        return f"kept for review: {item.flags[0] if item.flags else 'it contradicts a memory that is trusted more'}"
    if newer:
        return "stored as history: a newer memory says otherwise"
    return f"stored: {item.scores.decided_by}"


def _with_callers_own(extraction: Extraction, draft: Draft) -> Extraction:
    """Adds what the caller handed over; the caller's word on a name's type wins."""
    spans = [span for entity in draft.entities for span in _spans(entity.name, draft.content)]
    # "Initech" is not mentioned where the caller says that "Initech GmbH" is.
    whole = [e for e in extraction.entities if not any(_is_inside(e, start, end) for start, end in spans)]
    named = {entity_key(e.name): e for e in whole}
    for entity in draft.entities:
        named[entity_key(entity.name)] = EntityMention(
            name=entity.name.strip(), type=entity.type, surface=entity.name, weight=_MENTIONED_BY_CALLER
        )
    relations = list(extraction.relations)
    for relation in draft.relations:
        relations.append(
            RelationMention(relation.subject.strip(), relation.predicate, relation.object.strip(), relation.predicate)
        )
        for name in (relation.subject, relation.object):
            named.setdefault(entity_key(name), EntityMention(name=name.strip(), type=EntityType.CONCEPT, surface=name))
    return replace(extraction, entities=tuple(named.values()), relations=tuple(relations))


def _spans(name: str, text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(re.escape(name.strip()), text, re.IGNORECASE)]


def _is_inside(mention: EntityMention, start: int, end: int) -> bool:
    return start <= mention.start and mention.end <= end and mention.end - mention.start < end - start


_Judged = tuple[StoredStatement, Judgement]


def _latest(found: list[_Judged]) -> list[_Judged]:
    """The versions just before a new one: those that no other one of them came after.

    One in a chain; several where a value was told in several ways ("likes tea", "is fond of tea"), for all of them
    go with it.
    """
    kept: list[_Judged] = []
    for pair in sorted(found, key=lambda pair: (pair[0].said_at, pair[0].id), reverse=True):
        claim = claim_of(pair[0])
        between = (judge(claim_of(other), claim) for other, _ in kept)
        if not any(j.verdict in (Verdict.SUPERSEDES, Verdict.SUPERSEDED_BY) for j in between):
            kept.append(pair)
    return kept


def _earliest(found: list[_Judged]) -> _Judged | None:
    return min(found, key=lambda pair: (pair[0].said_at, pair[0].id), default=None)
