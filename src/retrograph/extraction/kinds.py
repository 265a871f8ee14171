"""What kind of statement a text is, and how much it matters, read from its cue words."""

import re
from functools import lru_cache

from retrograph.extraction import lexicon_cues as lexicon
from retrograph.extraction.duplicates import signature
from retrograph.extraction.language import TEXTS_KEPT, has_han
from retrograph.models import GateScores, Language, MemoryType

# Where two types score the same, the rarer and more telling one wins.
_ORDER = (
    MemoryType.LESSON,
    MemoryType.CONSTRAINT,
    MemoryType.DECISION,
    MemoryType.TASK_STATE,
    MemoryType.PREFERENCE,
    MemoryType.SKILL,
    MemoryType.REFLECTION,
    MemoryType.EVENT,
    MemoryType.FACT,
)
_SECOND_CUE = 0.35
_LATIN = re.compile("[a-z]")


def propose_type(text: str, *, language: Language, speaker: str | None = None) -> MemoryType:
    """The type whose cues the text carries most of; without any a fact, or a note where it says little.

    Args:
        text: The statement.
        language: As detected; texts in other languages carry no cue and become notes.
        speaker: Who said it, where it is a turn of a conversation; changes nothing unless the text starts
            with the name, which is then left out.
    """
    if speaker and text.lower().startswith(speaker.lower()):
        text = text[len(speaker) :].lstrip(" :：,，") or text
    scores = type_scores(text)
    if language is Language.OTHER and not scores:
        return MemoryType.NOTE
    best = max(_ORDER, key=lambda kind: (scores.get(kind, 0.0), -_ORDER.index(kind)))
    if scores.get(best):
        return best
    # A plain statement without a cue is most often a fact.
    return MemoryType.FACT if len(signature(text).words) >= _A_STATEMENT else MemoryType.NOTE


_A_STATEMENT = 4
"""Content words (Chinese characters count singly) from which a text without a cue is taken to state a fact."""


@lru_cache(maxsize=TEXTS_KEPT)
def _scores(folded: str) -> tuple[tuple[MemoryType, float], ...]:
    in_chinese, in_english = has_han(folded), _LATIN.search(folded)
    found: list[tuple[MemoryType, float]] = []
    for kind in _ORDER:
        cues = (*(lexicon.CUES_EN[kind] if in_english else ()), *(lexicon.CUES_ZH[kind] if in_chinese else ()))
        weights = sorted((weight for weight, pattern in cues if pattern.search(folded)), reverse=True)
        if weights:
            found.append((kind, weights[0] + _SECOND_CUE * (len(weights) - 1)))
    return tuple(found)


def type_scores(text: str) -> dict[MemoryType, float]:
    """Weight of the cues of each type that a text carries; types without one are absent."""
    return dict(_scores(fold(text)))


def fold(text: str) -> str:
    """The text as the cue patterns expect it: lower case, plain quotes, single spaces, no explicit "remember"."""
    plain = re.sub(r"\s+", " ", text.replace("’", "'").replace("‘", "'")).strip().lower()
    return lexicon.REMINDER.sub("", plain)


def propose_importance(text: str, type: MemoryType, scores: GateScores) -> float:
    """How much a memory matters, in [0, 1].

    The type sets the start (`lexicon_cues.IMPORTANCE`: a constraint .75, an event .45); strong feeling adds up to
    .1, an explicit "remember" .15, and what the gate found little use in takes up to .2 away.
    """
    start = lexicon.IMPORTANCE[type]
    useful = 0.2 * (1.0 - scores.future_relevance)
    hedged = 0.1 if lexicon.HEDGED.search(fold(text)) else 0.0
    value = start + 0.1 * scores.emotion + 0.15 * scores.explicit - useful - hedged
    return round(min(1.0, max(0.05, value)), 3)
