"""When two texts say the same: the exact hash, the careful merge, and the mere likeness.

A merge drops a text for good, so cosine alone never decides one: whatever changes a statement's meaning
(polarity, numbers, names, dates, opposites, who does what to whom, any content word) must be equal too.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from retrograph.extraction import lexicon_meaning as lexicon
from retrograph.extraction.language import TEXTS_KEPT
from retrograph.extraction.lexicon_safety import INVISIBLE
from retrograph.models import Language, TimeSpan

LONGEST_CHARS = 4_000
"""Only so much of a text is compared word by word; longer ones merge only when they are equal."""
MERGE_RELEVANCE = 1.0
SIMILAR_RELEVANCE = 0.9
"""Least likeness to merge and to link, as calibrated relevance: it means the same with every encoder."""
MERGE_COSINE = 0.95
SIMILAR_COSINE = 0.92
"""The same as cosines, for a caller without a calibration."""

_CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "—": "-", "–": "-", "‐": "-", "−": "-"})
_KEPT_INSIDE = re.compile(
    r"(?<=[^\W_])[.,:/@_\-+](?=[^\W_])|(?<=[^\W_])[#+]+(?=\s|$)|(?<![\w.,:/@+\-])[-.](?=\d)|'(?=[^\W_])|(?<=\d)%"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A text to compare.

    Args:
        text: The words.
        language: As detected.
        entities: Keys of the entities it mentions, where they are known.
        times: The times it speaks of, resolved.
    """

    text: str
    language: Language = Language.ENGLISH
    entities: frozenset[str] = frozenset()
    times: tuple[TimeSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class Signature:
    """What makes a statement's meaning, as far as words show it.

    Args:
        negations: How many negations it carries.
        numbers: Its numbers, in order, as values ("80k", "80,000" and 八万 are one).
        names: Its capitalised words and technical identifiers, in order, folded.
        words: Its content words, in order, each in one form for all words of the same meaning.
    """

    negations: int
    numbers: tuple[str, ...]
    names: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def negative(self) -> bool:
        """It denies rather than asserts."""
        return self.negations % 2 == 1


def normalise(text: str) -> str:
    """A text with everything folded that a reader would not call a difference.

    NFKC (width), lower case, typographic quotes and dashes, invisible characters, white space, punctuation at
    word edges; no space between Chinese and Latin. Punctuation inside `3.5`, `v1.2`, `a/b`, `x@y`, `c++` stays.
    """
    return _normalised(text) if len(text) <= LONGEST_CHARS else _normalised.__wrapped__(text)


@lru_cache(maxsize=TEXTS_KEPT)
def _normalised(text: str) -> str:
    folded = INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).translate(_QUOTES).casefold()
    kept = {m.start() + i for m in _KEPT_INSIDE.finditer(folded) for i in range(len(m.group()))}
    spaced = "".join(c if c.isalnum() or i in kept or _is_mark(c) else " " for i, c in enumerate(folded))
    spaced = " ".join(spaced.split())  # first: the pattern below is slow on long runs of spaces
    return re.sub(rf"(?<=[{_CJK}]) | (?=[{_CJK}])", "", spaced)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Mc", "So", "Sc", "Sm") and character not in "<>=|~^`"


def asks(text: str) -> bool:
    """Whether a text ends as a question: it asserts nothing, whatever its words say."""
    return bool(_ASKS.search(text))


_ASKS = re.compile(r"(?:[?？]|[吗呢][。.!！]?)[\s\"”’』」)）]*$")


def content_hash(text: str, *, times: Sequence[TimeSpan] = ()) -> str:
    """A hash that is equal for the same words about the same dates.

    Args:
        text: The words.
        times: The times the text speaks of, resolved: "yesterday" told on two days is two statements.

    Returns:
        64 hexadecimal digits (SHA-256).
    """
    parts = [normalise(text) or text.strip()]
    parts.extend(f"{_stamp(span.start)}/{_stamp(span.end)}" for span in times)
    return hashlib.sha256("\x1f".join(parts).encode("utf-8")).hexdigest()


def _stamp(at: object) -> str:
    return at.isoformat() if hasattr(at, "isoformat") else ""  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]


def same_statement(a: Statement, b: Statement, *, cosine: float, threshold: float = MERGE_COSINE) -> tuple[bool, str]:
    """Whether two statements may be merged into one, and the sentence that says why or why not.

    Args:
        a: One statement.
        b: The other.
        cosine: Of their vectors.
        threshold: Least cosine. It is necessary, never sufficient.
    """
    if asks(a.text) != asks(b.text):
        return False, "one of them asks"
    if normalise(a.text) == normalise(b.text):
        if _dates_differ(a, b):
            return False, "the same words about different dates"
        return True, "the same words"
    if cosine < threshold:
        return False, f"cosine {cosine:.3f} is below {threshold}"
    if max(len(a.text), len(b.text)) > LONGEST_CHARS:
        return False, "too long to be compared word by word"
    difference = difference_of(a, b)
    if difference:
        return False, difference
    one, other = signature(a.text), signature(b.text)
    if one.negations != other.negations:
        return False, "one of them is negated more often"
    if not one.words:
        return False, "no content words to compare"
    if Counter(one.words) != Counter(other.words):
        changed = sorted((Counter(one.words) - Counter(other.words)) + (Counter(other.words) - Counter(one.words)))
        return False, f"different words: {', '.join(changed[:6])}"
    if not _is_rotation(one.words, other.words):
        return False, "the same words in another order may change who does what"
    return True, f"cosine {cosine:.3f} with equal polarity, numbers, names, dates and words"


def is_similar(a: Statement, b: Statement, *, cosine: float, threshold: float = SIMILAR_COSINE) -> tuple[bool, str]:
    """Whether two statements deserve a `similar` link: alike, and not at odds in polarity, numbers, names or dates.

    Args:
        a: One statement.
        b: The other.
        cosine: Of their vectors.
        threshold: Least cosine; an encoder's calibration gives the one for `SIMILAR_RELEVANCE`.
    """
    if cosine < threshold:
        return False, f"cosine {cosine:.3f} is below {threshold}"
    difference = difference_of(a, b)
    if difference:
        return False, difference
    return True, f"cosine {cosine:.3f}, nothing at odds"


def novelty_against(new: Statement, nearest: Statement | None, *, cosine: float, floor: float = 0.75) -> float:
    """How new a statement is beside the stored one nearest to it, in [0, 1].

    A changed number, name, date or polarity is news however near the vectors are, so it counts as wholly new.
    So does a text that is only about like things: novelty falls from 1 at a likeness of `_ABOUT_THE_SAME` to 0
    at the same words, likeness being the cosine scaled from `floor` to 1.

    Args:
        new: The statement to write.
        nearest: The nearest stored one, or None for an empty bank.
        cosine: Of their vectors.
        floor: Cosine of unrelated texts with this encoder.
    """
    if nearest is None or difference_of(new, nearest):
        return 1.0
    if normalise(new.text) == normalise(nearest.text):
        return 0.0
    return min(1.0, max(0.0, (1.0 - _likeness(cosine, floor)) / (1.0 - _ABOUT_THE_SAME)))


_ABOUT_THE_SAME = 0.6


def is_about_the_same(cosine: float, *, floor: float) -> bool:
    """Whether a text may be less than wholly new beside another (see `novelty_against`), by their cosine alone."""
    return _likeness(cosine, floor) > _ABOUT_THE_SAME


def _likeness(cosine: float, floor: float) -> float:
    return (cosine - floor) / (1.0 - floor)


def difference_of(a: Statement, b: Statement) -> str:
    """What sets two statements at odds, as a sentence; "" where nothing does."""
    one, other = signature(a.text), signature(b.text)
    if one.negative != other.negative:
        return "one of them is negated"
    if Counter(one.numbers) != Counter(other.numbers):
        return f"different numbers: {_listed(one.numbers)} and {_listed(other.numbers)}"
    if _dates_differ(a, b):
        return "different dates"
    mine, theirs = _names_beside(one, other), _names_beside(other, one)
    if mine or theirs:
        return f"different names: {_listed(mine)} and {_listed(theirs)}"
    if a.entities and b.entities and not (a.entities <= b.entities or b.entities <= a.entities):
        return f"different entities: {_listed(sorted(a.entities ^ b.entities))}"
    opposite = opposites(one, other)
    if opposite:
        return f"opposites: {opposite[0]} and {opposite[1]}"
    return ""


def _names_beside(one: Signature, other: Signature) -> list[str]:
    """Names of one that the other lacks; a word that merely begins a sentence is found among the other's words."""
    return sorted(n for n in set(one.names) - set(other.names) if _stem(n) not in other.words and n not in other.words)


def opposites(a: Signature, b: Signature) -> tuple[str, str] | None:
    """A pair of words, one of each, of which a statement can hold only one."""
    mine, theirs = _forms(a.words) - _forms(b.words), _forms(b.words) - _forms(a.words)
    for group in lexicon.OPPOSITES_EN:
        left, right = mine & group, theirs & group
        if left and right:
            return min(left), min(right)
    text_a, text_b = "".join(a.words), "".join(b.words)
    for group in lexicon.OPPOSITES_ZH:
        left_zh = [w for w in group if w in text_a and w not in text_b]
        right_zh = [w for w in group if w in text_b and w not in text_a]
        if left_zh and right_zh:
            return min(left_zh), min(right_zh)
    return None


def _forms(words: Sequence[str]) -> set[str]:
    return {form for word in words for form in (word, word + "e", word + "s", word + "ed")}


def _dates_differ(a: Statement, b: Statement) -> bool:
    days_a, days_b = _days(a.times), _days(b.times)
    return bool(days_a or days_b) and days_a != days_b


def _days(times: Sequence[TimeSpan]) -> set[tuple[str, str]]:
    return {(_stamp(span.start), _stamp(span.end)) for span in times}


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) if words else "none"


def _is_rotation(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether moving the first words to the end makes one the other ("on Monday we ship", "we ship on Monday")."""
    doubled = [*a, *a]
    return any(doubled[i : i + len(b)] == list(b) for i in range(len(a)))


def _table(rows: tuple[tuple[str, bool, str], ...], edge: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(f"{edge}(?:{forms}){edge}"), f" {'¬ ' if turns else ''}{word} ") for word, turns, forms in rows
    )


_SAME_EN = _table(lexicon.SAME_MEANING_EN, r"\b")
_SAME_ZH = _table(lexicon.SAME_MEANING_ZH, "")
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)[-+]?\d+(?:,\d{3})*(?:\.\d+)?\s?(?:%|万|亿|千|百万|(?:k|m|bn|b)(?![a-z]))?"
)
_TOKEN = re.compile(rf"¬|[{_CJK}]|[^\s{_CJK}]+")
_NUMBER_ZH = re.compile(
    r"[零一二两三四五六七八九十百千]+(?=[个天年月日号元块万亿点分秒人次台周岁台套份条项倍小个位字行名层楼级只张本件把辆座家间杯碗瓶盒包袋箱斤米升毫场门轮顿支颗])"
)


@lru_cache(maxsize=TEXTS_KEPT)
def signature(text: str) -> Signature:
    """The signature of a text; see `Signature`."""
    text = text[:LONGEST_CHARS]
    names = _names(text)
    folded = re.sub(r"\bcan(?:not|'t)\b", "can not", normalise(text).replace("won't", "will not"))
    folded = re.sub(r"n't\b", " not", folded)
    for pattern, canonical in (*_SAME_EN, *_SAME_ZH):
        folded = pattern.sub(canonical, folded)
    folded = lexicon.NEGATOR_PHRASES_EN.sub(" ¬ ", folded)
    harmless: list[str] = []

    def hide(match: re.Match[str]) -> str:
        harmless.append(match.group())
        return "\ue000"

    folded = lexicon.NO_NEGATION_ZH.sub(hide, folded)
    folded = lexicon.NEGATORS_ZH.sub(" ¬ ", folded)
    for word in harmless:
        folded = folded.replace("\ue000", word, 1)
    numbers: list[str] = []

    def keep(match: re.Match[str]) -> str:
        numbers.append(_value(match.group()))
        return f" {numbers[-1]} "

    folded = _NUMBER_ZH.sub(lambda m: str(_chinese_number(m.group())), folded)
    folded = _NUMBER.sub(keep, folded)
    words: list[str] = []
    negations = 0
    for token in _TOKEN.findall(folded):
        if token == "¬" or token in lexicon.NEGATORS_EN:
            negations += 1
        elif token in lexicon.NUMBER_WORDS_EN:
            numbers.append(f"{lexicon.NUMBER_WORDS_EN[token]:g}")
            words.append(numbers[-1])
        elif token not in lexicon.EMPTY_WORDS_EN and token not in lexicon.EMPTY_CHARS_ZH:
            words.append(_stem(token))
    return Signature(negations, tuple(numbers), names, tuple(words))


def polarity(text: str) -> bool:
    """True where a text asserts, False where it denies."""
    return not signature(text).negative


def _names(text: str) -> tuple[str, ...]:
    folded = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    found: list[str] = []
    for match in lexicon.NAME_RAW.finditer(folded):
        name = re.sub(r"'s$", "", match.group()).casefold().strip("-.'")
        if name and name not in lexicon.NOT_NAMES:
            found.append(_canonical_name(name))
    return tuple(found)


def _canonical_name(name: str) -> str:
    for pattern, canonical in _SAME_EN:
        if pattern.fullmatch(name):
            return canonical.strip()
    return name


def _value(text: str) -> str:
    match = re.match(r"([-+]?[\d,.]+)\s?(\D*)", text)
    if match is None:
        return text
    number = float(match[1].replace(",", "").rstrip(".") or 0) * lexicon.MULTIPLIERS.get(match[2].strip(), 1)
    return f"{number:.12g}"


def _chinese_number(text: str) -> int:
    digits = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2}
    total, current = 0, 0
    for c in text:
        if c in digits:
            current = digits[c]
        else:
            total += (current or 1) * {"十": 10, "百": 100, "千": 1000}[c]
            current = 0
    return total + current


def _stem(word: str) -> str:
    """Plural, third person and -ing folded away; tense stays, for "works" and "worked" are two statements."""
    word = re.sub(r"'s$|'$", "", word)
    if not word.isascii() or not word.isalpha() or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ing") and len(word) > 5:
        return word[:-3].rstrip("e")
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.rstrip("e") if len(word) > 4 else word
