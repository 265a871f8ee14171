"""Whether one statement takes another's place: a pure decision over two claims.

Only the same subject and the same single-valued predicate with another value, the negation of the same
statement, opposite states, and explicit replacements are conflicts. Everything else leaves both alone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from zoneinfo import ZoneInfo

from retrograph.extraction import lexicon_conflicts as lexicon
from retrograph.extraction.denials import changed_number, denial_key, denied, of_other_cases, opposite_states
from retrograph.extraction.duplicates import LONGEST_CHARS, Signature, asks, normalise, signature
from retrograph.extraction.frames import frame_key, frames, kind_of_time, values_at_odds
from retrograph.extraction.keys import entity_key
from retrograph.extraction.language import TEXTS_KEPT
from retrograph.extraction.lexicon_cues import HEDGED
from retrograph.extraction.times import read_times
from retrograph.extraction.vocabulary import OPPOSITES, is_single_valued
from retrograph.models import Language, RelationMention, Source

DOUBTFUL_GAP = 0.25
"""A newer claim this much less sure than the older one is not trusted to retire it."""
_UTC = ZoneInfo("UTC")
# Tastes and preferences hold side by side; a family is one predicate told in two ways.
_MANY = frozenset(("prefers", "is", "is_a", "belongs_to"))
_FAMILY = {
    "moved_to": "lives_in",
    "relocated_to": "lives_in",
    "resides_in": "lives_in",
    "hosted_on": "runs_on",
    "deployed_on": "runs_on",
    "deployed_to": "runs_on",
    "reports_to": "has_manager",
    "has_boss": "has_manager",
    "has_supervisor": "has_manager",
    "has_email_address": "has_email",
    "has_phone_number": "has_phone",
}


class Verdict(StrEnum):
    """What a new claim does to an old one."""

    NONE = "none"
    SUPERSEDES = "supersedes"
    SUPERSEDED_BY = "superseded_by"
    PENDING = "pending"
    CONTRADICTS = "contradicts"
    """At odds in one thing, while the one that would go says other things too: both stay."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement with what decides between it and another.

    Args:
        text: The words.
        relations: What the extraction read in them.
        occurred_at: When it happened, or was said to hold; aware.
        created_at: When it was written; aware.
        confidence: How sure, in [0, 1].
        source: Who it comes from.
        entities: Keys of the entities it mentions.
        language: As detected.
        owner: Whose statement it is where it says "I"; claims of different owners never meet.
    """

    text: str
    relations: tuple[RelationMention, ...] = ()
    occurred_at: datetime = datetime(1970, 1, 1, tzinfo=_UTC)
    created_at: datetime = datetime(1970, 1, 1, tzinfo=_UTC)
    confidence: float = 0.9
    source: Source = Source.USER
    entities: frozenset[str] = frozenset()
    language: Language = Language.ENGLISH
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a pair and the sentence that says why."""

    verdict: Verdict
    reason: str


_NOTHING = Judgement(Verdict.NONE, "nothing at odds")


def claim_subjects(relations: Iterable[RelationMention], text: str = "") -> tuple[str, ...]:
    """Keys under which claims that could be at odds find one another, sorted.

    A single-valued predicate gives a key for its subject and predicate; every relation gives one for its subject
    and object, for the same pair can be denied. A text of the form "X is Y" gives one for its X, and every short
    text one that it shares with its denial.

    Args:
        relations: What the extraction read.
        text: The words they were read in.
    """
    keys = {f"{entity_key(r.subject)}\x1f\x1f{entity_key(r.object)}" for r in relations}
    keys |= {f"{entity_key(r.subject)}\x1f{_family(r.predicate)}" for r in relations if _is_exclusive(r.predicate)}
    keys |= {frame_key(frame) for frame in frames(text)}
    keys.add(denial_key(text) if text else "")
    return tuple(sorted(key for key in keys if key.strip("\x1f")))


