"""The safety screen: what a text tries to do to its reader, and what must not be kept in it.

Pure functions over text. A finding says what kind of thing was seen and where, never the secret itself.
"""

import math
import re
import time
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from retrograph.extraction import lexicon_safety as lexicon
from retrograph.models import Source
from retrograph.settings import SafetySettings

Action = Literal["flag", "quarantine", "refuse"]
Verdict = Literal["allow", "flag", "quarantine", "refuse"]
Kind = Literal["injection", "authority", "secret", "oversize"]

_SEVERITY: dict[str, int] = {"allow": 0, "flag": 1, "quarantine": 2, "refuse": 3}
_CONTEXT_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the screen saw.

    Args:
        kind: `injection`, `authority`, `secret` or `oversize`.
        action: What the policy asks for.
        reason: What it looks like, in words; never the text of a secret.
        span: Offsets [start, end) in the text; for injection and authority in its unmasked form.
    """

    kind: Kind
    action: Action
    reason: str
    span: tuple[int, int]


def _compile(table: Iterable[tuple[str, str]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((reason, re.compile(pattern, re.IGNORECASE)) for reason, pattern in table)


_INJECTION = _compile((*lexicon.INJECTION_EN, *lexicon.INJECTION_ZH))
_AUTHORITY = _compile((*lexicon.AUTHORITY_EN, *lexicon.AUTHORITY_ZH))
_SPACED = re.compile(r"(?<![\w])(?:[A-Za-z][ \t._\-*]){4,}[A-Za-z](?![\w])")


# "1gn0re prev1ous": digits among the letters of one word.
_DIGITS_FOR_LETTERS = re.compile(r"(?<![\w./-])(?=[A-Za-z]*[01345@$])[A-Za-z01345@$]{3,24}(?![\w/-]|\.\w)")
_BLANK = re.compile(r"\s+")


def unmask(text: str) -> str:
    """The text as a model would read it: NFKC, no invisible characters, look-alike letters Latin, lower case.

    Runs of white space become one, spaces between Chinese and Latin go, and `i g n o r e` written letter by letter
    becomes one word, so that spacing does not hide it.
    """
    folded = lexicon.INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    # One space or line feed for each run: the patterns would walk a long run again from each of its characters.
    folded = _BLANK.sub(lambda run: "\n" if "\n" in run.group() or "\r" in run.group() else " ", folded)
    latin = sum(c.isascii() and c.isalpha() for c in folded)
    mixed = folded.translate(lexicon.LOOKALIKES)
    # Cyrillic or Greek prose stays what it is; a few foreign letters inside Latin prose are a disguise.
    if sum(a != b for a, b in zip(folded, mixed, strict=True)) < latin:
        folded = mixed
    folded = _SPACED.sub(lambda m: re.sub(r"[ \t._\-*]", "", m.group()), folded)
    folded = _DIGITS_FOR_LETTERS.sub(_spelt_out, folded)
    folded = re.sub(r"(?<=[\u3400-\u9fff])[ \t]+|[ \t]+(?=[\u3400-\u9fff])", "", folded)
    return folded.replace("’", "'").lower()


def _spelt_out(word: re.Match[str]) -> str:
    letters = sum(c.isalpha() for c in word.group())
    return word.group().translate(lexicon.LETTERS_OF_DIGITS) if letters * 3 >= len(word.group()) * 2 else word.group()


def screen(text: str, *, settings: SafetySettings, source: Source = Source.USER) -> tuple[Finding, ...]:
    """Everything in a text that policy has a word on.

    Args:
        text: As it arrived.
        settings: Policies and the longest content.
        source: Who it comes from. A claim of authority from a tool or an inference is not trusted and meets the
            policy; from the user it is flagged; the system may make it.

    Returns:
        Findings in the order of the text within each kind; empty for ordinary text.
    """
    if len(text) > settings.max_chars:
        reason = f"{len(text)} characters, more than {settings.max_chars}"
        return (Finding("oversize", "refuse", reason, (settings.max_chars, len(text))),)
    plain = unmask(text)
    found = [
        Finding("injection", settings.injection, f"instruction aimed at a model: {reason}", span)
        for reason, span in _matches(_INJECTION, plain)
    ]
    if source is not Source.SYSTEM:
        action: Action = "flag" if source is Source.USER else settings.authority
        found.extend(
            Finding("authority", action, f"claim of authority: {reason}", span)
            for reason, span in _matches(_AUTHORITY, plain)
        )
    found.extend(Finding("secret", settings.secrets, f"looks like a {what}", span) for what, span in find_secrets(text))
    return tuple(found)


def verdict(findings: Iterable[Finding]) -> Verdict:
    """The gravest action among findings; `allow` where there is none."""
    worst: Verdict = "allow"
    for finding in findings:
        if _SEVERITY[finding.action] > _SEVERITY[worst]:
            worst = finding.action
    return worst


def _matches(table: Iterable[tuple[str, re.Pattern[str]]], text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    seen: set[str] = set()
    for reason, pattern in table:
        match = None if reason in seen else pattern.search(text)
        if match:
            seen.add(reason)
            yield reason, match.span()


def find_secrets(text: str) -> tuple[tuple[str, tuple[int, int]], ...]:
    """Names and offsets of what looks like a secret: published key formats, named values, card numbers.

    Hashes, UUIDs and encoded images are told apart because a value counts only behind a published prefix, a
    name that announces a secret, or a card checksum.
    """
    found: list[tuple[str, tuple[int, int]]] = []

    def add(name: str, span: tuple[int, int]) -> None:
        if all(span[1] <= start or end <= span[0] for _, (start, end) in found):
            found.append((name, span))

    for name, span in _in_known_formats(text):
        add(name, span)
    for match in lexicon.SECRET_ASSIGNMENT.finditer(text):
        if _looks_secret(match["value"].rstrip(".!?)。"), announced_by=match["by"].strip(), name=match["name"]):
            add("password or key", match.span("value"))
    for what, pattern, is_one in _UNNAMED_SECRETS:
        for match in pattern.finditer(text):
            if is_one(match["value"]) and any(c.isdigit() for c in match["value"]):
                add(what, match.span("value"))
    for match in lexicon.CARD.finditer(text):
        if is_card_number(match.group()):
            add("card number", match.span())
    return tuple(sorted(found, key=lambda item: item[1]))


def is_card_number(text: str) -> bool:
    """Whether digits (spaces and hyphens between them) are a payment card number: issuer prefix and Luhn sum.

    Source: ISO/IEC 7812-1, annex B (Luhn formula).
    """
    digits = re.sub(r"[ -]", "", text)
    if not lexicon.CARD_PREFIX.match(digits) or len(set(digits)) < 2:
        return False
    total = 0
    for position, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if position % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _looks_secret(value: str, *, announced_by: str, name: str) -> bool:
    """Whether a value behind a name such as `password` is one, and not a word about it."""
    if lexicon.PLACEHOLDER.match(value) or len(value) < 4:
        return False
    kinds = _kinds(value)
    if any("\u3400" <= c <= "\u9fff" for c in value):
        return False
    if name.lower() == "pass":  # "pass: 1204, fail: 3", "the boarding pass is B12345"
        return announced_by in ("=", ":", "：") and kinds >= 3
    if value.isdigit():
        return bool(re.search(r"pin|pass|pwd|密码|口令|验证码", name, re.IGNORECASE))
    if announced_by in ("=", ":", "：", ":=", "=>"):
        return (kinds >= 2 and len(value) >= 6) or (len(value) >= 12 and _entropy(value) >= 3.0)
    # Prose ("the password is stored…"): only what no word of a language looks like.
    return any(c.isdigit() for c in value) and kinds >= 2 and len(value) >= 6


def _kinds(value: str) -> int:
    """How many of small letters, capitals, digits and signs a value mixes."""
    return sum(
        (
            any(c.islower() for c in value),
            any(c.isupper() for c in value),
            any(c.isdigit() for c in value),
            any(not c.isalnum() for c in value.strip(".")),
        )
    )


def _is_example(value: str) -> bool:
    body = re.sub(r"^[A-Za-z]+[_\-]", "", value)
    return bool(re.search(r"[xX*.]{6,}|(?:your|my)[_\-]?(?:key|token|secret)", body)) or len(set(body)) < 6


def _entropy(value: str) -> float:
    """Shannon entropy of the characters, bits per character."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _in_known_formats(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for name, pattern in lexicon.SECRET_FORMATS:
        for match in pattern.finditer(text):
            if not _is_example(match.group()):
                yield name, match.span()


