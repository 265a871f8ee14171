"""The ends of English relations: which entity, value or phrase a token of the tree stands for."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from retrograph.extraction.entities import trimmed
from retrograph.extraction.identifiers import NOUN_WEIGHT, Span
from retrograph.extraction.language import word_set
from retrograph.extraction.names import LITERAL_LABELS
from retrograph.extraction.vocabulary import ATTRIBUTES, PRONOUNS, TASTE, is_generic
from retrograph.models import EntityType

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

USER = "user"
"""Subject of first-person statements where nobody is named as the speaker."""
_FIRST_PERSON = frozenset({"i", "me", "myself", "my", "mine"})
_POINTING = word_set("the this that these those my your his her its our their")
# Events worth an edge only when what they touch has a name or is specific.
_TOLD_BY_NAME = word_set(
    "works_on works_with created visited attends joined hosts bought left supports contains acquired approved"
)
_WEAK_PARTS = word_set("part area side end middle position zone way time kind sort lot")
_METAPHORS = word_set(
    "fan blast mix rush treat mess joy pleasure gem blessing must-see inspiration relief coaster dream "
    "thrill ride journey challenge"
)
_WEAK_OBJECTS = word_set(
    "way lot time thing stuff idea work bit moment part fact sound look feeling everything kind sense "
    "one people person energy place job chance rest"
)
_THIRD_PERSON = word_set("his her their its your")


class Argument(NamedTuple):
    """One end of a relation.

    Args:
        name: Name of the entity, or the words of the literal.
        head: Its main token.
        literal: It is an amount, a time or a plain value, no entity.
        span: Where it stands, if it is a noun that becomes an entity by being in the relation.
    """

    name: str
    head: "Token"
    literal: bool
    span: Span | None


class Ends:
    """Resolves tokens of one text to entities, values and phrases.

    Args:
        doc: Tagged, parsed and with named entities.
        spans: The entities found in it.
        speaker: Who says it, or None.
    """

    def __init__(self, doc: "Doc", spans: Sequence[Span], speaker: str | None) -> None:
        self.doc = doc
        self.speaker = speaker
        self._spans = sorted(spans, key=lambda span: span.start - span.end)

    def argument(self, token: "Token") -> Argument | None:
        """The entity, literal or noun phrase headed by a token."""
        lowered = token.text.lower()
        if lowered in _FIRST_PERSON or (token.lemma_.lower() == USER and token.dep_ in {"nsubj", "nsubjpass", "poss"}):
            name = self.speaker or USER if lowered in _FIRST_PERSON else USER
            return Argument(name, token, False, None)
        if lowered in PRONOUNS or token.pos_ == "PRON":
            return None
        end = token.idx + len(token.text)
        for span in self._spans:
            if span.start <= token.idx and end <= span.end and self._heads(span, token):
                return Argument(span.name, token, False, None)
        if token.pos_ == "NUM" and (numbered := self._numbered(token)):
            return numbered
        if (
            token.pos_ == "NOUN"
            and any(c.dep_ == "nummod" and c.i < token.i for c in token.children)
            and token.tag_ == "NNS"
        ):
            first = min(c.left_edge.i for c in token.children if c.dep_ == "nummod")
            return Argument(self.doc[first : token.i + 1].text, token, True, None)
        if token.ent_type_ in LITERAL_LABELS or token.pos_ == "NUM" or token.like_num:
            return Argument(self._literal_text(token), token, True, None)
        return self._phrase(token)

    def _numbered(self, number: "Token") -> Argument | None:
        """For "PostgreSQL 16" and "port 8080": the name before the number, or the number of a plain attribute."""
        before = self.doc[number.i - 1] if number.i else None
        if before is None or before.pos_ not in {"NOUN", "PROPN"} or before.ent_type_ in LITERAL_LABELS:
            return None
        for span in self._spans:
            if span.start <= before.idx and before.idx + len(before.text) <= span.end:
                return Argument(span.name, number, False, None)
        return None

    def _heads(self, span: Span, token: "Token") -> bool:
        """Whether the token is the main word of the span: a modifier in front of the real head is not."""
        inner = [t for t in token.subtree if span.start <= t.idx < span.end] or [token]
        return not (token.dep_ in {"compound", "amod", "nmod"} and span.end <= token.head.idx) and bool(inner)

    def _literal_text(self, token: "Token") -> str:
        for ent in self.doc.ents:
            if ent.start <= token.i < ent.end and ent.label_ in LITERAL_LABELS:
                currency = ent.start and self.doc[ent.start - 1].is_currency
                first = self.doc[ent.start - 1] if currency else self.doc[ent.start]
                return self.doc.text[first.idx : ent.end_char].strip()
        left = token
        while left.i and left.nbor(-1).head == token and left.nbor(-1).pos_ in {"SYM", "NUM"}:
            left = left.nbor(-1)
        return self.doc.text[left.idx : token.idx + len(token.text)].strip()

    def _phrase(self, token: "Token") -> Argument | None:
        if token.pos_ not in {"NOUN", "PROPN", "VERB", "X"} or (token.pos_ == "VERB" and token.tag_ != "VBG"):
            return None
        left = [t for t in token.lefts if t.dep_ in {"compound", "amod", "nmod", "punct", "advmod"}]
        first = min((t.left_edge.i for t in left), default=token.i)
        tokens = trimmed([t for t in self.doc[first : token.i + 1] if t.tag_ not in {"POS"}])
        if (
            not tokens
            or tokens[-1].i != token.i
            or any(t.text in {"'s", ",", '"'} or t.pos_ == "CCONJ" for t in tokens)
        ):
            return None
        start, end = tokens[0].idx, token.idx + len(token.text)
        name = re.sub(r"\s+", " ", self.doc.text[start:end])
        if token.ent_type_ in LITERAL_LABELS:
            return Argument(name, token, True, None)
        kind = EntityType.CONCEPT
        return Argument(name, token, False, Span(start, end, name, kind, NOUN_WEIGHT))

    def _all(self, token: "Token") -> list[Argument]:
        """An argument and those coordinated with it."""
        tokens = [token]
        for item in tokens:
            others = [child for child in item.children if child.dep_ == "conj"]
            tokens.extend(c for c in others if c.pos_ not in {"VERB", "AUX", "ADJ"} or (c.tag_ == item.tag_ == "VBG"))
        return [argument for item in tokens if (argument := self.argument(item))]

    def _is_named(self, argument: Argument) -> bool:
        return argument.name == self.speaker or any(
            s.name == argument.name and s.type is not EntityType.CONCEPT for s in self._spans
        )

    def _is_known(self, argument: Argument) -> bool:
        titled = argument.span is None and argument.head.text.istitle()
        return (
            argument.name in (self.speaker, USER) or titled or argument.head.pos_ == "PROPN" or self._is_named(argument)
        )

    def _is_person(self, argument: Argument) -> bool:
        if argument.name in (self.speaker, USER) or argument.head.ent_type_ == "PERSON":
            return True
        known = [s.type for s in self._spans if s.name == argument.name]
        if EntityType.ORGANISATION in known or (EntityType.PLACE in known and " " in argument.name):
            return False
        named = argument.head.pos_ == "PROPN" or (bool(known) and argument.head.text.istitle())
        return EntityType.PERSON in known or (
            named and not {EntityType.TOOL, EntityType.PLACE, EntityType.IDENTIFIER} & set(known)
        )

    def _fits(self, predicate: str, subject: Argument, value: Argument) -> bool:
        """Whether the ends can stand on either side of the predicate, as far as their words show."""
        head = value.head
        if (predicate in TASTE and not self._is_person(subject)) or (value.span and head.lemma_.lower() in _WEAK_PARTS):
            return False
        if predicate in TASTE and value.span and _points_at(head):
            return False
        if predicate == "manages" and not self._is_known(subject):
            return False
        if predicate in _TOLD_BY_NAME and " " not in value.name and not self._is_named(value) and head.pos_ != "PROPN":
            return False
        if predicate == "is_a":
            return self._is_known(subject) and head.lemma_.lower() not in _METAPHORS
        if predicate in TASTE | {"uses"} and value.span and " " not in value.name:
            pointing = any(c.dep_ in {"det", "poss"} and c.text.lower() in _POINTING for c in head.children)
            return (
                not pointing
                and head.lemma_.lower() not in _WEAK_OBJECTS
                and not any(c.dep_ in {"relcl", "acl"} for c in head.children)
            )
        if predicate == "works_at":
            return self._is_person(subject) and (self._is_named(value) or head.pos_ == "PROPN" or " " in value.name)
        if predicate in {"knows", "left"}:
            return self._is_named(value) or head.pos_ == "PROPN"
        if predicate == "plays":
            return head.lemma_.lower() not in {"role", "part", "trick", "game"}
        return True

    def _inside_name(self, token: "Token") -> bool:
        """For "The Name of the Wind is great" says nothing about a name."""
        return any(s.start <= token.idx < s.end and s.type is not EntityType.CONCEPT for s in self._spans)

    def _values(self, attr: "Token") -> list[Argument]:
        if attr.pos_ == "ADJ" and not any(s.start <= attr.idx < s.end for s in self._spans):
            return [Argument(attr.text, attr, True, None)]
        return self._all(attr)

    def _owners(self, noun: "Token") -> list[Argument]:
        for child in noun.children:
            if child.dep_ == "poss":
                return self._all(child)
            if child.dep_ == "prep" and child.text.lower() in {"of", "for"}:
                return [a for t in child.children if t.dep_ == "pobj" for a in self._all(t)]
        return []

    def _settled(self, predicate: str, subject: Argument, value: Argument) -> str:
        """A person who moved to a place lives there; who joined a firm works there."""
        person = (
            subject.head.ent_type_ == "PERSON"
            or subject.name in (self.speaker, USER)
            or any(s.name == subject.name and s.type is EntityType.PERSON for s in self._spans)
        )
        place = value.head.ent_type_ in {"GPE", "LOC"}
        if predicate == "moved_to" and person and place:
            return "lives_in"
        if predicate == "joined" and person and value.head.ent_type_ == "ORG":
            return "works_at"
        return predicate


def _points_at(head: "Token") -> bool:
    """For "the dark sky": a description of something at hand, no lasting taste."""
    pointing = any(c.dep_ in {"det", "poss"} and c.text.lower() in _POINTING for c in head.children)
    return pointing and not any(c.dep_ == "compound" for c in head.children)


def is_vague(argument: Argument, predicate: str) -> bool:
    """Whether an end is a noun too general for a relation; "the budget is" may be about a plain attribute."""
    if argument.span is None or not is_generic(argument.span.name):
        return False
    return predicate != "is" or argument.head.lemma_.lower() not in ATTRIBUTES


def of_another(noun: "Token") -> bool:
    """For "Her name", "their budget": whose is not known here."""
    return any(c.dep_ == "poss" and c.text.lower() in _THIRD_PERSON for c in noun.children)