def judge(new: Claim, old: Claim) -> Judgement:
    """Decide between a new claim and an old one.

    The one that happened later wins, whichever was told first; where both happened at once, the one told last.
    A winner much less sure than the loser, or hedged, or inferred against what a person said, is `PENDING`.

    Args:
        new: The claim being written.
        old: A claim already stored.
    """
    if new.owner != old.owner or normalise(new.text) == normalise(old.text):
        return _NOTHING
    if max(len(new.text), len(old.text)) > LONGEST_CHARS:
        return Judgement(Verdict.NONE, "too long to be one claim")
    reason = _conflict(new, old)
    if not reason:
        return _NOTHING
    if _is_plan(new.text) and not _is_plan(old.text):
        return Judgement(Verdict.NONE, f"a plan retires nothing yet ({reason})")
    newer = _is_newer(new, old)
    winner, loser = (new, old) if newer else (old, new)
    doubt = _doubt(winner, loser)
    if doubt:
        return Judgement(Verdict.PENDING, f"{reason}, but {doubt}")
    more = _says_more(loser, winner)
    if more:
        return Judgement(Verdict.CONTRADICTS, f"{reason}, but the earlier one says more: {more}")
    if newer:
        return Judgement(Verdict.SUPERSEDES, f"{reason}; it happened later")
    # The same words whichever of the two was told first.
    return Judgement(Verdict.SUPERSEDED_BY, f"{_conflict(old, new) or reason}; it happened later")


def _is_plan(text: str) -> bool:
    return bool(lexicon.PLANNED.search(_MONTH_OF_MAY.sub(" ", text).lower()))


_MONTH_OF_MAY = re.compile(r"(?<!^)\bMay\b")
# What describes a subject in passing is no other fact to lose.
_IN_PASSING = re.compile(r"is_a$|has_|part_of$")


def _says_more(loser: Claim, winner: Claim) -> str:
    """A fact of the loser, of a clause of its own, that the winner says nothing about; "" where there is none."""
    if not lexicon.SEVERAL_CLAUSES.search(loser.text.strip()):
        return ""
    touched = {(entity_key(r.subject), about) for r in winner.relations for about in _about(r)}
    return next(
        (
            f"{r.subject} {r.predicate} {r.object}"
            for r in loser.relations
            if not _IN_PASSING.match(r.predicate)
            and not any((entity_key(r.subject), about) in touched for about in _about(r))
        ),
        "",
    )


def _about(relation: RelationMention) -> tuple[str, str]:
    return _family(relation.predicate), f"\x1f{entity_key(relation.object)}"


def _is_newer(new: Claim, old: Claim) -> bool:
    """By when it happened, then by when it was told; a state told in the past tense gives way to a present one."""
    at_new, at_old = _held_at(new), _held_at(old)
    if _is_history(new) and not _is_history(old) and at_new >= at_old:
        return False
    if at_new == at_old:
        return new.created_at >= old.created_at
    return at_new > at_old


def _held_at(claim: Claim) -> datetime:
    """When a claim held: the past time its text names, else when it happened."""
    if lexicon.PRESENT.search(claim.text.lower()):
        return claim.occurred_at
    times = read_times(claim.text, reference=claim.occurred_at, timezone=_UTC, language=claim.language)
    past = [span.start for span in times if span.start and span.end and span.end <= claim.occurred_at]
    value_is_time = bool(times) and any(_is_time(frame.value, times[0].surface) for frame in frames(claim.text))
    if past and not value_is_time and (_is_history(claim) or lexicon.CHANGE.search(claim.text.lower())):
        aside = _ASIDE.search(claim.text)
        return claim.occurred_at if aside and times[0].surface in aside.group() else min(past)
    return claim.occurred_at


# "Ann, who joined in May, lives in Turin": that time is of the aside.
_ASIDE = re.compile(r",\s*(?:who|which|whose|where)\b[^,]*,|[（(][^）)]*[）)]")


def _is_time(value: str, surface: str) -> bool:
    """Whether a value is the time that was read and nothing else; "back to Friday" may be read for "Friday"."""
    value, surface = value.lower(), surface.lower()
    return value in surface or not signature(value.replace(surface, " ")).words


def _is_history(claim: Claim) -> bool:
    text = claim.text.lower()
    return bool(lexicon.HISTORY.search(text)) and not lexicon.CHANGE.search(text)


