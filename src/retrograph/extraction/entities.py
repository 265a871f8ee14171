"""English entities: named entities with their labels mended, and noun chunks that are specific enough."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from retrograph.extraction.identifiers import Span
from retrograph.extraction.keys import entity_key
from retrograph.extraction.language import has_han
from retrograph.extraction.vocabulary import (
    ATTRIBUTES,
    CLASS_WORDS,
    GENERIC,
    INTERJECTIONS,
    LOOSE_MODIFIERS,
    PERSON_TITLES,
    PRONOUNS,
    TECH_CLASSES,
    TECHNOLOGIES,
    is_generic,
)
from retrograph.models import EntityType

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token
    from spacy.tokens import Span as SpacySpan

_TYPE_OF_LABEL = {
    "PERSON": EntityType.PERSON,
    "ORG": EntityType.ORGANISATION,
    "GPE": EntityType.PLACE,
    "LOC": EntityType.PLACE,
    "FAC": EntityType.PLACE,
    "PRODUCT": EntityType.PRODUCT,
    "WORK_OF_ART": EntityType.PRODUCT,
    "EVENT": EntityType.CONCEPT,
    "LAW": EntityType.CONCEPT,
    "LANGUAGE": EntityType.CONCEPT,
    "NORP": EntityType.CONCEPT,
}
# Spans of these labels are amounts and times: data of a memory, no nodes.
LITERAL_LABELS = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})
_CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august "
    "september october november december mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov "
    "dec christmas easter".split()
)
_NAME_TAGS = frozenset({"NNP", "NNPS"})
_CAMEL = re.compile(r"^(?:[A-Z][a-z0-9]+){2,}$|^[a-z]+[A-Z]\w*$|^[A-Z]+[a-z]+[A-Z]\w*$")
_DIGIT_AND_LETTER = re.compile(r"(?=.*[A-Za-z])(?=.*\d)")
_LONG_NOUN = 10
_COMMON_ENDINGS = ("ness", "ment", "tion", "sion", "ity", "ing", "ance", "ence", "ship", "ings", "tions", "ments", "ities", "ships", "hood", "hoods", "ure", "ive", "ives", "asm", "ism", "ground", "grounds", "sphere", "nces", "acter", "acters", "eers", "eer", "encers")
_DROPPED_FRONT = frozenset({"DET", "PRON", "NUM", "PUNCT", "CCONJ", "ADV", "INTJ", "SYM", "PART", "SCONJ", "VERB", "AUX", "ADP", "X"})

_NAMED_WEIGHT = 0.9
_CHUNK_WEIGHT = 0.6
_NOUN_WEIGHT = 0.4
_CHUNK_TOKENS = 6


def english_entities(doc: "Doc", taken: Sequence[Span], *, is_word: Callable[[str], bool]) -> list[Span]:
    """Entities of a parsed English text.

    Args:
        doc: Tagged, parsed and with named entities.
        taken: Identifiers and known names found before, offsets in the same text; they keep their place.
        is_word: Whether the dictionary has a lower-case word; a capital on any other opens a sentence with a name.

    Returns:
        Spans with offsets in the doc's text; a chunk may enclose a name.
    """
    named = _named(doc, taken, is_word)
    return [*named, *_chunks(doc, [*taken, *named])]


def _overlaps(start: int, end: int, spans: Iterable[Span]) -> bool:
    return any(start < span.end and span.start < end for span in spans)


def _named(doc: "Doc", taken: Sequence[Span], is_word: Callable[[str], bool]) -> list[Span]:
    spans: list[Span] = []
    for ent in doc.ents:
        kind = _TYPE_OF_LABEL.get(ent.label_)
        for part in _parts(ent) if kind else ():
            span = _named_span(part, kind or EntityType.CONCEPT)
            if span and not _overlaps(span.start, span.end, [*taken, *spans]):
                spans.append(span)
    for run in _proper_runs(doc, is_word):
        span = _named_span(run, EntityType.CONCEPT)
        if span and not _overlaps(span.start, span.end, [*taken, *spans]):
            spans.append(span._replace(weight=0.8))
    return spans


def _parts(ent: "SpacySpan") -> Iterable["list[Token]"]:
    """Tokens of a named entity, cut at possessives and commas: "Ann's Paris" are two."""
    part: list[Token] = []
    for token in ent:
        if _cuts(token, ent.label_):
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


_NAME_PARTICLES = frozenset("de van von der den la le al bin ibn da do dos del di du of the and & - for y e".split())


def _cuts(token: "Token", label: str) -> bool:
    text = token.text
    if token.tag_ == "POS":
        following = token.nbor() if token.i + 1 < len(token.doc) else None
        return label == "PERSON" or following is None or not (following.text[0].isupper() and following.ent_type_ == label)
    if text in {",", ";", ":", "(", ")", "/", "\n"} or token.is_space:
        return True
    lowered = text.lower()
    if label == "WORK_OF_ART":
        return False
    if lowered in {"to", "from", "with", "vs", "versus", "or"} and text.islower():
        return True
    return label in {"PERSON", "GPE", "PRODUCT"} and text.islower() and token.pos_ in {"VERB", "AUX", "NOUN", "ADV"} and not _DIGIT_AND_LETTER.match(text) and lowered not in _NAME_PARTICLES and len(text) > 2 and token.i > token.doc[token.i].sent.start and token.ent_iob_ == "I"


def _proper_runs(doc: "Doc", is_word: Callable[[str], bool]) -> Iterable["list[Token]"]:
    """Runs of proper nouns, and technical-looking or known technology words, that no entity covers."""
    run: list[Token] = []
    for token in doc:
        literal = token.ent_type_ in LITERAL_LABELS
        proper = token.tag_ in _NAME_TAGS and (token.text[0].isupper() or _is_technical(token.text))
        proper = proper or _opens_with_name(token, is_word)
        if not literal and (proper or _is_technical(token.text)):
            run.append(token)
            continue
        if run and _is_model_number(token, run):
            run.append(token)
            continue
        if run:
            yield run
        run = []
    if run:
        yield run


def _opens_with_name(token: "Token", is_word: Callable[[str], bool]) -> bool:
    """ "Rui hates noodles": an unknown word with a capital, subject without an article."""
    subject = token.tag_ == "NN" and token.dep_ in {"nsubj", "nsubjpass", "poss"}
    return subject and token.text.istitle() and not list(token.lefts) and not is_word(token.text.lower())


def _is_model_number(token: "Token", run: "list[Token]") -> bool:
    """ "iPhone 15", "Room 101": a small bare number behind a name belongs to it."""
    if not re.fullmatch(r"\d{1,4}", token.text) or token.ent_type_ in {"DATE", "TIME", "MONEY", "PERCENT"}:
        return False
    following = token.nbor() if token.i + 1 < len(token.doc) else None
    counted = following is not None and following.pos_ in {"NOUN", "PROPN", "NUM"} and following.head is not run[-1]
    return not counted and not (following is not None and following.text in {"%", ":", "-", "/"})


def _is_technical(word: str) -> bool:
    if not word[0].isalnum() or has_han(word):
        return False
    return bool(_CAMEL.match(word)) or word.lower() in TECHNOLOGIES and word.lower() not in {"make", "vault", "spark", "swift", "hive", "notion", "slack", "react", "flask", "vim", "rust", "helm", "cypher", "windows", "excel", "presto", "envoy", "consul", "ruby", "perl", "yarn", "ruff", "sentry"}


def _named_span(tokens: "list[Token]", kind: EntityType) -> Span | None:
    while tokens and (
        (tokens[0].pos_ in {"DET", "PUNCT", "CCONJ", "ADP", "PRON", "NUM"} and not _is_technical(tokens[0].text) and not _titled(tokens))
        or tokens[0].text.lower() in PRONOUNS
        or (len(tokens) > 1 and tokens[0].i == tokens[0].sent.start and tokens[0].text.lower() in INTERJECTIONS)
        or (tokens[0].text.lower().strip(".") in PERSON_TITLES and len(tokens) > 1)
    ):
        tokens = tokens[1:]
    while tokens and (
        (tokens[-1].pos_ in {"PUNCT", "ADP", "CCONJ", "DET", "SPACE"} and not _is_technical(tokens[-1].text))
        or tokens[-1].tag_ == "POS"
        or (len(tokens) > 1 and re.fullmatch(r"v?\d+(?:\.\d+)+", tokens[-1].text))
    ):
        tokens = tokens[:-1]
    if not tokens:
        return None
    start, end = tokens[0].idx, tokens[-1].idx + len(tokens[-1].text)
    name = tokens[0].doc.text[start:end]
    lowered = name.lower()
    if is_generic(name) or lowered in _CALENDAR or not any(char.isalpha() for char in name) or len(entity_key(name)) < 2:  # noqa: PLR2004
        return None
    if name.islower() and not _DIGIT_AND_LETTER.match(name) and lowered not in TECHNOLOGIES and kind is not EntityType.PLACE:
        return None
    if len(tokens) == 1 and _is_false_name(tokens[0]):
        return None
    opens = tokens[0].i == tokens[0].sent.start
    if opens and len(tokens) > 1 and all(t.text.islower() for t in tokens[1:]) and not _is_technical(tokens[0].text):
        return None
    return Span(start, end, _clean(name), _mended_type(tokens, name, kind), _NAMED_WEIGHT)


def _titled(tokens: "list[Token]") -> bool:
    """A work's title keeps its article: "The Left Hand of Darkness"."""
    return tokens[0].ent_type_ == "WORK_OF_ART" and len(tokens) > 2  # noqa: PLR2004


