"""Whether one statement takes another's place: a pure decision over two claims.

Only the same subject and the same single-valued predicate with another value, the negation of the same
statement, opposite states, and explicit replacements are conflicts. Everything else leaves both alone.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from retrograph.extraction import lexicon_conflicts as lexicon
from retrograph.extraction.duplicates import LONGEST_CHARS, Signature, normalise, signature
from retrograph.extraction.keys import entity_key
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
}


class Verdict(StrEnum):
    """What a new claim does to an old one."""

    NONE = "none"
    SUPERSEDES = "supersedes"
    SUPERSEDED_BY = "superseded_by"
    PENDING = "pending"


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
    and object, for the same pair can be denied. A text of the form "X is Y" gives one for its X.

    Args:
        relations: What the extraction read.
        text: The words they were read in.
    """
    keys = {f"{entity_key(r.subject)}\x1f\x1f{entity_key(r.object)}" for r in relations}
    keys |= {f"{entity_key(r.subject)}\x1f{_family(r.predicate)}" for r in relations if _is_exclusive(r.predicate)}
    frame = _frame(text) if text else None
    if frame is not None and (_single(frame) or signature(frame.value).numbers):
        keys.add("\x1f".join(("", *sorted(set(signature(frame.subject).words)))))
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
    if lexicon.PLANNED.search(new.text.lower()) and not lexicon.PLANNED.search(old.text.lower()):
        return Judgement(Verdict.NONE, f"a plan retires nothing yet ({reason})")
    newer = _is_newer(new, old)
    winner, loser = (new, old) if newer else (old, new)
    doubt = _doubt(winner, loser)
    if doubt:
        return Judgement(Verdict.PENDING, f"{reason}, but {doubt}")
    if newer:
        return Judgement(Verdict.SUPERSEDES, f"{reason}; it happened later")
    return Judgement(Verdict.SUPERSEDED_BY, f"{reason}; the stored one happened later")


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
    times = read_times(claim.text, reference=claim.occurred_at, timezone=_UTC, language=claim.language)
    past = [span.start for span in times if span.start and span.end and span.end <= claim.occurred_at]
    frame = _frame(claim.text)
    value_is_time = bool(frame and times and not signature(_without(frame.value, times[0].surface)).words)
    if past and not value_is_time and (_is_history(claim) or lexicon.CHANGE.search(claim.text.lower())):
        return min(past)
    return claim.occurred_at


def _without(text: str, surface: str) -> str:
    return text.replace(surface.lower(), " ")


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
    a, b = signature(new.text), signature(old.text)
    related = "" if _of_others(new, old, a, b) else _relations_at_odds(new.relations, old.relations)
    return (
        related
        or _denial(a, b)
        or _opposite_states(a, b)
        or _replacement(new.text, a, b)
        or _other_value(new.text, old.text)
        or _bare_correction(new, old)
    )


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


def _relations_at_odds(new: Sequence[RelationMention], old: Sequence[RelationMention]) -> str:
    for mine in new:
        for theirs in old:
            if entity_key(mine.subject) != entity_key(theirs.subject):
                continue
            same_object = entity_key(mine.object) == entity_key(theirs.object)
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
            elif _another_value(mine, theirs, new, old):
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


def _bare_words(sign: Signature) -> Counter[str]:
    return Counter(w for w in sign.words if w not in lexicon.ADVERBS)


def _denial(a: Signature, b: Signature) -> str:
    if a.negative == b.negative or not a.words:
        return ""
    mine, theirs = _bare_words(a), _bare_words(b)
    if _chinese(a) or _chinese(b):
        one, other = (lexicon.ADVERBS_ZH.sub("", "".join(s.words)) for s in (a, b))
        return "one denies what the other says" if one == other else ""
    return "one denies what the other says" if mine == theirs and a.numbers == b.numbers else ""


def _chinese(sign: Signature) -> bool:
    return any("\u3400" <= word <= "\u9fff" for word in sign.words)


def _opposite_states(a: Signature, b: Signature) -> str:
    """The two differ in one word only, and in those words exclude one another."""
    if a.negative != b.negative:
        return ""
    if _chinese(a) or _chinese(b):
        one, other = (lexicon.ADVERBS_ZH.sub("", "".join(s.words)) for s in (a, b))
        for group in lexicon.STATES_ZH:
            for left in group:
                for right in group:
                    if (
                        left != right
                        and left in one
                        and right in other
                        and one.replace(left, "\0", 1) == other.replace(right, "\0", 1)
                    ):
                        return f"{left} and {right} exclude one another"
        return ""
    mine, theirs = _bare_words(a) - _bare_words(b), _bare_words(b) - _bare_words(a)
    if sum(mine.values()) != 1 or sum(theirs.values()) != 1:
        return ""
    left, right = next(iter(mine)), next(iter(theirs))
    if a.words[0] == left and b.words[0] == right and left not in ("love", "like", "hate"):
        return ""
    for group in lexicon.STATES_EN:
        if left in group and right in group:
            return f"{left} and {right} exclude one another"
    return ""


def _replacement(text: str, a: Signature, b: Signature) -> str:
    """What "switched from A to B" does: it retires what the same subject was said to do with A."""
    match = lexicon.REPLACEMENT.search(text.lower())
    if not match:
        return ""
    fields = {key: value for key, value in match.groupdict().items() if value}
    gone = _content(next((v for k, v in fields.items() if k.startswith("old")), ""))
    come = _content(next((v for k, v in fields.items() if k.startswith("new")), ""))
    stored = set(b.words)
    if not gone or not gone <= stored or (come and come <= stored) or b.negative:
        return ""
    rest = set(a.words) - gone - come
    shared = rest & (stored - gone)
    if not shared - _WEAK and not (shared & _SPEAKERS):
        return ""
    return "it says that the other no longer holds"


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


