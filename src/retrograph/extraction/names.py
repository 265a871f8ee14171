"""English names: the model's named entities with their labels mended, and names that it missed."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from retrograph.extraction.identifiers import NAME_WEIGHT, Span
from retrograph.extraction.keys import entity_key
from retrograph.extraction.language import has_han, is_foreign, word_set
from retrograph.extraction.vocabulary import (
    ATTRIBUTES,
    GENERIC,
    INTERJECTIONS,
    LOOSE_MODIFIERS,
    PERSON_TITLES,
    PRONOUNS,
    TECH_CLASSES,
    TECHNOLOGIES,
    is_generic,
    verb_lemma,
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
CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july "
    "august september october november december mon tue wed thu fri sat sun jan feb mar apr jun jul aug "
    "sep sept oct nov dec christmas easter"
)
NAME_TAGS = frozenset({"NNP", "NNPS"})
_CAMEL = re.compile(r"^(?:[A-Z][a-z0-9]+){2,}$|^[a-z]+[A-Z]\w*$|^[A-Z]+[a-z]+[A-Z]\w*$")
DIGIT_AND_LETTER = re.compile(r"(?=.*[A-Za-z])(?=.*\d)")
_NAME_PARTICLES = word_set("de van von der den la le al bin ibn da do dos del di du of the and & - for y e")
_LEADING_TYPE_WORDS = frozenset({"lake", "mount", "mt.", "cape", "university", "hotel"})
_PERSONAL_VERBS = word_set(
    "join leave quit meet retire graduate like love hate enjoy prefer dislike live marry speak play "
    "study rewrite read cook eat drink recommend wear collect teach learn suffer sleep say tell think "
    "feel want wish smile laugh cry walk swim paint sing dance suggest complain ask write remember "
    "forget believe hope mention work move own adopt"
)
_SHORT_NAME = 5
# Nouns of that length that stand without an article: matter, feelings, departments.
_BARE_NOUNS = word_set(
    "water rain snow wind fire ice air sand dust mold light love life joy faith fear pain anger pride music art food "
    "milk tea coffee beer wine bread rice meat fish sugar salt oil gas gold steel wood paper glass mud staff sales "
    "hr it ops dev qa law trade crew board mail code data media truth time money power heat sound half legal admin "
    "sleep work play sport speed cloud stock mass class grass"
)
_COMPANY_VERBS = word_set(
    "sign acquire announce refund hire launch merge publish release sell raise sue employ manufacture beat"
)
_TOOL_VERBS = word_set("use install deploy upgrade configure run restart adopt import migrate downgrade uninstall")
_TYPE_WORDS: tuple[tuple[frozenset[str], EntityType], ...] = (
    (
        word_set(
            "street road avenue lane park river lake mount mountain mountains island beach desert "
            "railway center centre hotel square bridge valley bay airport station harbour harbor "
            "terminal tower"
        ),
        EntityType.PLACE,
    ),
    (
        word_set(
            "university institute hospital clinic school college academy inc ltd corp gmbh llc bank "
            "orchestra foundation association elementary systems robotics energy traders"
        ),
        EntityType.ORGANISATION,
    ),
)


def overlaps(start: int, end: int, spans: Iterable[Span]) -> bool:
    """Whether a stretch shares a character with any of the spans."""
    return any(start < span.end and span.start < end for span in spans)


def english_names(doc: "Doc", taken: Sequence[Span], is_word: Callable[[str], bool]) -> list[Span]:
    """Named entities without amounts and times, and runs of proper nouns that no entity covers.

    Args:
        doc: Tagged, parsed and with named entities.
        taken: Identifiers and known names found before; they keep their place.
        is_word: Whether the dictionary has a lower-case word.
    """
    spans: list[Span] = []
    for ent in doc.ents:
        kind = _TYPE_OF_LABEL.get(ent.label_)
        if ent.label_ == "NORP" and ent.root.dep_ in {"amod", "compound", "nmod"}:
            continue  # "a Finnish author": an adjective, and a hub if it were a node
        for part in _parts(ent) if kind else ():
            span = _named_span(_widened(part, ent.label_, is_word), kind or EntityType.CONCEPT, is_word)
            if span and not overlaps(span.start, span.end, [*taken, *spans]):
                spans.append(span)
    for run in _proper_runs(doc, is_word):
        span = _named_span(run, EntityType.CONCEPT, is_word)
        if span and not overlaps(span.start, span.end, [*taken, *spans]):
            spans.append(span)
    return spans


_MANY_WORDS = frozenset({"PERSON", "ORG", "NORP"})


def _widened(tokens: "list[Token]", label: str, is_word: Callable[[str], bool]) -> "list[Token]":
    """A name with the capitalised words beside it that the model cut off: "Elif" of "Elif Ivanov"."""
    if label not in _MANY_WORDS or not tokens[0].text[:1].isupper() or not tokens[-1].text[:1].isupper():
        return tokens
    while (first := tokens[0]).i > first.sent.start and _belongs(first.nbor(-1), is_word):
        tokens = [first.nbor(-1), *tokens]
    while (
        (last := tokens[-1]).i + 1 < last.sent.end
        and last.whitespace_ == " "
        and _belongs(last.nbor(), is_word, ends=True)
    ):
        tokens = [*tokens, last.nbor()]
    return tokens


def _belongs(token: "Token", is_word: Callable[[str], bool], *, ends: bool = False) -> bool:
    """Whether a token beside a name is a part of it: free, capitalised, and no word of the language."""
    free = (
        token.ent_type_ == "" and token.text.istitle() and token.text.isalpha() and (ends or token.whitespace_ == " ")
    )
    return free and _is_unknown(token, is_word)


def _is_unknown(token: "Token", is_word: Callable[[str], bool]) -> bool:
    """A word with a capital, or in a foreign script, that no dictionary of English has: a name, whatever its tag."""
    word = token.text
    if is_foreign(word):
        return not word.islower()
    known = is_word(word.lower()) or token.is_stop or word.lower() in INTERJECTIONS | CALENDAR | PERSON_TITLES
    return word.istitle() and len(word) > 2 and not known


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


def _cuts(token: "Token", label: str) -> bool:
    text = token.text
    if token.tag_ == "POS":
        following = token.nbor() if token.i + 1 < len(token.doc) else None
        return (
            label == "PERSON" or following is None or not (following.text[0].isupper() and following.ent_type_ == label)
        )
    if text in {",", ";", ":", "(", ")", "/", "\n"} or token.is_space:
        return True
    lowered = text.lower()
    if label == "WORK_OF_ART":
        return False
    if lowered in {"to", "from", "with", "vs", "versus", "or"} and text.islower():
        return True
    return (
        label in {"PERSON", "GPE", "PRODUCT"}
        and text.islower()
        and token.pos_ in {"VERB", "AUX", "NOUN", "ADV"}
        and not DIGIT_AND_LETTER.match(text)
        and lowered not in _NAME_PARTICLES
        and len(text) > 2
        and token.i > token.doc[token.i].sent.start
        and token.ent_iob_ == "I"
    )


def _proper_runs(doc: "Doc", is_word: Callable[[str], bool]) -> Iterable["list[Token]"]:
    """Runs of proper nouns, and technical-looking or known technology words, that no entity covers."""
    run: list[Token] = []
    for token in doc:
        literal = token.ent_type_ in LITERAL_LABELS or (
            token.ent_type_ == "NORP" and token.dep_ in {"amod", "compound", "nmod"}
        )
        proper = token.tag_ in NAME_TAGS and (token.text[0].isupper() or is_technical(token.text))
        proper = proper or _opens_with_name(token, is_word) or (is_foreign(token.text) and not token.text.islower())
        proper = proper or _opens_full_name(token, is_word)
        if not literal and (proper or is_technical(token.text)):
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
    """For "Rui hates noodles": an unknown word with a capital, subject without an article."""
    subject = token.tag_ == "NN" and token.dep_ in {"nsubj", "nsubjpass", "poss"}
    bare = subject and token.text.istitle() and not list(token.lefts)
    return bare and (not is_word(token.text.lower()) or _acts_like_a_person(token))


def _acts_like_a_person(token: "Token") -> bool:
    """For "Pia works at…": a short noun without an article that does what people do."""
    verb = token.head
    lowered = token.text.lower()
    return (
        token.dep_ == "nsubj"
        and verb.tag_ in {"VBZ", "VBD"}
        and verb_lemma(verb.lemma_) in _PERSONAL_VERBS
        and len(lowered) <= _SHORT_NAME
        and lowered not in _BARE_NOUNS
        and not is_generic(lowered)
    )


def _opens_full_name(token: "Token", is_word: Callable[[str], bool]) -> bool:
    """For "Ines Jansen": an unknown capitalised word in front of a proper noun."""
    if token.i + 1 >= token.sent.end or token.whitespace_ != " " or not _is_unknown(token, is_word):
        return False
    following = token.nbor()
    return following.tag_ in NAME_TAGS and following.text.istitle() and following.ent_type_ not in LITERAL_LABELS


def _is_model_number(token: "Token", run: "list[Token]") -> bool:
    """For "iPhone 15", "Room 101": a small bare number behind a name belongs to it."""
    if not re.fullmatch(r"\d{1,4}", token.text) or token.ent_type_ in {"DATE", "TIME", "MONEY", "PERCENT"}:
        return False
    following = token.nbor() if token.i + 1 < len(token.doc) else None
    counted = following is not None and following.pos_ in {"NOUN", "PROPN", "NUM"} and following.head is not run[-1]
    return not counted and not (following is not None and following.text in {"%", ":", "-", "/"})


def is_technical(word: str) -> bool:
    """Whether a word is a technology by its form (CamelCase) or by the list, and is no everyday word."""
    if not word[0].isalnum() or has_han(word):
        return False
    return bool(_CAMEL.match(word)) or (
        word.lower() in TECHNOLOGIES
        and word.lower()
        not in {
            "make",
            "vault",
            "spark",
            "swift",
            "hive",
            "notion",
            "slack",
            "react",
            "flask",
            "vim",
            "rust",
            "helm",
            "cypher",
            "windows",
            "excel",
            "presto",
            "envoy",
            "consul",
            "ruby",
            "perl",
            "yarn",
            "ruff",
            "sentry",
        }
    )


def _named_span(tokens: "list[Token]", kind: EntityType, is_word: Callable[[str], bool]) -> Span | None:
    while tokens and (
        (
            tokens[0].pos_ in {"DET", "PUNCT", "CCONJ", "ADP", "PRON", "NUM"}
            and not is_technical(tokens[0].text)
            and not _titled(tokens)
            and not _is_unknown(tokens[0], is_word)
        )
        or tokens[0].text.lower() in PRONOUNS
        or (len(tokens) > 1 and tokens[0].i == tokens[0].sent.start and tokens[0].text.lower() in INTERJECTIONS)
        or (tokens[0].text.lower().strip(".") in PERSON_TITLES and len(tokens) > 1)
    ):
        tokens = tokens[1:]
    while tokens and (
        (tokens[-1].pos_ in {"PUNCT", "ADP", "CCONJ", "DET", "SPACE"} and not is_technical(tokens[-1].text))
        or tokens[-1].tag_ == "POS"
        or (len(tokens) > 1 and re.fullmatch(r"v?\d+(?:\.\d+)+", tokens[-1].text))
    ):
        tokens = tokens[:-1]
    if not tokens:
        return None
    start, end = tokens[0].idx, tokens[-1].idx + len(tokens[-1].text)
    name = tokens[0].doc.text[start:end]
    lowered = name.lower()
    dated = tokens[0].text.lower() in CALENDAR and all(t.text.isdigit() for t in tokens[1:])
    if (
        is_generic(name)
        or dated
        or sum(char.isalpha() for char in name) < 2
        or name[0] in "°−-"
        or len(entity_key(name)) < 2
    ):
        return None
    if (
        name.islower()
        and not DIGIT_AND_LETTER.match(name)
        and lowered not in TECHNOLOGIES
        and kind is not EntityType.PLACE
    ):
        return None
    if len(tokens) == 1 and not is_foreign(name) and _is_false_name(tokens[0]):
        return None
    opens = tokens[0].i == tokens[0].sent.start
    if opens and len(tokens) > 1 and all(t.text.islower() for t in tokens[1:]) and not is_technical(tokens[0].text):
        return None
    return Span(start, end, clean_name(name), _mended_type(tokens, name, kind), NAME_WEIGHT)


def _titled(tokens: "list[Token]") -> bool:
    """A work's title keeps its article: "The Left Hand of Darkness"."""
    return tokens[0].ent_type_ == "WORK_OF_ART" and len(tokens) > 2


