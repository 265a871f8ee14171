"""Small steps in an English dependency tree."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrograph.extraction.vocabulary import verb_lemma

if TYPE_CHECKING:
    from spacy.tokens import Token


def verb_with_particle(verb: "Token") -> str:
    """A verb's lemma with its particle: "take over"."""
    particle = next((c.text.lower() for c in verb.children if c.dep_ == "prt"), "")
    return f"{verb_lemma(verb.lemma_)} {particle}".strip()


def governing_verbs(verb: "Token") -> Iterator["Token"]:
    """The verbs a clause hangs from, from the nearest up."""
    while verb.dep_ in {"conj", "ccomp", "advcl", "acl", "relcl"} and verb.head is not verb:
        verb = verb.head
        if verb.pos_ in {"VERB", "AUX"}:
            yield verb


def verbal_complement(verb: "Token", *tags: str) -> "Token | None":
    """The verb that completes another ("stopped using"), with one of the tags and no subject of its own."""
    return next(
        (
            c
            for c in verb.children
            if c.dep_ in {"xcomp", "ccomp", "dobj"}
            and c.pos_ == "VERB"
            and c.tag_ in tags
            and not any(g.dep_ == "nsubj" for g in c.children)
        ),
        None,
    )


def prepositions(word: "Token") -> "list[tuple[Token, Token]]":
    """Prepositions of a word with their objects."""
    return [
        (prep, target)
        for prep in word.children
        if prep.dep_ == "prep"
        for target in prep.children
        if target.dep_ == "pobj"
    ]


def attribute_name(noun: "Token") -> str:
    """For "monthly budget" → monthly_budget."""
    words = [c.text.lower() for c in noun.lefts if c.dep_ == "compound" and c.pos_ == "NOUN" and c.text.isalpha()]
    if any(c.text.lower() in {"favorite", "favourite"} for c in noun.lefts):
        words.insert(0, "favorite")
    lemma = noun.lemma_.lower()
    return "_".join([*words, {"colour": "color", "neighbour": "neighbor"}.get(lemma, lemma)])
