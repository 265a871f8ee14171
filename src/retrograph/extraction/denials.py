"""One statement and its denial, its opposite state, its changed number: told from the words alone."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from retrograph.extraction import lexicon_denials as lexicon
from retrograph.extraction import lexicon_frames
from retrograph.extraction.duplicates import LONGEST_CHARS, Signature, signature
from retrograph.extraction.frames import STATES
from retrograph.extraction.language import TEXTS_KEPT, has_han, word_set

_MOST_WORDS = 24
"""A text of more content words is no single claim, and gets no key."""


@lru_cache(maxsize=TEXTS_KEPT)
def bare_signature(text: str) -> Signature:
    """The signature of a text with attitudes in one form each ("can't stand" is "not like"), without "now"."""
    plain = text.replace("’", "'")
    for pattern, canonical in lexicon.STANCES:
        plain = pattern.sub(canonical, plain)
    return signature(plain)


def denial_key(text: str) -> str:
    """A key that a statement shares with its denial, its opposite state and itself with another number; "" if long."""
    sign = bare_signature(text) if len(text) <= LONGEST_CHARS else None
    if sign is None or not 1 < len(sign.words) <= _MOST_WORDS:
        return ""
    if has_han(text):
        words = _han(sign)
        for number, group in enumerate(lexicon_frames.STATES_ZH):
            for state in sorted(group, key=len, reverse=True):
                words = words.replace(state, f"\x1e{number}")
        return f"\x1f\x1f{re.sub(r'[0-9.]+', '#', words)}"
    words_en = sorted("#" if word in sign.numbers else _state_key(_loose(word)) for word in _content(sign))
    return f"\x1f\x1f{' '.join(words_en)}" if words_en else ""


@dataclass(frozen=True, slots=True)
class _Said:
    """What is compared of a text, read once: a claim is held against dozens of others.

    Args:
        sign: Its bare signature.
        is_of_some: Whether it speaks of some, not of all or of one.
        is_han: Whether it holds Chinese.
        words: Its words without adverbs, the forms of one verb as one.
        unnumbered: The same without numbers, sorted.
        han: The same in Chinese, as one string.
        states: Chinese states in it: each with its group.
        cases: When or where it holds.
    """

    sign: Signature
    is_of_some: bool
    is_han: bool
    words: tuple[str, ...]
    unnumbered: tuple[str, ...]
    han: str
    states: tuple[tuple[int, str], ...]
    cases: frozenset[str]


@lru_cache(maxsize=TEXTS_KEPT)
def _said(text: str) -> _Said:
    sign, is_han = bare_signature(text), has_han(text)
    han = _han(sign)
    states = ((number, state) for number, group in enumerate(lexicon_frames.STATES_ZH) for state in group)
    return _Said(
        sign,
        is_of_some=bool(lexicon.OF_SOME.search(text)),
        is_han=is_han,
        words=tuple(map(_loose, _content(sign))),
        unnumbered=tuple(sorted(_loose(word) for word in _content(sign) if word not in sign.numbers)),
        han=han,
        states=tuple(state for state in states if state[1] in han),
        cases=frozenset(lexicon.CASE_ZH.findall(text) if is_han else _case(text)),
    )


def denied(new: str, old: str) -> str:
    """Why one of two texts denies the other, as a sentence; "" where it does not."""
    a, b = _said(new), _said(old)
    if a.sign.negative == b.sign.negative or not a.sign.words or a.is_of_some or b.is_of_some:
        return ""
    same = a.han == b.han if a.is_han or b.is_han else _same_but_turned(a.words, b.words)
    return "one denies what the other says" if same else ""


def opposite_states(new: str, old: str) -> str:
    """Why two texts that differ in one word exclude one another, as a sentence; "" where they do not."""
    a, b = _said(new), _said(old)
    if a.sign.negative != b.sign.negative or a.is_of_some or b.is_of_some:
        return ""
    if a.is_han or b.is_han:
        return _opposite_states_zh(a, b)
    words_a, words_b = a.words, b.words
    if len(words_a) != len(words_b):
        return ""
    mine, theirs = Counter(words_a) - Counter(words_b), Counter(words_b) - Counter(words_a)
    if sum(mine.values()) != 1 or sum(theirs.values()) != 1:
        return ""
    left, right = next(iter(mine)), next(iter(theirs))
    if not _same_but_turned(["\0" if w == left else w for w in words_a], ["\0" if w == right else w for w in words_b]):
        return ""
    if words_a[0] == left and words_b[0] == right and left not in ("love", "lov", "lik", "hat"):
        return ""
    if "ed" in (left[-2:], right[-2:]) and not all(lexicon.COPULA.search(text) for text in (new, old)):
        return ""  # "covered the pipe", "uncovered the pipe": two acts, no states
    often = left in _OFTEN and right in _OFTEN and words_a[-1] == left and words_b[-1] == right
    if often or _exclude(left, right) or _is_negative_form(left, right) or _is_negative_form(right, left):
        return f"{left} and {right} exclude one another"
    return ""


def changed_number(new: str, old: str) -> str:
    """Why two texts say how much of one thing there is, and not the same, as a sentence; "" where they do not.

    Only of what holds ("seats 12 people", "at most 3 times", 每天喝2杯): what happened happens again with other
    numbers, and a number that names a thing (Room 101, 3号楼) makes it another thing.
    """
    said, other = _said(new), _said(old)
    a, b = said.sign, other.sign
    if a.negative != b.negative or len(a.numbers) != len(b.numbers) or a.numbers == b.numbers:
        return ""
    if (
        said.unnumbered != other.unnumbered
        or said.is_of_some
        or other.is_of_some
        or any(lexicon.HAPPENED.search(text) for text in (new, old))
    ):
        return ""
    changed = [(x, y) for x, y in zip(a.numbers, b.numbers, strict=True) if x != y]
    if len(changed) != 1 or not (_says_how_much(new, a.numbers, changed[0][0])):
        return ""
    return f"it is {changed[0][0]} rather than {changed[0][1]}"


def _same_but_turned(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the first words may have moved to the end; another order may say who does what to whom."""
    if len(one) != len(other):
        return False
    doubled, wanted = [*one, *one], list(other)
    return any(doubled[i] == wanted[0] and doubled[i : i + len(wanted)] == wanted for i in range(len(one)))