def _is_false_name(token: "Token") -> bool:
    """A capital at the start of a sentence makes interjections and verbs look like names."""
    lowered = token.text.lower()
    if lowered in INTERJECTIONS:
        return True
    if lowered in ATTRIBUTES and token.ent_type_ != "PERSON":
        return True
    if is_technical(token.text) or token.text.lower() in TECHNOLOGIES:
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
    if DIGIT_AND_LETTER.match(name) and len(tokens) == 1:
        return EntityType.IDENTIFIER if name.islower() else EntityType.PRODUCT
    after = last.nbor().text.lower() if last.i + 1 < len(last.doc) else ""
    if after in TECH_CLASSES and kind is not EntityType.PLACE:
        return EntityType.TOOL
    if _CAMEL.match(name) and kind not in {EntityType.ORGANISATION, EntityType.PERSON}:
        return EntityType.TOOL
    return _type_by_use(tokens, kind)


def _is_addressed(first: "Token") -> bool:
    """For "Hey Nate", "Thanks, Gina!": somebody is spoken to."""
    if not first.i or first.i == first.sent.start:
        return False
    before = first.nbor(-1)
    if before.text == "," and before.i:
        before = before.nbor(-1)
        return (
            before.text.lower() in {"hey", "hi", "hello", "thanks", "bye", "wow", "yeah", "yes"}
            and first.pos_ == "PROPN"
        )
    return before.text.lower() in {"hey", "hi", "hello", "thanks", "bye", "dear"} and first.pos_ == "PROPN"


