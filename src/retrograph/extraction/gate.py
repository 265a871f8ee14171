"""The write gate: five signals in [0, 1], their weighted sum, and what it decides.

The signals are read from words and shapes alone, so that the same text always gets the same scores.
"""

import re
from dataclasses import dataclass

from retrograph.extraction import kinds, lexicon_cues, lexicon_noise
from retrograph.extraction.duplicates import normalise, signature
from retrograph.models import GateScores, Language, MemoryType, Outcome, Source
from retrograph.settings import GateSettings

_SIGNALS = ("information", "novelty", "future_relevance", "emotion", "explicit")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_LONGEST_CHARS = 8_000  # what comes after says no more about whether to keep it
_CJK = re.compile(r"[\u3400-\u9fff]")


def _whole(words: str) -> re.Pattern[str]:
    return re.compile(rf"^(?:{words})\b", re.IGNORECASE)


_GREETING = _whole(lexicon_noise.GREETING_STARTS_EN)
_QUESTION = re.compile(lexicon_noise.QUESTION_STARTS_EN, re.IGNORECASE)
_QUESTION_ZH = re.compile(lexicon_noise.QUESTION_ZH)
_REQUEST_ZH = re.compile(lexicon_noise.REQUEST_ZH)
_INTENT = re.compile(f"{lexicon_noise.INTENT_NOW_EN}|{lexicon_noise.INTENT_NOW_ZH}")
_CHATTER = re.compile(f"{lexicon_noise.CHATTER_EN}|{lexicon_noise.CHATTER_ZH}")
_REQUEST_VERBS = frozenset(lexicon_noise.REQUEST_VERBS_EN)
_ACKS = frozenset(lexicon_noise.ACK_WORDS_EN) | frozenset(lexicon_noise.GREETINGS_EN)
_VAGUE = frozenset(lexicon_noise.VAGUE_SUBJECTS_EN)
_ACKS_ZH = re.compile(
    "^(?:"
    + "|".join(
        re.escape(w) for w in sorted((*lexicon_noise.ACKS_ZH, *lexicon_noise.GREETINGS_ZH), key=len, reverse=True)
    )
    + f"|[{re.escape(lexicon_noise.FILLERS_ZH)}]"
    + ")+$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```.*?(?:```|$)", re.DOTALL)