def of_other_cases(new: str, old: str) -> bool:
    """Whether each text holds in a case of its own: tea in the morning, and tea in the evening."""
    a, b = _said(new), _said(old)
    if a.is_han != b.is_han:
        return False  # Cases of two languages are not compared.
    return bool(a.cases and b.cases) and not (a.cases <= b.cases or b.cases <= a.cases)


def _case(text: str) -> set[str]:
    match = lexicon.CASE_EN.search(text.strip().rstrip(".!"))
    return set(signature(match["case"]).words) if match else set()


def _content(sign: Signature) -> list[str]:
    return [word for word in sign.words if word not in lexicon.ADVERBS]


def _loose(word: str) -> str:
    """Forms of one verb meet: taking, takes; running, runs."""
    if not (word.isascii() and word.isalpha()) or len(word) < 4:
        return word
    word = word.rstrip("e")
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word


def _han(sign: Signature) -> str:
    return lexicon.ADVERBS_ZH.sub("", "".join(sign.words)).replace("有", "")


def _says_how_much(text: str, numbers: tuple[str, ...], changed: str) -> bool:
    """Whether the number that changed stands where a text says how much."""
    found = [m for m in lexicon.NUMBER.finditer(text) if signature(f"{m.group()}个").numbers]
    if len(found) != len(numbers):
        return False
    match = found[numbers.index(changed)]
    before, after = text[: match.start()], text[match.end() :]
    if has_han(text):
        return bool(lexicon.AMOUNT_AFTER_ZH.match(after)) and not lexicon.NAMED_BEFORE_ZH.search(before)
    return bool(lexicon.AMOUNT_BEFORE.search(before) and lexicon.AMOUNT_AFTER.match(after))


def _state_key(word: str) -> str:
    if word in _OFTEN:
        return "\x1eoften"
    for number, group in enumerate(_STATES):
        if word in group:
            return f"\x1e{number}"
    for prefix in ("un", "in", "im", "ir", "il", "dis", "non-"):
        base = word.removeprefix(prefix)
        if base != word and _is_negative_form(word, base):
            return base
    return word


def _exclude(left: str, right: str) -> bool:
    return any(left in group and right in group for group in _STATES)


def _is_negative_form(word: str, base: str) -> bool:
    """For "unpaid" and "paid", "inactive" and "active"; "uncover" and "invaluable" are words of their own."""
    if not word.endswith(base) or len(base) < 3 or word in lexicon.NO_NEGATIVE_FORMS:
        return False
    prefix = word[: len(word) - len(base)]
    return prefix in ("un", "non-") or bool(
        prefix in ("in", "im", "ir", "il", "dis") and lexicon.NEGATED_BASE[prefix].search(base)
    )


def _opposite_states_zh(one: _Said, other: _Said) -> str:
    for group, left in one.states:
        for kind, right in other.states:
            if group != kind or left == right:
                continue
            if one.han.replace(left, "\0", 1) == other.han.replace(right, "\0", 1):
                return f"{left} and {right} exclude one another"
    return ""


_STATES = tuple(frozenset(map(_loose, group)) | group for group in STATES)
_OFTEN = frozenset(
    map(_loose, word_set("hourly daily nightly weekly fortnightly biweekly monthly quarterly yearly annually"))
)