def _type_by_use(tokens: "list[Token]", kind: EntityType) -> EntityType:
    """What the words around or inside a name say about it, where the model's label is weak."""
    first, last = tokens[0], tokens[-1]
    for words, meant in _TYPE_WORDS:
        if len(tokens) > 1 and (last.text.lower() in words or first.text.lower() in words & _LEADING_TYPE_WORDS):
            return meant
    if last.text.lower().endswith(("strasse", "straße", "gasse")):
        return EntityType.PLACE
    if inferred := _type_by_role(tokens, kind):
        return inferred
    if kind is EntityType.PERSON and first.i and first.nbor(-1).text.lower() == "the" and len(tokens) == 1:
        return EntityType.PLACE if last.dep_ in {"nsubj", "pobj"} else EntityType.CONCEPT
    return kind


def _type_by_role(tokens: "list[Token]", kind: EntityType) -> EntityType | None:
    """What the verb or preposition that governs a name says about it."""
    last, alone = tokens[-1], len(tokens) == 1
    governor = last.head
    verb = verb_lemma(governor.lemma_)
    doubtful = kind not in {EntityType.PERSON, EntityType.ORGANISATION} and len(tokens) < 3
    if last.dep_ == "nsubj" and doubtful and verb in _PERSONAL_VERBS:
        return EntityType.PERSON
    if last.dep_ == "nsubj" and doubtful and verb in _COMPANY_VERBS and kind is not EntityType.PLACE:
        return EntityType.ORGANISATION
    if last.dep_ == "dobj" and alone and verb in _TOOL_VERBS and kind in {EntityType.PERSON, EntityType.CONCEPT}:
        return EntityType.TOOL
    if last.dep_ == "dobj" and alone and verb == "visit" and kind in {EntityType.PRODUCT, EntityType.CONCEPT}:
        return EntityType.PLACE
    if last.dep_ == "pobj" and governor.text == "to" and governor.head.lemma_ in {"report", "marry", "talk", "speak"}:
        return EntityType.PERSON
    inside = last.dep_ == "pobj" and governor.text == "in" and alone and last.text.istitle()
    return EntityType.PLACE if inside and kind is EntityType.ORGANISATION else None


def clean_name(name: str) -> str:
    """A name with single spaces and without the punctuation around it."""
    name = re.sub(r"\s+", " ", name)
    if (
        name.endswith(".")
        and "." not in name[:-1]
        and not name.endswith(("Inc.", "Jr.", "Sr.", "Co.", "Corp.", "Ltd."))
    ):
        name = name[:-1]
    return name.strip(" \"“”'‘’-–")