def _doubt(winner: Claim, loser: Claim) -> str:
    if winner.confidence + DOUBTFUL_GAP <= loser.confidence:
        return f"it is less sure ({winner.confidence:.2f}) than the other ({loser.confidence:.2f})"
    trusted = (Source.USER, Source.SYSTEM)
    if winner.source is Source.INFERENCE and loser.source in trusted and winner.confidence < loser.confidence:
        return "it was inferred, the other was said"
    if HEDGED.search(winner.text.lower()) and not HEDGED.search(loser.text.lower()):
        return "it is hedged"
    return ""


def _conflict(new: Claim, old: Claim) -> str:
    """What puts two claims at odds, as a sentence; "" where nothing does."""
    if _only_asks(new.text) or _only_asks(old.text):
        return ""
    a, b = signature(new.text), signature(old.text)
    related = "" if _of_others(new, old, a, b) else _relations_at_odds(new, old)
    return (
        related
        or denied(new.text, old.text)
        or opposite_states(new.text, old.text)
        or _replaced(new, old, a, b)
        or _other_value(new.text, old.text)
        or changed_number(new.text, old.text)
        or _changed_taste(new, old)
        or _bare_correction(new, old)
    )


@lru_cache(maxsize=TEXTS_KEPT)
def _only_asks(text: str) -> bool:
    return asks(text) and not _SENTENCE_BEFORE.search(text)


_SENTENCE_BEFORE = re.compile(r"[.!]\s+\S|[。！]\s*\S")


def _of_others(new: Claim, old: Claim, a: Signature, b: Signature) -> bool:
    """Whether each text has a name besides its values that the other lacks: Sven Ivanov and Anna Ivanov are two."""
    mine, theirs = (
        set(sign.names) - {word for r in claim.relations for word in entity_key(r.object).split()}
        for claim, sign in ((new, a), (old, b))
    )
    return bool(mine - theirs) and bool(theirs - mine)


def _family(predicate: str) -> str:
    return _FAMILY.get(predicate, predicate)


def _is_exclusive(predicate: str) -> bool:
    return predicate not in _MANY and (is_single_valued(predicate) or is_single_valued(_family(predicate)))


def _relations_at_odds(new: Claim, old: Claim) -> str:
    apart = of_other_cases(new.text, old.text)
    for mine in new.relations:
        for theirs in old.relations:
            if entity_key(mine.subject) != entity_key(theirs.subject):
                continue
            same_object = entity_key(mine.object) == entity_key(theirs.object)
            if same_object and apart:
                continue
            said = f"{mine.subject} {mine.predicate} {mine.object}"
            if same_object and _family(mine.predicate) == _family(theirs.predicate):
                if mine.negated != theirs.negated:
                    return f"one says and one denies that {said}"
            elif (
                same_object
                and OPPOSITES.get(theirs.predicate) == mine.predicate
                and not (mine.negated or theirs.negated)
            ):
                return f"{said} is the opposite of {theirs.predicate}"
            elif _another_value(mine, theirs, new.relations, old.relations):
                return f"{said} where it was {theirs.object}, and {mine.predicate} has one value"
    return ""


def _another_value(
    mine: RelationMention, theirs: RelationMention, new: Sequence[RelationMention], old: Sequence[RelationMention]
) -> bool:
    predicate = _family(mine.predicate)
    if predicate != _family(theirs.predicate) or mine.negated or theirs.negated or not _is_exclusive(mine.predicate):
        return False
    subject = entity_key(mine.subject)
    # A text that gives several values, or one of those the other gave, does not exclude.
    values = [
        {
            entity_key(r.object)
            for r in relations
            if entity_key(r.subject) == subject and _family(r.predicate) == predicate
        }
        for relations in (new, old)
    ]
    return (
        not values[0] & values[1]
        and len(values[0]) == 1
        and len(values[1]) == 1
        and not _part_of(mine.object, theirs.object)
    )


def _part_of(a: str, b: str) -> bool:
    """Whether one names the other: "Oslo" and "Oslo, Norway", "Acme" and "Acme Corp"."""
    one, other = set(entity_key(a).split()), set(entity_key(b).split())
    return one <= other or other <= one