def _is_false_name(token: "Token") -> bool:
    """A capital at the start of a sentence makes interjections and verbs look like names."""
    lowered = token.text.lower()
    if lowered in INTERJECTIONS:
        return True
    if lowered in ATTRIBUTES and token.ent_type_ != "PERSON":
        return True
    if _is_technical(token.text) or token.text.lower() in TECHNOLOGIES:
        return False
    if token.pos_ in {"INTJ", "VERB", "AUX", "ADV", "ADP", "SCONJ", "DET", "PRON"} and token.ent_type_ == "":
        return True
    opens = token.i == token.sent.start and token.ent_type_ == ""
    if opens and token.dep_ in {"ROOT", "intj", "advmod", "dep"} and lowered not in TECHNOLOGIES:
        return True
    if opens and token.dep_ in {"compound", "amod"} and token.head.text.islower() and token.head.i > token.i:
        return True
    return token.ent_type_ == "" and lowered in LOOSE_MODIFIERS | GENERIC


def _mended_type(tokens: "list[Token]", name: str, kind: EntityType) -> EntityType:
    first, last = tokens[0], tokens[-1]
    before = first.nbor(-1).text.lower().strip(".") if first.i else ""
    if before in PERSON_TITLES or (_is_addressed(first) and name.lower() not in TECHNOLOGIES):
        return EntityType.PERSON
    if name.lower() in TECHNOLOGIES:
        return EntityType.TOOL
    if _DIGIT_AND_LETTER.match(name) and len(tokens) == 1:
        return EntityType.IDENTIFIER if name.islower() else EntityType.PRODUCT
    after = last.nbor().text.lower() if last.i + 1 < len(last.doc) else ""
    if after in TECH_CLASSES and kind is not EntityType.PLACE:
        return EntityType.TOOL
    if _CAMEL.match(name) and kind not in {EntityType.ORGANISATION, EntityType.PERSON}:
        return EntityType.TOOL
    return _type_by_use(tokens, kind)


