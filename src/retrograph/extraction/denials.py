"""One statement and its denial, its opposite state, its changed number: told from the words alone."""

import re
from collections import Counter
from functools import lru_cache

from retrograph.extraction import lexicon_denials as lexicon
from retrograph.extraction import lexicon_frames
from retrograph.extraction.duplicates import LONGEST_CHARS, Signature, signature
from retrograph.extraction.frames import STATES
from retrograph.extraction.language import has_han, word_set

_MOST_WORDS = 24
"""A text of more content words is no single claim, and gets no key."""


@lru_cache(maxsize=8192)
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


def denied(new: str, old: str) -> str:
    """Why one of two texts denies the other, as a sentence; "" where it does not."""
    a, b = bare_signature(new), bare_signature(old)
    if a.negative == b.negative or not a.words or _of_some(new, old):
        return ""
    if has_han(new) or has_han(old):
        same = _han(a) == _han(b)
    else:
        same = _same_but_turned(list(map(_loose, _content(a))), list(map(_loose, _content(b))))
    return "one denies what the other says" if same else ""


def opposite_states(new: str, old: str) -> str:
    """Why two texts that differ in one word exclude one another, as a sentence; "" where they do not."""
    a, b = bare_signature(new), bare_signature(old)
    if a.negative != b.negative or _of_some(new, old):
        return ""
    if has_han(new) or has_han(old):
        return _opposite_states_zh(_han(a), _han(b))
    one, other = Counter(map(_loose, _content(a))), Counter(map(_loose, _content(b)))
    mine, theirs = one - other, other - one
    if sum(mine.values()) != 1 or sum(theirs.values()) != 1:
        return ""
    left, right = next(iter(mine)), next(iter(theirs))
    words_a, words_b = [_loose(word) for word in _content(a)], [_loose(word) for word in _content(b)]
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
    a, b = bare_signature(new), bare_signature(old)
    if a.negative != b.negative or len(a.numbers) != len(b.numbers) or a.numbers == b.numbers:
        return ""
    if (
        _without_numbers(a) != _without_numbers(b)
        or _of_some(new, old)
        or any(lexicon.HAPPENED.search(text) for text in (new, old))
    ):
        return ""
    changed = [(x, y) for x, y in zip(a.numbers, b.numbers, strict=True) if x != y]
    if len(changed) != 1 or not (_says_how_much(new, a.numbers, changed[0][0])):
        return ""
    return f"it is {changed[0][0]} rather than {changed[0][1]}"


def _of_some(*texts: str) -> bool:
    return any(lexicon.OF_SOME.search(text) for text in texts)


def _same_but_turned(one: list[str], other: list[str]) -> bool:
    """Whether the first words may have moved to the end; another order may say who does what to whom."""
    doubled = [*one, *one]
    return len(one) == len(other) and any(doubled[i : i + len(other)] == other for i in range(len(one)))


def of_other_cases(new: str, old: str) -> bool:
    """Whether each text holds in a case of its own: tea in the morning, and tea in the evening."""
    if has_han(new) or has_han(old):
        one, other = (set(lexicon.CASE_ZH.findall(text)) for text in (new, old))
    else:
        one, other = (_case(text) for text in (new, old))
    return bool(one and other) and not (one <= other or other <= one)


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


def _without_numbers(sign: Signature) -> list[str]:
    words = _content(sign)
    return sorted(_loose(word) for word in words if word not in sign.numbers)


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


def _opposite_states_zh(one: str, other: str) -> str:
    for group in lexicon_frames.STATES_ZH:
        for left in group:
            for right in group:
                at = one.find(left)
                if left == right or at < 0 or right not in other:
                    continue
                if one.replace(left, "\0", 1) == other.replace(right, "\0", 1):
                    return f"{left} and {right} exclude one another"
    return ""


_STATES = tuple(frozenset(map(_loose, group)) | group for group in STATES)
_OFTEN = frozenset(
    map(_loose, word_set("hourly daily nightly weekly fortnightly biweekly monthly quarterly yearly annually"))
)