def _replaced(new: Claim, old: Claim, a: Signature, b: Signature) -> str:
    """What the later of the two says of the earlier. Which one that is costs most to find, and is asked last."""
    by_new, by_old = _replacement(new.text, a, b), _replacement(old.text, b, a)
    return (by_new if _is_newer(new, old) else by_old) if by_new or by_old else ""


def _replacement(text: str, a: Signature, b: Signature) -> str:
    """What "switched from A to B" does: it retires what the same subject was said to do with A."""
    gone, come = _exchanged(text)
    if not gone:
        return ""
    stored = set(b.words)
    if not gone <= stored or (come and come <= stored) or b.negative:
        return ""
    rest = set(a.words) - gone - come
    shared = rest & (stored - gone)
    if not shared - _WEAK and not (shared & _SPEAKERS):
        return ""
    return "it says that the other no longer holds"


@lru_cache(maxsize=TEXTS_KEPT)
def _exchanged(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words of what goes and of what comes, where a text tells of a replacement; else none."""
    match = lexicon.REPLACEMENT.search(text.lower())
    fields = {key: value for key, value in match.groupdict().items() if value} if match else {}
    gone = _content(next((v for k, v in fields.items() if k.startswith("old")), ""))
    come = _content(next((v for k, v in fields.items() if k.startswith("new")), ""))
    return frozenset(gone), frozenset(come)


_SPEAKERS = {"we", "i", "our", "my", "team", "user", "我", "们"}
_WEAK = _SPEAKERS | {
    "use",
    "us",
    "用",
    "the",
    "mov",
    "switch",
    "switched",
    "migrated",
    "replaced",
    "to",
    "from",
    "从",
    "到",
    "改",
    "成",
    "换",
    "new",
    "now",
}


def _content(text: str) -> set[str]:
    return {w for w in signature(text).words if w not in lexicon.ADVERBS}


def _other_value(new: str, old: str) -> str:
    """The same subject has another value of a predicate that takes one."""
    return next((said for a in frames(new) for b in frames(old) if (said := values_at_odds(a, b))), "")


def _changed_taste(new: Claim, old: Claim) -> str:
    """Light mode *now*, where it was dark mode: one kind of thing, and the later one says that it is what holds."""
    if not all(any(r.predicate == "prefers" for r in claim.relations) for claim in (new, old)):
        return ""
    later, before = (new, old) if _is_newer(new, old) else (old, new)
    if not lexicon.PRESENT.search(later.text.lower()):
        return ""
    pairs = (
        (mine, theirs)
        for mine in later.relations
        for theirs in before.relations
        if mine.predicate == theirs.predicate == "prefers"
        and entity_key(mine.subject) == entity_key(theirs.subject)
        and not (mine.negated or theirs.negated)
    )
    return next(
        (f"{m.subject} prefers {m.object} now, where it was {t.object}" for m, t in pairs if _one_kind(m, t)), ""
    )


def _one_kind(a: RelationMention, b: RelationMention) -> bool:
    """Whether two objects are named after one kind and differ in which: dark mode, light mode."""
    one, other = entity_key(a.object), entity_key(b.object)
    if " " in one and " " in other:
        return one != other and one.split()[-1] == other.split()[-1]
    return one != other and one[-2:] == other[-2:] and min(len(one), len(other)) > 2 and not one.isascii()


def _bare_correction(new: Claim, old: Claim) -> str:
    """Read "no, it should be Friday": it can only mean what was said last, of the same kind."""
    match = lexicon.SUBJECTLESS.match(new.text.strip().lower().replace("’", "'"))
    if not match or not lexicon.CORRECTION.search(new.text.lower()):
        return ""
    gap = (new.occurred_at - old.occurred_at).total_seconds()
    frame = next(iter(frames(old.text)), None)
    if not 0 <= gap <= 3600 or frame is None:
        return ""
    value = signature(match["value"] or match["value_zh"] or "")
    before = signature(frame.value)
    same_kind = bool(value.numbers) == bool(before.numbers) and value.words != before.words
    alike = (value.numbers and before.numbers) or kind_of_time(new.text) == kind_of_time(frame.value) != ""
    return f"it corrects what was just said of {frame.subject}" if same_kind and alike else ""
