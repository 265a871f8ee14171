"""English relations: subject, predicate, object read from the dependency tree.

Only what a sentence asserts is read: no questions, conditions, wishes or plans. A wrong relation costs more
than a missing one, so every construction that is not understood is passed over.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from retrograph.extraction.identifiers import NOUN_WEIGHT, Span
from retrograph.extraction.language import word_set
from retrograph.extraction.names import LITERAL_LABELS
from retrograph.extraction.relation_ends import USER, Argument, Ends, is_vague, of_another
from retrograph.extraction.syntax import (
    attribute_name,
    governing_verbs,
    prepositions,
    verb_with_particle,
    verbal_complement,
)
from retrograph.extraction.vocabulary import (
    ADJECTIVES,
    ATTRIBUTES,
    LIGHT_VERBS,
    LOOSE_MODIFIERS,
    PEOPLE_ATTRIBUTES,
    PROMOTING,
    PRONOUNS,
    TASTE,
    VERBS,
    is_generic,
    verb_lemma,
)
from retrograph.models import EntityType, RelationMention

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


_UNSURE_MODALS = word_set("might could would should may can must shall will wo 'd 'll ca ought need")
_CONDITIONS = word_set("if unless whether until once when lest")
_NEGATORS = word_set("not n't never no neither nor hardly")
_UNREAL_HEADS = word_set(
    "think believe hope wish wonder doubt imagine guess suppose suspect assume pretend ask hear dream "
    "say claim want need plan expect consider try if"
)
_NO_TASTE = word_set(
    "see have take watch play make create try chill hang push spend share hear get give find feel help "
    "be know look meet talk learn write bring do go"
) - frozenset({"play", "watch"})
_DATED = word_set("meeting appointment exam flight release launch date interview party wedding")
_RELATIVE = frozenset({"who", "which", "that"})
# Verbs that give an attribute a new value with "to".
_REVALUES = word_set(
    "change raise increase reduce lower cut move set update upgrade extend postpone reschedule bump drop rise fall push"
)
# Of these also without an object: "the price rose to 40".
_REVALUED_ALONE = word_set("change increase drop rise fall")
_OF_VALUES = frozenset({"is", "listens_on"})
"""Predicates, besides `has_…`, whose object may be a plain value."""
_PAST_HABIT = frozenset({"used"})
_SURE, _FAIR = 0.9, 0.7


class Reading(NamedTuple):
    """A relation, and the plain nouns in it that deserve to be entities because they are in it."""

    relation: RelationMention
    promoted: tuple[Span, ...]


class _Reader(Ends):
    """Walks the clauses of one text."""

    def __init__(self, doc: "Doc", spans: Sequence[Span], speaker: str | None) -> None:
        super().__init__(doc, spans, speaker)
        self.readings: list[Reading] = []

    # Clauses ----------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read every clause, apposition and possession of the text."""
        for sentence in self.doc.sents:
            question = sentence.text.rstrip().endswith(("?", "？"))
            for token in sentence:
                if token.dep_ == "appos" and not question:
                    self._apposition(token)
                elif token.dep_ == "poss":
                    self._possession(token)
                if token.pos_ in {"VERB", "AUX"} and not question and self._asserted(token):
                    self._clause(token)

    def _asserted(self, verb: "Token") -> bool:
        if verb.dep_ in {"aux", "auxpass", "xcomp", "pcomp", "csubj", "compound", "amod"}:
            return False
        for word in (verb, *governing_verbs(verb)):
            children = list(word.children)
            if any(c.dep_ in {"aux"} and c.text.lower() in _UNSURE_MODALS for c in children):
                return False
            if any(c.dep_ in {"mark", "advmod"} and c.text.lower() in _CONDITIONS and c.i < word.i for c in children):
                return False
            if word is not verb and verb_lemma(word.lemma_) in _UNREAL_HEADS and verb.dep_ == "ccomp":
                return False
        if verb.dep_ == "acl" and verb.tag_ != "VBN":
            return verb.tag_ == "VBG"
        going = [c for c in verb.children if c.dep_ == "xcomp"] if verb.lemma_ in {"go", "plan"} else []
        return not going

    def _clause(self, verb: "Token") -> None:
        negated = self._negated(verb)
        if self._revalued(verb, negated):
            return
        subjects, passive = self._subjects(verb)
        if not subjects:
            return
        if verb.lemma_ == "be":
            self._copula(verb, subjects, negated)
            return
        if passive:
            self._passive(verb, subjects, negated)
            return
        self._active(verb, subjects, negated)

    def _subjects(self, verb: "Token") -> tuple[list[Argument], bool]:
        """Subjects of a verb, its own or inherited, and whether the verb is passive."""
        own = [c for c in verb.children if c.dep_ in {"nsubj", "nsubjpass"}]
        passive = any(c.dep_ in {"nsubjpass", "auxpass"} for c in verb.children)
        if own:
            token = own[-1]
            if token.text.lower() in _RELATIVE and verb.dep_ == "relcl":
                aside = token.text.lower() == "which" and verb.head.pos_ != "PROPN"
                return ([a] if (a := self.argument(verb.head)) and not aside else []), passive
            named = [c for c in token.children if c.dep_ == "appos" and c.pos_ == "PROPN"]
            if token.pos_ == "NOUN" and named:
                token = named[0]
            return self._all(token), passive
        if verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"}:
            subjects, inherited = self._subjects(verb.head)
            return subjects, passive or (
                inherited and verb.tag_ == "VBN" and not any(c.dep_ == "aux" for c in verb.children)
            )
        if verb.dep_ == "acl" and verb.tag_ in {"VBN", "VBG"}:
            return ([a] if (a := self.argument(verb.head)) else []), verb.tag_ == "VBN"
        if any(t.dep_ == "appos" and t.head.dep_ == "npadvmod" for t in verb.children):
            return [], passive
        return [], passive

    def _negated(self, verb: "Token") -> bool:
        if any(c.text.lower() in _NEGATORS and c.dep_ in {"neg", "advmod", "preconj", "det"} for c in verb.children):
            return True
        if any(
            c.dep_ == "nsubj"
            and (c.left_edge.text.lower() == "neither" or any(g.text.lower() == "nor" for g in c.children))
            for c in verb.children
        ):
            return True
        longer = [c for c in verb.children if c.text.lower() in {"longer", "anymore"}]
        return any(c.text == "longer" and any(g.text.lower() == "no" for g in c.children) for c in longer)

    def _active(self, verb: "Token", subjects: list[Argument], negated: bool) -> None:
        lemma = verb_with_particle(verb)
        if lemma == "use" and verb.text.lower() == "used" and any(c.dep_ == "xcomp" for c in verb.children):
            return
        if lemma in {"stop", "quit", "avoid"} and (inner := verbal_complement(verb, "VBG")):
            self._active(inner, subjects, not negated)
            return
        if VERBS.get((lemma, "")) in TASTE and (inner := verbal_complement(verb, "VB", "VBG")):
            self._taste(verb, inner, subjects, negated)
            return
        if lemma in {"start", "begin"} and (inner := verbal_complement(verb, "VB", "VBG")):
            self._active(inner, subjects, negated)
            return
        objects = [c for c in verb.children if c.dep_ in {"dobj", "attr", "oprd"}]
        for token in objects:
            if token.dep_ == "dobj":
                negative = negated or any(c.text.lower() == "no" and c.dep_ == "det" for c in token.children)
                self._emit_verb(verb, "", subjects, self._all(token), negative)
        for prep, target in prepositions(verb):
            if VERBS.get((lemma, "")) in TASTE:
                continue
            if not objects or VERBS.get((lemma, prep.text.lower())) == "treated_with":
                self._emit_verb(verb, prep.text.lower(), subjects, self._all(target), negated)

    def _taste(self, verb: "Token", inner: "Token", subjects: list[Argument], negated: bool) -> None:
        """For "likes to drink tea", "hates swimming": the taste is for the object, or for doing it."""
        doings = [inner, *(c for c in inner.children if c.dep_ == "conj" and c.tag_ == inner.tag_)]
        for doing in doings:
            objects = [c for c in doing.children if c.dep_ == "dobj"]
            bare = not any(c.dep_ in {"prep", "prt", "ccomp", "xcomp", "advcl", "acomp"} for c in doing.children)
            if objects and doing.lemma_ not in _NO_TASTE:
                self._emit_verb(verb, "", subjects, self._all(objects[0]), negated)
            elif (
                not objects
                and bare
                and doing.tag_ == "VBG"
                and doing.lemma_ not in LIGHT_VERBS | _NO_TASTE | {"play", "watch"}
            ):
                value = self._phrase(doing)
                self._emit_verb(verb, "", subjects, [value] if value else [], negated)

    def _revalued(self, verb: "Token", negated: bool) -> bool:
        """For "the budget was raised to 130,000", "we moved the deadline to Friday": the attribute is now that."""
        if verb_with_particle(verb) not in _REVALUES:
            return False
        thing = next((c for c in verb.children if c.dep_ in {"dobj", "nsubjpass"}), None)
        if thing is None and verb_with_particle(verb) in _REVALUED_ALONE:
            thing = next((c for c in verb.children if c.dep_ == "nsubj"), None)
        if thing is None or thing.lemma_.lower() not in ATTRIBUTES - PEOPLE_ATTRIBUTES or of_another(thing):
            return False
        values = [a for prep, t in prepositions(verb) if prep.text.lower() == "to" for a in self._all(t)]
        owners = self._owners(thing)
        surface = f"{verb.text} to"
        if owners:
            self._emit(owners, f"has_{attribute_name(thing)}", values, surface, negated, _SURE)
        elif subject := self.argument(thing):
            self._emit([subject], "is", values, surface, negated, _SURE)
        return bool(values)

    def _passive(self, verb: "Token", subjects: list[Argument], negated: bool) -> None:
        lemma = verb_with_particle(verb)
        for agent in (c for c in verb.children if c.dep_ == "agent" or (c.dep_ == "prep" and c.text == "by")):
            for target in (c for c in agent.children if c.dep_ == "pobj"):
                for by in self._all(target):
                    if lemma in {"employ", "hire"}:
                        self._emit(subjects, "works_at", [by], f"{verb.text} by", negated, _SURE)
                    else:
                        self._emit_verb(verb, "", [by], subjects, negated)
        for prep, target in prepositions(verb):
            word = prep.text.lower()
            if word == "by" or ((lemma, word) not in VERBS and word not in {"in", "on", "to", "with", "from"}):
                continue
            if (lemma, word) in VERBS:
                self._emit_verb(verb, word, subjects, self._all(target), negated)

    def _emit_verb(
        self, verb: "Token", prep: str, subjects: list[Argument], objects: list[Argument], negated: bool
    ) -> None:
        lemma = verb_with_particle(verb)
        predicate = VERBS.get((lemma, prep))
        surface = f"{verb.text} {prep}".strip()
        confidence = _SURE
        if predicate is None:
            if lemma in LIGHT_VERBS or not re.fullmatch(r"[a-z]+(?: [a-z]+)?", lemma):
                return
            predicate, confidence = re.sub(r"\W+", "_", f"{lemma} {prep}".strip()), _FAIR
            objects = [o for o in objects if not o.literal and o.span is None and self._is_named(o)]
            subjects = [s for s in subjects if s.span is None and s.name != USER and self._is_known(s)]
        elif prep in {"in", "at", "on"}:
            objects = [o for o in objects if not (o.literal and o.head.ent_type_ in LITERAL_LABELS - {"CARDINAL"})]
        self._emit(subjects, predicate, objects, surface, negated, confidence)

    # Copula -----------------------------------------------------------------------------------------------

    def _copula(self, verb: "Token", subjects: list[Argument], negated: bool) -> None:
        subject = next(c for c in (*verb.children, verb) if c.dep_ in {"nsubj", "nsubjpass"} or c is verb)
        if subject is verb and verb.dep_ == "conj":
            subject = next((c for c in verb.head.children if c.dep_ == "nsubj"), verb)
        if subject.dep_ in {"expl"} or any(c.dep_ == "expl" for c in verb.children):
            return
        for child in verb.children:
            if child.dep_ == "attr":
                self._identity(subject, subjects, child, negated)
            elif child.dep_ == "acomp":
                self._adjective(verb, subject, subjects, child, negated)
            elif child.dep_ == "prep" and child.text.lower() == "from":
                places = [a for t in child.children if t.dep_ == "pobj" for a in self._all(t)]
                places = [p for p in places if p.head.ent_type_ in {"GPE", "LOC"}]
                self._emit(subjects, "comes_from", places, "is from", negated, _FAIR)
            elif child.dep_ == "prep" and child.text.lower() in {"in", "on", "at"}:
                if child.text.lower() == "in":
                    self._place(subjects, child, negated)
            elif child.dep_ == "pobj":
                continue

    def _place(self, subjects: list[Argument], prep: "Token", negated: bool) -> None:
        objects = [a for t in prep.children if t.dep_ == "pobj" for a in self._all(t)]
        places = [o for o in objects if o.head.ent_type_ in {"GPE", "LOC", "FAC"}]
        subjects = [s for s in subjects if s.head.ent_type_ != "PERSON" and s.name not in (self.speaker, USER)]
        self._emit(subjects, "located_in", places, "is in", negated, _FAIR)

    def _identity(self, subject: "Token", subjects: list[Argument], attr: "Token", negated: bool) -> None:
        if attr.tag_ in {"WP", "WDT"} or attr.text.lower() in PRONOUNS or of_another(subject):
            return
        if attr.lemma_.lower() == "fan":
            self._emit(subjects, "likes", self._owners(attr), "fan of", negated, _FAIR)
            return
        if self._attribute_of(subject, attr, negated):
            return
        if self._role(subjects, attr, negated):
            return
        value = self.argument(attr)
        if value is not None and value.literal:
            named = [s for s in subjects if s.name != USER and s.name != self.speaker]
            if attr.ent_type_ in {"DATE", "TIME"} and subject.lemma_.lower() not in ATTRIBUTES | _DATED:
                return
            self._emit(named, "is", [a for a in self._all(attr) if a.literal], "is", negated, _SURE)
            return
        determiner = next((c.text.lower() for c in attr.children if c.dep_ == "det"), "")
        if value is None:
            return
        if subject.text.lower().endswith(tuple(ATTRIBUTES)) and subject.pos_ == "NOUN":
            self._emit(subjects, "is", self._all(attr), "is", negated, _SURE)
        elif determiner in {"a", "an"}:
            self._emit(subjects, "is_a", self._kinds(attr), f"is {determiner}", negated, _SURE)

    def _kinds(self, attr: "Token") -> list[Argument]:
        return [a for a in self._all(attr) if not a.literal]

    def _attribute_of(self, subject: "Token", attr: "Token", negated: bool) -> bool:
        """For "X's manager is Y", "the budget of X is Y": (X, has_manager, Y)."""
        noun = subject.lemma_.lower()
        owners = self._owners(subject)
        favorite = any(c.text.lower() in {"favorite", "favourite"} for c in subject.children)
        if noun == "name" and (kin := self._named_kin(subject)):
            kin_owners, kin_word = kin
            self._emit(kin_owners, f"has_{kin_word}", self._values(attr), "name is", negated, _SURE)
            return True
        if (noun not in ATTRIBUTES and not favorite) or not owners or self._inside_name(subject):
            return False
        values = self._values(attr)
        if noun in PEOPLE_ATTRIBUTES:
            values = [v for v in values if v.head.pos_ == "PROPN" or self._is_named(v)]
        self._emit(owners, f"has_{attribute_name(subject)}", values, f"{subject.text} is", negated, _SURE)
        return True

    def _named_kin(self, name: "Token") -> tuple[list[Argument], str] | None:
        """For "my daughter's name is Emily": whose kin, and which."""
        kin = next((c for c in name.children if c.dep_ == "poss"), None)
        if kin is None or kin.lemma_.lower() not in PEOPLE_ATTRIBUTES | {"dog", "cat", "pet"}:
            return None
        owners = self._owners(kin)
        return (owners, kin.lemma_.lower()) if owners else None

    def _role(self, subjects: list[Argument], attr: "Token", negated: bool) -> bool:
        """For "Y is the manager of X", "Y is X's manager", "Y is a member of X"."""
        noun = attr.lemma_.lower()
        owners = self._owners(attr)
        determiner = next((c.text.lower() for c in attr.children if c.dep_ == "det"), "")
        if noun in {"part", "member", "component", "subsidiary", "branch", "module"} and owners:
            self._emit(subjects, "part_of", owners, f"{noun} of", negated, _SURE)
            return True
        if noun == "cause" and owners:
            self._emit(subjects, "causes", owners, "cause of", negated, _SURE)
            return True
        if noun in ATTRIBUTES and owners:
            self._emit(
                owners,
                f"has_{attribute_name(attr)}",
                subjects,
                f"is {determiner} {attr.text}".replace("  ", " "),
                negated,
                _SURE,
            )
            return True
        at = [
            a
            for p in attr.children
            if p.dep_ == "prep" and p.text.lower() in {"at", "for"}
            for t in p.children
            if t.dep_ == "pobj"
            for a in self._all(t)
        ]
        if (
            at
            and any(a.head.pos_ == "PROPN" and a.head.ent_type_ not in {"GPE", "DATE"} for a in at)
            and determiner in {"a", "an", "the"}
        ):
            people = [s for s in subjects if s.span is None]
            self._emit(
                people,
                "works_at",
                [a for a in at if a.head.pos_ == "PROPN"],
                f"is {determiner} {attr.text} at",
                negated,
                _FAIR,
            )
            if determiner != "the":
                self._emit(
                    subjects,
                    "is_a",
                    [a for a in (self.argument(attr),) if a],
                    f"is {determiner}",
                    negated,
                    _SURE,
                )
            return True
        return bool(owners)

    def _adjective(
        self, verb: "Token", subject: "Token", subjects: list[Argument], adjective: "Token", negated: bool
    ) -> None:
        if adjective.text.lower() == "allergic":
            # The tagger takes a lone noun after "allergic to" for a verb.
            for noun in (
                c for c in adjective.children if c.dep_ == "xcomp" and not any(g.dep_ == "dobj" for g in c.children)
            ):
                span = Span(noun.idx, noun.idx + len(noun.text), noun.text, EntityType.CONCEPT, NOUN_WEIGHT)
                self._emit(
                    subjects,
                    "allergic_to",
                    [Argument(noun.text, noun, False, span)],
                    "is allergic to",
                    negated,
                    _FAIR,
                )
        for prep, target in prepositions(adjective) + prepositions(verb):
            predicate = ADJECTIVES.get((adjective.text.lower(), prep.text.lower()))
            if predicate:
                self._emit(subjects, predicate, self._all(target), f"is {adjective.text} {prep.text}", negated, _SURE)
                return
        if self._inside_name(subject) or of_another(subject):
            return
        if any(s.start <= adjective.idx < s.end for s in self._spans):
            self._identity(subject, subjects, adjective, negated)  # a name that the tagger takes for an adjective
            return
        favorite = any(c.text.lower() in {"favorite", "favourite"} for c in subject.children)
        if subject.tag_ == "NNS" or adjective.text.lower() in LOOSE_MODIFIERS:
            return
        if (favorite or subject.lemma_.lower() in ATTRIBUTES - PEOPLE_ATTRIBUTES) and not any(
            c.dep_ in {"advmod", "prep"} for c in adjective.children
        ):
            value = [Argument(adjective.text, adjective, True, None)]
            owners = self._owners(subject)
            if owners:
                self._emit(owners, f"has_{attribute_name(subject)}", value, f"{subject.text} is", negated, _FAIR)
            else:
                self._emit(subjects, "is", value, "is", negated, _FAIR)

    # Nominal ----------------------------------------------------------------------------------------------

    def _apposition(self, noun: "Token") -> None:
        """For "Bob, the CTO of Acme", "Lena, a nurse", "my sister Ann"."""
        head = noun.head
        if head.lemma_.lower() in PEOPLE_ATTRIBUTES and noun.pos_ == "PROPN":
            if owners := self._owners(head):
                self._emit(owners, f"has_{attribute_name(head)}", self._all(noun), head.text, False, _SURE)
            return
        subject = self.argument(head)
        if subject is None or subject.literal or head.pos_ != "PROPN":
            return
        owners = self._owners(noun)
        determiner = next((c.text.lower() for c in noun.children if c.dep_ == "det"), "")
        if noun.lemma_.lower() in ATTRIBUTES and owners:
            self._emit(owners, f"has_{attribute_name(noun)}", [subject], noun.text, False, _SURE)
        elif determiner in {"a", "an"} and (kind := self.argument(noun)) and not kind.literal:
            self._emit([subject], "is_a", [kind], noun.text, False, _SURE)

    def _possession(self, owner: "Token") -> None:
        """For "Maria's brother Tom": kin named next to the word for it."""
        noun = owner.head
        if noun.pos_ != "PROPN" or noun.ent_type_ not in {"PERSON", "ORG", "GPE", ""}:
            return
        relative = next(
            (c for c in noun.children if c.dep_ in {"compound", "nmod"} and c.lemma_.lower() in PEOPLE_ATTRIBUTES),
            None,
        )
        if relative is not None and (owners := self._all(owner)):
            self._emit(owners, f"has_{relative.lemma_.lower()}", self._all(noun), relative.text, False, _SURE)

    def _emit(
        self,
        subjects: Sequence[Argument],
        predicate: str,
        objects: Sequence[Argument],
        surface: str,
        negated: bool,
        confidence: float,
    ) -> None:
        for subject in subjects:
            for value in objects:
                if subject.literal or subject.name == value.name or is_vague(subject, predicate):
                    continue
                if value.literal and predicate not in _OF_VALUES and not predicate.startswith("has_"):
                    continue
                if not value.literal and (
                    (predicate not in TASTE and is_vague(value, predicate)) or not self._fits(predicate, subject, value)
                ):
                    continue
                relation = RelationMention(
                    subject=subject.name,
                    predicate=self._settled(predicate, subject, value),
                    object=value.name,
                    surface=surface,
                    negated=negated,
                    confidence=confidence,
                    object_is_literal=value.literal,
                )
                promoted = tuple(
                    a.span
                    for a in (subject, value)
                    if a.span and not is_generic(a.span.name) and (predicate in PROMOTING or " " in a.span.name)
                )
                self.readings.append(Reading(relation, promoted))


def english_relations(doc: "Doc", spans: Sequence[Span], *, speaker: str | None = None) -> list[Reading]:
    """Relations of a parsed English text.

    Args:
        doc: Tagged, parsed and with named entities.
        spans: The entities found in it; subjects and objects take their names.
        speaker: Who says it: the subject of "I"; without one it is `user`.

    Returns:
        Relations in the order of the text, each once.
    """
    reader = _Reader(doc, spans, speaker)
    reader.read()
    seen: dict[tuple[str, str, str, bool], Reading] = {}
    for reading in reader.readings:
        relation = reading.relation
        seen.setdefault((relation.subject, relation.predicate, relation.object, relation.negated), reading)
    return list(seen.values())
