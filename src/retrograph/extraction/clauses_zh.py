"""Chinese clauses: the tagger's words cut at punctuation, and the noun phrases among them."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from retrograph.extraction.entities_zh import NOMINAL, Word
from retrograph.extraction.identifiers import NOUN_WEIGHT, Span
from retrograph.extraction.language import word_set
from retrograph.extraction.relation_ends import USER
from retrograph.extraction.vocabulary import CHINESE_ATTRIBUTES, CHINESE_PRONOUNS, CHINESE_VERBS
from retrograph.models import EntityType

_BREAK = re.compile(r"[，。；！？,;!?：:\n（）()]")
PARTICLES = word_set("了 过 着 到 在 于 为 给 成")
# What one does at a place: "在腾讯工作" is no "腾讯工作".
DOINGS = word_set("工作 上班 实习 任职 就职 读书 上学 念书 学习 生活 教书")
_LINKS = word_set("和 与 跟 、 及 以及 还有")
_FIRST_PERSON = frozenset({"我", "本人", "俺"})
_LITERAL = re.compile(r"^[\d一二三四五六七八九十百千万亿零两.,:%：]+[^，。]*$")
_BETWEEN = frozenset({"d", "ad", "TIME", "t", "c", "p", "LOC", "f", "m", "xc", "u", "w", "s", "q"})
_HELPING = word_set("是 会 要 能 可以 正在 开始 一直 已经 都 也 现在 目前 主要 必须 会说 不 没有 没 别 喜欢 决定")


class Noun(NamedTuple):
    """A noun phrase: name, position among the words, owner in "X的Y", whether it is a plain value."""

    name: str
    first: int
    last: int
    owner: "Noun | None"
    literal: bool
    pronoun: bool
    type: EntityType | None
    span: Span | None


class Clause:
    """A clause's words with the noun phrases found among them."""

    def __init__(self, words: list[Word], spans: Sequence[Span], speaker: str | None) -> None:
        self.words = _joined(words)
        self.texts = [word.text for word in self.words]
        self.spans = sorted(spans, key=lambda span: span.start - span.end)
        self.speaker = speaker

    def index(self, text: str, after: int = 0) -> int:
        """Position of a word, -1 where it is missing."""
        return self.texts.index(text, after) if text in self.texts[after:] else -1

    def noun(self, at: int) -> Noun | None:
        """The noun phrase that begins at a word, with its owner."""
        unit = self._unit(at)
        if unit is None:
            return None
        kin = unit.last + 1
        if unit.type is EntityType.PERSON and kin < len(self.words) and self.texts[kin] in CHINESE_ATTRIBUTES:
            following = self._unit(kin)
            unit = following._replace(owner=unit, first=unit.first) if following else unit
        while unit.last + 2 < len(self.words) and self.texts[unit.last + 1] in {"的", "之"}:
            following = self._unit(unit.last + 2)
            if following is None or following.literal:
                break
            unit = following._replace(owner=unit, first=unit.first)
        return unit

    def _unit(self, at: int) -> Noun | None:
        while at < len(self.words) and (self.texts[at] in {"这", "那", "该", "一", "是"} or self._counts(at)):
            at += 1
        if at >= len(self.words):
            return None
        word = self.words[at]
        if word.text in _FIRST_PERSON:
            kind = EntityType.PERSON
            return Noun(self.speaker or USER, at, at, None, False, False, kind, None)
        if word.tag == "r" or word.text in CHINESE_PRONOUNS:
            return Noun(word.text, at, at, None, False, True, None, None)
        if word.tag in {"m", "TIME", "t"} or _LITERAL.match(word.text):
            return self._value(at)
        if word.tag not in NOMINAL and not (word.tag == "v" and self._inside_span(word)):
            return None
        return self._nominal(at)

    def _counts(self, at: int) -> bool:
        """A number with a measure word before a noun: "三个模块", "一名医生"."""
        word = self.words[at]
        following = self.words[at + 1] if at + 1 < len(self.words) else None
        return (
            word.tag in {"m", "q"}
            and following is not None
            and (following.tag in NOMINAL or following.tag == "q")
            and bool(
                re.fullmatch(r"[一二两三四五六七八九十几数多\d]*[个名位只条家台种款项座所辆把本间套份些]?", word.text)
            )
        )

    def _value(self, at: int) -> Noun:
        if at + 1 < len(self.words) and self.texts[at + 1] == "端口":
            return Noun(self.texts[at], at, at + 1, None, True, False, None, None)
        last = at
        while last + 1 < len(self.words) and self.words[last + 1].tag in {"m", "q", "TIME"}:
            last += 1
        text = (
            "".join(self.texts[at : last + 1])
            if _touching(self.words[at : last + 1])
            else " ".join(self.texts[at : last + 1])
        )
        return Noun(text, at, last, None, True, False, None, None)

    def _inside_span(self, word: Word) -> bool:
        return any(span.start <= word.start and word.end <= span.end for span in self.spans)

    def _nominal(self, at: int) -> Noun:
        start = self.words[at].start
        for span in self.spans:
            if span.start == start:
                last = at
                while last + 1 < len(self.words) and self.words[last + 1].end <= span.end:
                    last += 1
                if self.words[last].end == span.end:
                    beyond = self.words[last + 1] if last + 1 < len(self.words) else None
                    if (
                        beyond
                        and beyond.tag in {"n", "nz", "vn"}
                        and beyond.text not in DOINGS
                        and beyond.start == span.end
                        and span.type in {EntityType.PLACE, EntityType.ORGANISATION, EntityType.PERSON}
                    ):
                        continue
                    return Noun(span.name, at, last, None, False, False, span.type, None)
        last = at
        while (
            last + 1 < len(self.words)
            and self.words[last + 1].tag in {"n", "nz", "vn", "latin"}
            and self.words[last + 1].text not in CHINESE_VERBS
        ):
            last += 1
        name = "".join(self.texts[at : last + 1])
        end = self.words[last].end
        return Noun(name, at, last, None, False, False, None, Span(start, end, name, EntityType.CONCEPT, NOUN_WEIGHT))

    def nouns(self, at: int) -> list[Noun]:
        """Coordinated noun phrases from a word on."""
        found: list[Noun] = []
        while at < len(self.words) and (noun := self.noun(at)):
            found.append(noun)
            at = noun.last + 1
            if at < len(self.words) and (self.texts[at] in _LINKS):
                at += 1
            else:
                break
        return found

    def topic(self) -> list[Noun]:
        """What a clause that no frame reads is about: the people or names at its head, before a verb."""
        found = self.nouns(0)
        after = found[-1].last + 1 if found else len(self.words)
        goes_on = after < len(self.words) and self.words[after].tag in {"v", "d", "vd", "TIME", "p", "ad"}
        return [noun for noun in found if noun.type is not None or noun.name == self.speaker] if goes_on else []

    def subjects(self, verb: int) -> list[Noun]:
        """Noun phrases at the head of the clause, before a verb or preposition."""
        at = 0
        while at < verb and (
            self.words[at].tag in {"d", "c", "TIME", "t", "ad", "u", "xc", "f", "w"}
            or self.texts[at] in {"但", "而", "所以", "因为"}
        ):
            at += 1
        found = self.nouns(at) if at < verb else []
        if not found or found[-1].last >= verb:
            return []
        between = self.words[found[-1].last + 1 : verb]
        return found if all(word.tag in _BETWEEN or word.text in _HELPING for word in between) else []