def _is_addressed(first: "Token") -> bool:
    """ "Hey Nate", "Thanks, Gina!": somebody is spoken to."""
    if not first.i or first.i == first.sent.start:
        return False
    before = first.nbor(-1)
    if before.text == "," and before.i:
        before = before.nbor(-1)
        return before.text.lower() in {"hey", "hi", "hello", "thanks", "bye", "wow", "yeah", "yes"} and first.pos_ == "PROPN"
    return before.text.lower() in {"hey", "hi", "hello", "thanks", "bye", "dear"} and first.pos_ == "PROPN"


def _type_by_use(tokens: "list[Token]", kind: EntityType) -> EntityType:
    """What the words around or inside a name say about it, where the model's label is weak."""
    first, last = tokens[0], tokens[-1]
    for words, meant in _TYPE_WORDS:
        if len(tokens) > 1 and (last.text.lower() in words or first.text.lower() in words & _LEADING_TYPE_WORDS):
            return meant
    if last.text.lower().endswith(("strasse", "straße", "gasse")):
        return EntityType.PLACE
    verb = last.head.lemma_.lower()
    if last.dep_ == "nsubj" and kind is not EntityType.PERSON and kind is not EntityType.ORGANISATION and len(tokens) < 3:  # noqa: PLR2004
        if verb in _PERSONAL_VERBS:
            return EntityType.PERSON
        if verb in _COMPANY_VERBS and kind is not EntityType.PLACE:
            return EntityType.ORGANISATION
    if len(tokens) == 1 and kind in {EntityType.PERSON, EntityType.CONCEPT, EntityType.PRODUCT} and last.dep_ == "dobj":
        if verb in _TOOL_VERBS and kind is not EntityType.PRODUCT:
            return EntityType.TOOL
        if verb == "visit" and kind is not EntityType.PERSON:
            return EntityType.PLACE
    if last.dep_ == "pobj" and last.head.text == "to" and last.head.head.lemma_ in {"report", "marry", "talk", "speak"}:
        return EntityType.PERSON
    if kind is EntityType.PERSON and first.i and first.nbor(-1).text.lower() == "the" and len(tokens) == 1:
        return EntityType.PLACE if last.dep_ in {"nsubj", "pobj"} else EntityType.CONCEPT
    return kind