_FUNCTION_WORDS = re.compile(
    r"\b(?:the|is|are|was|were|a|an|to|of|and|that|we|our|it|has|have|must|because|when|in|on|for|with|not|by)\b",
    re.IGNORECASE,
)
# What a dismissed sentence is still worth later.
_WORTH = {
    "greeting": 0.0,
    "acknowledgement": 0.0,
    "question": 0.1,
    "request": 0.15,
    "intent": 0.2,
    "chatter": 0.1,
    "noise": 0.0,
    "log": 0.1,
    "code": 0.1,
    "vague": 0.25,
}
_TERSE_INFORMATION = 0.75
"""Least that a whole fact says, in however few words."""
_MACHINE = ("log", "code", "noise")


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the sentences of a text are worth together."""

    future_relevance: float
    information: float
    dismissal: str


def score_gate(
    text: str,
    *,
    settings: GateSettings,
    novelty: float,
    language: Language,
    entities: int = 0,
    source: Source = Source.USER,
) -> GateScores:
    """Score a text for the gate.

    Args:
        text: The statement.
        settings: Weights of the signals and the thresholds.
        novelty: 1 − likeness to the nearest stored memory, in [0, 1] (`duplicates.novelty_against`).
        language: As detected. In other languages than English and Chinese no cue can be read: a text of some
            length is then taken for a statement.
        entities: How many entities the text mentions.
        source: Who it comes from; a tool's or an inference's texts have no feelings and give no instruction.

    Returns:
        The signals, `salience`, and in `decided_by` the signal or the kind of talk that decided.
    """
    text = text[:_LONGEST_CHARS]
    reading = _read(text, language, entities)
    spoken = source in (Source.USER, Source.SYSTEM)
    machine = reading.dismissal in _MACHINE
    emotion = _emotion(text) if not machine else 0.0
    explicit = _explicit(text) if spoken and not machine else 0.0
    values = {
        "information": reading.information,
        "novelty": min(1.0, max(0.0, novelty)),
        "future_relevance": reading.future_relevance,
        "emotion": emotion,
        "explicit": explicit,
    }
    weights = {name: float(getattr(settings, name)) for name in _SIGNALS}
    total = sum(weights.values()) or 1.0
    salience = sum(weights[name] * values[name] for name in _SIGNALS) / total
    decided_by = _decisive(values, weights, salience, reading.dismissal, settings)
    rounded = {name: round(value, 3) for name, value in values.items()}
    return GateScores(**rounded, salience=round(salience, 3), decided_by=decided_by)


def decide(scores: GateScores, *, settings: GateSettings, force: bool) -> tuple[Outcome, str]:
    """What becomes of a write: stored, borderline or refused, and a sentence that says why."""
    figure = f"salience {scores.salience:.2f}"
    if force:
        return Outcome.STORED, f"Stored because the caller forced it ({figure})."
    if scores.explicit >= 1.0:
        return Outcome.STORED, f"Stored because the text asks to be remembered ({figure})."
    because = _REASONS.get(scores.decided_by, f"decided by {scores.decided_by.replace('_', ' ')}")
    if scores.salience >= settings.store_at:
        return Outcome.STORED, f"Stored: {figure} ≥ {settings.store_at:.2f}, {because}."
    if scores.salience >= settings.borderline_at:
        return (
            Outcome.BORDERLINE,
            f"Borderline: {figure} is between {settings.borderline_at:.2f} and {settings.store_at:.2f}, "
            f"{because}; force=true stores it.",
        )
    return Outcome.REFUSED, f"Refused: {figure} < {settings.borderline_at:.2f}, {because}; force=true stores it."


_REASONS = {
    "greeting": "it is a greeting",
    "acknowledgement": "it is an acknowledgement",
    "question": "it asks and states nothing",
    "request": "it is a request for now",
    "intent": "it announces what is done next",
    "chatter": "it is small talk",
    "noise": "it carries no words",
    "log": "it is pasted machine output",
    "code": "it is pasted code",
    "vague": "it does not say what it is about",
}


def _decisive(
    values: dict[str, float], weights: dict[str, float], salience: float, dismissal: str, settings: GateSettings
) -> str:
    """The signal that carried a stored text, or the kind of talk or the missing signal that sank another."""
    if values["explicit"] >= 1.0:
        return "explicit"
    if salience >= settings.store_at:
        return max(_SIGNALS, key=lambda name: weights[name] * values[name])
    if dismissal:
        return dismissal
    return max(("information", "novelty", "future_relevance"), key=lambda name: weights[name] * (1 - values[name]))


def _read(text: str, language: Language, entities: int) -> _Reading:
    """Read sentence by sentence: what is dismissed counts nothing, the best of the others decides."""
    machine = _machine_output(text)
    if machine:
        return _Reading(_WORTH[machine], 0.2 if machine != "noise" else 0.0, machine)
    kept: list[str] = []
    dismissed: list[str] = []
    for sentence in _sentences(_FENCE.sub(" ", text)):
        kind = _dismissal(sentence, language)
        if kind:
            dismissed.append(kind)
        else:
            kept.append(sentence)
    if not kept:
        kind = max(dismissed, key=lambda d: _WORTH[d]) if dismissed else "noise"
        return _Reading(_WORTH[kind], 0.3 * _information(text, entities), kind)
    worth = max(_worth(sentence, language) for sentence in kept)
    information = _information(" ".join(kept), entities)
    if any(map(_is_terse, kept)):
        information = max(information, _TERSE_INFORMATION)
    return _Reading(worth, information, "")


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def _machine_output(text: str) -> str:
    """`log`, `code`, `noise` or "" by the share of lines that look like one."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or not any(c.isalnum() for c in text):
        return "noise"
    if lexicon_noise.KEYBOARD_MASH.match(text.strip()):
        return "noise"
    fenced = "".join(_FENCE.findall(text))
    outside = _FENCE.sub("", text).strip()
    if fenced and len(_words(outside)) < 6:
        return "code"
    if fenced:
        lines = [line for line in outside.splitlines() if line.strip()]
    logs = sum(bool(lexicon_noise.LOG_LINE_RAW.match(line)) for line in lines)
    if logs >= max(1, 0.5 * len(lines)):
        return "log"
    code = sum(_is_code(line) for line in lines)
    if code >= max(1, 0.6 * len(lines)):
        return "code"
    return ""