_TOWARDS = frozenset({"过敏", "感兴趣"})


def _joined(words: list[Word]) -> list[Word]:
    """Verbs the tagger cut off their preposition or adverb: 毕业 + 于, 更 + 喜欢. And 对虾 before 过敏 is no prawn."""
    joined: list[Word] = []
    for i, word in enumerate(words):
        if word.text[:1] == "对" and len(word.text) > 1 and i + 1 < len(words) and words[i + 1].text in _TOWARDS:
            joined.append(word._replace(text="对", tag="p"))
            word = word._replace(text=word.text[1:], start=word.start + 1)
        last = joined[-1] if joined else None
        if (
            last
            and last.end == word.start
            and (
                (last.tag in {"v", "vn"} and word.text in {"于", "在", "到", "至", "给", "为", "成"})
                or last.text == "更"
            )
            and last.text + word.text in CHINESE_VERBS
        ):
            joined[-1] = last._replace(text=last.text + word.text, tag="v")
        else:
            joined.append(word)
    return joined


def _touching(words: Sequence[Word]) -> bool:
    """Whether words stand without a gap."""
    return all(a.end == b.start for a, b in pairwise(words))


def clauses(words: Sequence[Word]) -> Iterator[list[Word]]:
    """The words of a sentence, cut at punctuation."""
    part: list[Word] = []
    for word in words:
        if word.tag not in {"latin", "name"} and _BREAK.fullmatch(word.text.strip() or " "):
            if part:
                yield part
            part = []
        else:
            part.append(word)
    if part:
        yield part
