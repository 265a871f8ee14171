"""English entities: named entities with their labels mended, and noun chunks that are specific enough."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from retrograph.extraction.identifiers import NOUN_WEIGHT, Span
from retrograph.extraction.language import word_set
from retrograph.extraction.names import (
    CALENDAR,
    DIGIT_AND_LETTER,
    LITERAL_LABELS,
    NAME_TAGS,
    clean_name,
    english_names,
    is_technical,
    overlaps,
)
from retrograph.extraction.vocabulary import (
    ATTRIBUTES,
    CHINESE_PRONOUNS,
    CLASS_WORDS,
    GENERIC,
    LOOSE_MODIFIERS,
    is_generic,
)
from retrograph.models import EntityType

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token
    from spacy.tokens import Span as SpacySpan

_LONG_NOUN = 10
_UNKNOWN_NOUN = 6
_COMMON_ENDINGS = (
    "ness",
    "ment",
    "tion",
    "sion",
    "ity",
    "ing",
    "ance",
    "ence",
    "ship",
    "ings",
    "tions",
    "ments",
    "ities",
    "ships",
    "hood",
    "hoods",
    "ure",
    "ive",
    "ives",
    "asm",
    "ism",
    "ground",
    "grounds",
    "sphere",
    "nces",
    "acter",
    "acters",
    "eers",
    "eer",
    "encers",
)
_DROPPED_FRONT = frozenset(
    {"DET", "PRON", "NUM", "PUNCT", "CCONJ", "ADV", "INTJ", "SYM", "PART", "SCONJ", "VERB", "AUX", "ADP", "X"}
)

_CHUNK_TOKENS = 6


def english_entities(doc: "Doc", taken: Sequence[Span], *, is_word: Callable[[str], bool]) -> list[Span]:
    """Entities of a parsed English text.

    Args:
        doc: Tagged, parsed and with named entities.
        taken: Identifiers and known names found before, offsets in the same text; they keep their place.
        is_word: Whether the dictionary has a lower-case word; any other with a capital is a name.

    Returns:
        Spans with offsets in the doc's text; a chunk may enclose a name.
    """
    named = english_names(doc, taken, is_word)
    return [*named, *_chunks(doc, [*taken, *named], is_word)]


def _chunks(doc: "Doc", names: Sequence[Span], is_word: Callable[[str], bool]) -> list[Span]:
    spans: list[Span] = []
    for chunk in doc.noun_chunks:
        for tokens in _cut(chunk):
            span = _chunk_span(tokens, names, is_word)
            if span and not overlaps(span.start, span.end, spans):
                spans.append(span)
    return spans


def _cut(chunk: "SpacySpan") -> Iterable["list[Token]"]:
    """A chunk's phrases without determiners, possessors and commas: "rig7's disk" gives "rig7" and "disk"."""
    part: list[Token] = []
    for token in chunk:
        verbal = token.tag_ == "VBN" and any(t.tag_ in NAME_TAGS for t in part)
        if (
            verbal
            or token.tag_ == "POS"
            or token.text in {",", ";", "(", ")", '"', "“", "”", ":"}
            or token.pos_ == "CCONJ"
            or token.is_space
            or token.text in CHINESE_PRONOUNS
        ):
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def trimmed(tokens: "list[Token]") -> "list[Token]":
    """A noun phrase without what stands in front of it: determiners, numbers, loose adjectives."""
    while tokens and (
        (
            tokens[0].pos_ in _DROPPED_FRONT
            and not (tokens[0].pos_ == "NUM" and not tokens[0].whitespace_ and len(tokens) > 1)
        )
        or (tokens[0].ent_type_ in LITERAL_LABELS and (tokens[0].whitespace_ or len(tokens) == 1))
        or tokens[0].text.lower() in LOOSE_MODIFIERS
        or tokens[0].tag_ in {"PRP$", "PDT"}
    ):
        if len(tokens) > 1 and tokens[1].text == "-" and tokens[0].tag_ not in {"DT", "PRP$"}:
            break
        if len(tokens) == 1 and tokens[0].pos_ in {"VERB", "X"} and tokens[0].tag_ in {"VBG", "NN", "FW"}:
            break
        if tokens[0].pos_ in {"VERB", "X"} and len(tokens) > 1 and tokens[0].tag_ in {"VBG", "VBN", "FW", "NN"}:
            break
        tokens = tokens[1:]
        while tokens and tokens[0].text in {"-", "–"}:
            tokens = tokens[1:]
    while tokens and tokens[-1].pos_ in {"PUNCT", "SPACE", "NUM"} and tokens[-1].text not in {"%"}:
        tokens = tokens[:-1]
    return tokens