def _is_code(line: str) -> bool:
    if not lexicon_noise.CODE_LINE_RAW.match(line):
        return False
    prose = len(_FUNCTION_WORDS.findall(line)) + len(_CJK.findall(line)) / 3
    marks = len(lexicon_noise.MACHINE_CHARS.findall(line))
    return prose < 2 or marks > 2 * prose


def _dismissal(sentence: str, language: Language) -> str:
    """The kind of talk that makes a sentence not worth keeping, or "" for a statement."""
    folded = kinds.fold(sentence)
    bare = normalise(sentence)
    if not bare or not re.search(r"\w", bare):
        return "noise"
    if _explicit(sentence) >= 1.0:
        return ""
    if language is Language.OTHER:
        return "" if len(bare.split()) >= 4 or len(bare) >= 12 else "noise"
    if _is_terse(sentence):
        return ""
    words = bare.split()
    if _is_small_talk(sentence, bare, words):
        return "greeting" if _GREETING.match(bare) or _is_greeting_zh(bare) else "acknowledgement"
    folded = lexicon_noise.LIGHT_POLITE.sub("", folded) or folded
    if lexicon_noise.BOILERPLATE.search(folded) and len(words) <= 16:
        return "chatter"
    types = kinds.type_scores(sentence)
    standing = bool(lexicon_cues.STANDING.search(folded))
    if _is_question(folded) and not (standing and lexicon_noise.POLITE_QUESTION.match(folded)):
        return "question"
    told = any(types.get(kind, 0) >= 3 for kind in _TELLING)
    if _is_request(folded) and not standing and not told:
        return "request"
    dated = types.get(MemoryType.EVENT, 0) >= 2.6  # (a time of its own, not the next minute)
    if (_INTENT.match(folded) or lexicon_cues.FLEETING.search(folded)) and not told and not dated:
        return "intent"
    if _CHATTER.search(folded) and (not told or lexicon_noise.LAUGHTER.search(folded)):
        return "chatter"
    return "vague" if _is_vague(folded, words, told) else ""


_TELLING = (
    MemoryType.CONSTRAINT,
    MemoryType.LESSON,
    MemoryType.DECISION,
    MemoryType.PREFERENCE,
    MemoryType.SKILL,
    MemoryType.TASK_STATE,
    MemoryType.REFLECTION,
)


def _is_small_talk(sentence: str, bare: str, words: list[str]) -> bool:
    if _CJK.search(bare):
        return bool(_ACKS_ZH.match(re.sub(r"[\s,，.。!！?？~～]", "", sentence.lower())))
    if len(words) <= 8 and all(word.strip("'") in _ACKS for word in words):
        return True
    return bool(_GREETING.match(bare)) and len(words) <= 5 and not kinds.type_scores(sentence)


def _is_terse(sentence: str) -> bool:
    """Whether it is a whole fact in two or three words: "I'm vegan", 预算9万."""
    plain = sentence.strip().replace("’", "'")
    return bool(lexicon_cues.TERSE.match(plain) or lexicon_cues.TERSE_OF_NAME.match(plain))


def _is_greeting_zh(bare: str) -> bool:
    return any(bare.startswith(word) for word in lexicon_noise.GREETINGS_ZH)