_UNNAMED_SECRETS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("password or key", lexicon.LOGIN_PAIR, lambda value: _kinds(value) >= 3),
    ("bearer token", lexicon.BEARER, lambda value: _entropy(value) >= 3.5),
)


class Throttle:
    """Lets a source write as it likes, until a flood of near-equal texts comes from it.

    Within the window a source may write `per_minute` texts of any kind. Beyond that, a text is refused where
    it is near-equal to one of its last texts (token sets overlap by `likeness` or more, digits ignored);
    different texts still pass.

    Args:
        per_minute: Texts a window before near-equal ones are refused.
        clock: Monotonic seconds.
        window_s: Length of the window, seconds.
        likeness: Least overlap (Jaccard) of token sets that is near-equal.
        remembered: How many last texts of a source are compared.
        sources: How many sources are followed; the longest silent one is forgotten first.
    """

    def __init__(
        self,
        *,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
        window_s: float = 60.0,
        likeness: float = 0.8,
        remembered: int = 64,
        sources: int = 10_000,
    ) -> None:
        self._limit = per_minute
        self._clock = clock
        self._window_s = window_s
        self._likeness = likeness
        self._remembered = remembered
        self._sources = sources
        self._at: dict[str, deque[float]] = {}
        self._last: dict[str, deque[frozenset[str]]] = {}

    def admit(self, source: str, text: str) -> bool:
        """Count a text of a source; False where it is near-equal noise of a flood."""
        now = self._clock()
        times = self._at.pop(source, None) or deque()
        self._at[source] = times  # re-inserted: the dictionary's order is the order of last use
        while times and now - times[0] >= self._window_s:
            times.popleft()
        last = self._last.setdefault(source, deque(maxlen=self._remembered))
        tokens = _token_set(text)
        flooding = len(times) >= self._limit
        refused = flooding and any(_jaccard(tokens, other) >= self._likeness for other in last)
        times.append(now)
        if len(times) > self._limit + 1:
            times.popleft()
        last.append(tokens)
        self._forget_silent_sources()
        return not refused

    def _forget_silent_sources(self) -> None:
        while len(self._at) > self._sources:
            silent = next(iter(self._at))
            del self._at[silent]
            self._last.pop(silent, None)


def _token_set(text: str) -> frozenset[str]:
    folded = unmask(text[:_CONTEXT_CHARS])
    words = re.findall(r"[a-z]+|[\u3400-\u9fff]", folded)
    return frozenset(words or re.findall(r"\S+", folded))


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a or b else 1.0