def _chunk_span(tokens: "list[Token]", names: Sequence[Span], is_word: Callable[[str], bool]) -> Span | None:
    tokens = trimmed(tokens)
    if any(t.pos_ in {"DET", "PRON", "INTJ"} for t in tokens):
        return None
    if (
        not tokens
        or len(tokens) > _CHUNK_TOKENS
        or any(token.ent_type_ in LITERAL_LABELS - {"CARDINAL", "ORDINAL"} for token in tokens)
    ):
        return None
    start, end = tokens[0].idx, tokens[-1].idx + len(tokens[-1].text)
    inner = [name for name in names if start < name.end and name.start < end]
    if any(name.start < start or name.end > end or (name.start == start and name.end == end) for name in inner):
        return None
    rest = [token for token in tokens if not any(name.start <= token.idx < name.end for name in inner)]
    head = tokens[-1]
    if inner and head not in rest:
        return None
    words = [token for token in rest if token.pos_ in {"NOUN", "PROPN", "ADJ", "VERB", "X"} and token.text not in {"-"}]
    lowered = head.text.lower()
    if inner and (len(words) != len(rest) or (lowered in CLASS_WORDS and len(words) == 1) or lowered in GENERIC):
        return None
    if not inner and len(words) < 2:
        return _single(head, is_word) if words else None
    if head.pos_ not in {"NOUN", "PROPN", "VERB", "X"} or (lowered in _WEAK_HEADS):
        return None
    name = head.doc.text[start:end]
    return Span(start, end, clean_name(name), EntityType.CONCEPT, NOUN_WEIGHT)


# Multi-word phrases with these heads say how much, when or how, not what.
_WEAK_HEADS = word_set(
    "thing things stuff way ways time times day days week weeks month months year years hour hours "
    "minute minutes moment lot lots bit kind kinds sort example case point fact reason problem problems "
    "issue issues question idea ideas one ones people person man woman guy kid kids number amount part "
    "parts place side end start today tomorrow words impact ride self moments bond effect vibe vibes "
    "energy attitude mindset journey step chance look job luck news morning afternoon evening night "
    "weekend percent pm am everyone feeling difference"
)


def _single(token: "Token", is_word: Callable[[str], bool]) -> Span | None:
    """A lone common noun: kept where it looks technical, is a long word, or is in no dictionary."""
    word = token.text
    lowered = word.lower()
    if (
        token.pos_ not in {"NOUN", "PROPN"}
        or is_generic(word)
        or token.lemma_.lower() in GENERIC
        or lowered in CALENDAR
        or (word.isupper() and lowered in ATTRIBUTES)
    ):
        return None
    technical = is_technical(word) or DIGIT_AND_LETTER.match(word) or (word.isupper() and len(word) > 1)
    rare = len(word) >= _LONG_NOUN and not lowered.endswith(_COMMON_ENDINGS)
    rare = rare or (
        len(word) >= _UNKNOWN_NOUN
        and word.isalpha()
        and lowered not in ATTRIBUTES
        and not is_word(token.lemma_.lower())
    )
    if not technical and not rare:
        return None
    return Span(token.idx, token.idx + len(word), word, EntityType.CONCEPT, NOUN_WEIGHT)