def _is_question(folded: str) -> bool:
    if folded.rstrip(" \"')”").endswith(("?", "？")):
        return True
    if _CJK.search(folded):
        return bool(_QUESTION_ZH.search(folded.rstrip("。.!！ ")))
    return bool(_QUESTION.match(folded)) and not lexicon_noise.CLEFT.match(folded)


def _is_request(folded: str) -> bool:
    if _CJK.search(folded):
        return bool(_REQUEST_ZH.match(folded))
    body = lexicon_noise.POLITE_QUESTION.sub("", folded)
    first = re.match(r"[a-z\-]+", body)
    return bool(first) and first.group() in _REQUEST_VERBS


_IT_IS_THAT = re.compile(r"it(?:'s| is| was)\s+(?:\w+ly )?\w+\s+(?:that|to|for|when|if)\s+\w+")


def _is_vague(folded: str, words: list[str], told: bool) -> bool:
    """A sentence about "it" or "that", or of a word or two, tells a later reader nothing."""
    if _CJK.search(folded):
        if len(_CJK.findall(folded)) + 2 * len(lexicon_cues.EN_WORD.findall(folded)) < 5:
            return True
        return bool(re.match(r"(?:它|这个?|那个?|这样|那样|这些|那些|有点|又|还是)", folded)) and len(folded) <= 10
    if len(words) < 3:
        return True
    if _IT_IS_THAT.match(folded):
        return False
    first = re.sub(r"'.*", "", words[0])
    content = [w for w in signature(folded).words if w not in _VAGUE]
    return first in _VAGUE and len(content) <= 3 and not told


def _worth(sentence: str, language: Language) -> float:
    """How likely a statement is to be useful later, by the most durable type whose cues it carries."""
    if _is_terse(sentence):
        return lexicon_cues.DURABILITY[MemoryType.FACT]
    types = kinds.type_scores(sentence)
    folded = kinds.fold(sentence)
    if not types:
        telling = language is Language.OTHER or _content_words(sentence) >= _TELLS_ENOUGH
        return 0.65 if telling else lexicon_cues.DURABILITY[MemoryType.NOTE]
    worth = max(lexicon_cues.DURABILITY[kind] for kind in types)
    if lexicon_cues.NOTED.search(sentence.lower()):
        worth = max(worth, 0.9)
    if lexicon_cues.HEDGED.search(folded) and worth < 0.9:
        worth *= 0.85
    return worth


_TELLS_ENOUGH = 5
"""Content words from which a statement without any cue is taken to say something."""


def _content_words(text: str) -> float:
    """Content words; two Chinese characters count as one."""
    words = signature(text).words
    chinese = sum(bool(_CJK.match(word)) for word in words)
    return len(words) - chinese / 2


def _information(text: str, entities: int) -> float:
    """How much a text says: content words, saturating at five, and what pins it down (numbers, names)."""
    sign = signature(text)
    density = min(1.0, _content_words(text) / 5.0) ** 0.6
    specific = min(0.3, 0.15 * (len(sign.names) + len(sign.numbers)) + 0.05 * entities)
    return min(1.0, 0.8 * density + specific)


def _emotion(text: str) -> float:
    folded = kinds.fold(text)
    strong = len(lexicon_cues.STRONG.findall(folded))
    marked = len(lexicon_cues.MARKED.findall(folded))
    return min(1.0, 0.7 * min(strong, 1) + 0.4 * min(marked, 2))


def _explicit(text: str) -> float:
    """1 for "remember…", .6 for "note that…", else 0."""
    folded = text.replace("’", "'").strip().lower()
    match = lexicon_cues.EXPLICIT.search(folded)
    if match and len(re.sub(r"\W", "", folded[match.end() :])) + len(re.sub(r"\W", "", folded[: match.start()])) >= 3:
        return 1.0
    return 0.6 if lexicon_cues.NOTED.search(folded) else 0.0


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z]+|[\u3400-\u9fff]", text)