@dataclass(frozen=True, slots=True)
class _Frame:
    """A statement like "the budget is 90,000" taken apart: who, by what predicate, which value."""

    subject: str
    predicate: str
    value: str


def _frame(text: str) -> _Frame | None:
    sentence = re.split(r"(?<=[.!?。！？；])\s*|\n", text.strip(), maxsplit=1)[0].rstrip(".!。！ ")
    folded = lexicon.LEAD_IN.sub("", sentence.lower().replace("’", "'"))
    match = lexicon.PREDICATE_EN.search(folded) if not re.search(r"[\u3400-\u9fff]", folded) else None
    match = match or lexicon.PREDICATE_ZH.search(folded)
    if not match or match.start() == 0:
        return None
    return _Frame(folded[: match.start()].strip(), match["predicate"], folded[match.end() :].strip())


def _other_value(new: str, old: str) -> str:
    """The same subject has another value of a predicate that takes one."""
    a, b = _frame(new), _frame(old)
    if a is None or b is None or not a.value or not b.value or _TELLS.match(a.value) or _TELLS.match(b.value):
        return ""
    subject_a, subject_b = signature(a.subject), signature(b.subject)
    if (
        Counter(subject_a.words) != Counter(subject_b.words)
        or not subject_a.words
        or subject_a.negative != subject_b.negative
    ):
        return ""
    value_a, value_b = signature(a.value), signature(b.value)
    if value_a.negative or value_b.negative or Counter(value_a.words) == Counter(value_b.words):
        return ""
    if not _predicates(a) & _predicates(b):
        return ""
    numeric = _differ_in_numbers_only(value_a, value_b)
    single = _single(a) and _single(b)
    if not numeric and not single:
        return ""
    if not numeric and (set(value_a.words) <= set(value_b.words) or set(value_b.words) <= set(value_a.words)):
        return ""
    return f"{a.subject} has one value, and it is {a.value} rather than {b.value}"


# "About release: we shipped build 12": a sentence behind a heading is no value of it.
_TELLS = re.compile(r"(?:we|i|you|they|he|she|it|there)\b|我|你|他|她|大家")


def _predicates(frame: _Frame) -> set[str]:
    """What a predicate may say; one that is in no family says only itself."""
    found = {name for name, pattern in lexicon.FAMILIES if re.search(pattern, frame.predicate)}
    return found or {frame.predicate.removeprefix("now ").rstrip("s")}


def _single(frame: _Frame) -> bool:
    if lexicon.SINGLE_EN.search(frame.predicate) or lexicon.SINGLE_ZH.search(frame.predicate):
        return True
    copula = re.match(r"(?:is|are|was|were|will be|should be|must be)\b|是|为|在|由|用的是|有|：|:", frame.predicate)
    tail = re.sub(r"\s*(?:of|for|in|at|on)\s.*$", "", frame.subject)
    attribute = re.search(rf"{lexicon.ATTRIBUTE_EN.pattern}$", tail) or lexicon.ATTRIBUTE_ZH.search(frame.subject)
    return bool(copula and attribute)


def _differ_in_numbers_only(a: Signature, b: Signature) -> bool:
    """Both values are numbers of the same thing: "3 replicas" and "5 replicas", and not "candidate 58" and "59"."""
    if not a.numbers or not b.numbers or a.numbers == b.numbers:
        return False
    if any(sign.words[0] not in sign.numbers and not _measures(sign.words[0]) for sign in (a, b)):
        return False
    words_a = [w for w in a.words if w not in a.numbers]
    words_b = [w for w in b.words if w not in b.numbers]
    return Counter(words_a) == Counter(words_b) and len(a.numbers) == len(b.numbers)


def _measures(word: str) -> bool:
    return bool(lexicon.ATTRIBUTE_EN.fullmatch(word) or lexicon.ATTRIBUTE_ZH.search(word))


def _bare_correction(new: Claim, old: Claim) -> str:
    """Read "no, it should be Friday": it can only mean what was said last, of the same kind."""
    match = lexicon.SUBJECTLESS.match(new.text.strip().lower().replace("’", "'"))
    if not match or not lexicon.CORRECTION.search(new.text.lower()):
        return ""
    gap = (new.occurred_at - old.occurred_at).total_seconds()
    frame = _frame(old.text)
    if not 0 <= gap <= 3600 or frame is None:
        return ""
    value = signature(match["value"] or match["value_zh"] or "")
    before = signature(frame.value)
    same_kind = bool(value.numbers) == bool(before.numbers) and value.words != before.words
    alike = (value.numbers and before.numbers) or _kind_of_time(new.text) == _kind_of_time(frame.value) != ""
    return f"it corrects what was just said of {frame.subject}" if same_kind and alike else ""


_KINDS_OF_TIME = {
    "weekday": r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|(?:周|星期|礼拜)[一二三四五六日天]",
    "month": r"january|february|march|april|june|july|august|september|october|november|december|\d月",
}


def _kind_of_time(text: str) -> str:
    return next((kind for kind, pattern in _KINDS_OF_TIME.items() if re.search(pattern, text.lower())), "")