_LEADING_TYPE_WORDS = frozenset({"lake", "mount", "mt.", "cape", "university", "hotel"})
_TYPE_WORDS: tuple[tuple[frozenset[str], EntityType], ...] = (
    (frozenset("street road avenue lane park river lake mount mountain mountains island beach desert railway center centre hotel square bridge valley bay airport station harbour harbor terminal tower".split()), EntityType.PLACE),
    (frozenset("university institute hospital clinic school college academy inc ltd corp gmbh llc bank orchestra foundation association elementary systems robotics energy traders".split()), EntityType.ORGANISATION),
)
_PERSONAL_VERBS = frozenset(
    "like love hate enjoy prefer dislike live marry speak play study rewrite read cook eat drink recommend wear collect teach "
    "learn suffer sleep say tell think feel want wish smile laugh cry walk swim paint sing dance suggest complain ask write "
    "remember forget believe hope mention work move own adopt".split()
)
_COMPANY_VERBS = frozenset("sign acquire announce refund hire launch merge publish release sell raise sue employ manufacture beat".split())
_TOOL_VERBS = frozenset("use install deploy upgrade configure run restart adopt import migrate downgrade uninstall".split())


def _chunks(doc: "Doc", names: Sequence[Span]) -> list[Span]:
    spans: list[Span] = []
    for chunk in doc.noun_chunks:
        for tokens in _cut(chunk):
            span = _chunk_span(tokens, names)
            if span and not _overlaps(span.start, span.end, spans):
                spans.append(span)
    return spans


def _cut(chunk: "SpacySpan") -> Iterable["list[Token]"]:
    """A chunk's phrases without determiners, possessors and commas: "gpu0's disk" gives "gpu0" and "disk"."""
    part: list[Token] = []
    for token in chunk:
        verbal = token.tag_ == "VBN" and any(t.tag_ in _NAME_TAGS for t in part)
        if verbal or token.tag_ == "POS" or token.text in {",", ";", "(", ")", '"', "“", "”", ":"} or token.pos_ == "CCONJ" or token.is_space:
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
        (tokens[0].pos_ in _DROPPED_FRONT and not (tokens[0].pos_ == "NUM" and not tokens[0].whitespace_ and len(tokens) > 1))
        or (tokens[0].ent_type_ in LITERAL_LABELS and (tokens[0].whitespace_ or len(tokens) == 1))
        or tokens[0].text.lower() in LOOSE_MODIFIERS
        or tokens[0].tag_ in {"PRP$", "PDT"}
    ):
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


def _chunk_span(tokens: "list[Token]", names: Sequence[Span]) -> Span | None:
    tokens = trimmed(tokens)
    if any(t.pos_ in {"DET", "PRON", "INTJ"} for t in tokens):
        return None
    if not tokens or len(tokens) > _CHUNK_TOKENS or any(token.ent_type_ in LITERAL_LABELS - {"CARDINAL", "ORDINAL"} for token in tokens):
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
    if inner and (len(words) != len(rest) or lowered in CLASS_WORDS and len(words) == 1 or lowered in GENERIC):
        return None
    if not inner and len(words) < 2:  # noqa: PLR2004
        return _single(head) if words else None
    if head.pos_ not in {"NOUN", "PROPN", "VERB", "X"} or (lowered in _WEAK_HEADS):
        return None
    name = head.doc.text[start:end]
    return Span(start, end, _clean(name), EntityType.CONCEPT, _CHUNK_WEIGHT)


# Multi-word phrases with these heads say how much, when or how, not what.
_WEAK_HEADS = frozenset(
    "thing things stuff way ways time times day days week weeks month months year years hour hours minute minutes "
    "moment lot lots bit kind kinds sort example case point fact reason problem problems issue issues question idea "
    "ideas one ones people person man woman guy kid kids number amount part parts place side end start today tomorrow "
    "words impact ride self moments bond effect moment vibe vibes energy attitude mindset journey step chance look job luck news morning afternoon evening night weekend percent pm am everyone feeling difference".split()
)


def _single(token: "Token") -> Span | None:
    """A lone common noun: kept where it looks technical or is a long, rare word."""
    word = token.text
    lowered = word.lower()
    if token.pos_ not in {"NOUN", "PROPN"} or is_generic(word) or token.lemma_.lower() in GENERIC or lowered in _CALENDAR:
        return None
    technical = _is_technical(word) or _DIGIT_AND_LETTER.match(word) or (word.isupper() and len(word) > 1)
    rare = len(word) >= _LONG_NOUN and not lowered.endswith(_COMMON_ENDINGS)
    if not technical and not rare:
        return None
    return Span(token.idx, token.idx + len(word), word, EntityType.CONCEPT, _NOUN_WEIGHT)


def _clean(name: str) -> str:
    return re.sub(r"\s+", " ", name).strip(" \"“”'‘’-–")
