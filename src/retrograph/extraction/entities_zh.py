"""Chinese and mixed entities: the tagger's names, compound nouns, and Latin names inside Chinese text."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from retrograph.extraction.identifiers import Span
from retrograph.extraction.language import has_han
from retrograph.extraction.vocabulary import CHINESE_GENERIC, CHINESE_PRONOUNS, TECHNOLOGIES, is_generic
from retrograph.models import EntityType


class Word(NamedTuple):
    """A word of the Chinese tagger.

    Args:
        text: Its characters.
        tag: LAC's tag, `latin` for a run of Latin words, `name` for a name or identifier found before.
        start: Offset in the text.
        label: LAC's own tag of the first part, where `tag` was replaced.
    """

    text: str
    tag: str
    start: int
    label: str = ""

    @property
    def end(self) -> int:
        """Offset after the last character."""
        return self.start + len(self.text)


_LATIN_RUN = re.compile(
    r"[A-Za-zÀ-ɏ][A-Za-z0-9À-ɏ]*(?:[.+#@&'’_-]*[A-Za-z0-9À-ɏ]+)*[+#]*(?: (?:\d+(?:\.\d+)*(?![\d.])|[A-Za-zÀ-ɏ][A-Za-z0-9À-ɏ]*(?:[.+#@&'’_-]*[A-Za-z0-9À-ɏ]+)*[+#]*))*"
)
_TYPES = {"PER": EntityType.PERSON, "ORG": EntityType.ORGANISATION, "LOC": EntityType.PLACE, "nw": EntityType.PRODUCT}
_COMPOUND_TAGS = frozenset({"n", "nz", "vn", "an", "nw"})
NOMINAL = _COMPOUND_TAGS | {"PER", "ORG", "LOC", "latin", "name", "s"}

# English words that Chinese speakers drop into a sentence: they name nothing.
_LOOSE_LATIN = frozenset(
    "ok okay hi hello bye thanks thank you sorry please yes no and or the a an is are to of for in on at with by it "
    "bug review code deploy release check fix test demo meeting call deadline feature update email mail app web pc tv "
    "vs via etc am pm ps offer happy nice good cool team leader boss case share sync merge commit push pull build run "
    "log debug online offline ready done todo hr pm ceo cto cfo ppt id ip url it ai dm vip diy wifi plan task issue "
    "project server client api sdk db dev prod user users system key value".split()
)
_COMMON_CHINESE_TAIL = frozenset("集群 服务 数据库 公司 团队 项目 框架 工具 系统 库 语言 平台 版本 接口 插件 模型 账号 实例 脚本 文件 镜像 组件 客户端 办公室".split())


def words_of(tagged: Sequence[tuple[str, str]], piece: str, offset: int, names: Sequence[Span]) -> list[Word]:
    """The tagger's words with offsets; Latin runs and names found before become one word each.

    Args:
        tagged: What the tagger gave for `piece`, without gaps.
        piece: The stretch of text.
        offset: Where it stands in the whole text.
        names: Identifiers and known names, offsets in the whole text.
    """
    atoms: list[Word] = []
    at = offset
    for text, tag in tagged:
        atoms.append(Word(text, tag, at, tag))
        at += len(text)
    fixed = [(span.start, span.end, "name") for span in names]
    for match in _LATIN_RUN.finditer(piece):
        start, end = match.start() + offset, match.end() + offset
        if not any(start < other[1] and other[0] < end for other in fixed):
            fixed.append((start, end, "latin"))
    return list(_merged(atoms, sorted(fixed), piece, offset))


def _merged(atoms: list[Word], fixed: list[tuple[int, int, str]], piece: str, offset: int) -> Iterator[Word]:
    inside = [(s, e, t) for s, e, t in fixed if offset <= s and e <= offset + len(piece)]
    for atom in atoms:
        cuts = [(s, e, t) for s, e, t in inside if s < atom.end and atom.start < e]
        if not cuts:
            if atom.text.strip():
                yield atom
            continue
        at = atom.start
        for start, end, tag in cuts:
            if at < start:
                yield from _rest(piece[at - offset : start - offset], atom, at)
            if atom.start <= start:
                yield Word(piece[start - offset : end - offset], tag, start, atom.tag)
            at = max(at, end)
        if at < atom.end:
            yield from _rest(piece[at - offset : atom.end - offset], atom, at)


def _rest(text: str, atom: Word, start: int) -> Iterator[Word]:
    if text.strip():
        yield Word(text, atom.tag if has_han(text) else "w", start, atom.label)


def chinese_entities(words: Sequence[Word], taken: Sequence[Span]) -> list[Span]:
    """Entities of a tagged Chinese sentence.

    Args:
        words: From `words_of`.
        taken: Identifiers and known names found before; they keep their place.

    Returns:
        Spans with offsets in the whole text; a compound may enclose a name.
    """
    spans: list[Span] = []
    for i, word in enumerate(words):
        if word.tag == "latin":
            if span := _latin(word, words[i + 1] if i + 1 < len(words) else None):
                spans.append(span)
        elif word.tag in _TYPES and (span := _name(word)):
            spans.append(span)
    for run in _runs(words):
        spans.extend(_compounds(run))
    return [
        span
        for span in spans
        if not any(span.start < t.end and t.start < span.end and not (span.start <= t.start and t.end <= span.end and span.end - span.start > t.end - t.start) for t in taken)
    ]


def _name(word: Word) -> Span | None:
    text = word.text.strip("·“”\"'《》的")
    if len(text) < 2 or is_generic(text) or not has_han(text) or text in CHINESE_PRONOUNS:  # noqa: PLR2004
        return None
    start = word.start + word.text.index(text)
    return Span(start, start + len(text), text, _TYPES[word.tag], 0.9)


def _latin(word: Word, after: Word | None) -> Span | None:
    text = word.text
    parts = text.split(" ")
    while parts and parts[0].lower() in _LOOSE_LATIN and (len(parts) > 1 or not parts[0].isupper() or len(parts[0]) < 2):  # noqa: PLR2004
        if len(parts) > 1 and parts[0].lower() not in {"the", "a", "an", "to", "of", "for", "and", "in", "on", "is", "it", "please", "ok", "hi", "hello"}:
            break
        parts = parts[1:]
    text = " ".join(parts)
    lowered = text.lower()
    if len(text) < 2 and not (text in "CR" and text):  # noqa: PLR2004
        return None
    if not text or lowered in _LOOSE_LATIN or is_generic(text):
        return None
    start = word.end - len(text)
    return Span(start, word.end, text, latin_type(text, word.label, after.text if after else ""), 0.9 if any(c.isupper() for c in text) else 0.7)


def latin_type(text: str, label: str, after: str) -> EntityType:
    """Type of a Latin name inside Chinese text, from its form, the tagger's guess and the word behind it."""
    lowered = text.lower()
    if lowered in TECHNOLOGIES or lowered.split(" ")[0] in TECHNOLOGIES:
        return EntityType.TOOL
    if after in {"集群", "数据库", "框架", "库", "插件", "镜像", "脚本", "服务器", "工具"}:
        return EntityType.TOOL
    capital = all(part[:1].isupper() for part in text.split(" "))
    if label in {"PER", "ORG", "LOC"} and capital:
        return _TYPES[label]
    if not any(char.isupper() for char in text):
        return EntityType.CONCEPT if " " in text else EntityType.TOOL
    return EntityType.PRODUCT


def _runs(words: Sequence[Word]) -> Iterator[list[Word]]:
    run: list[Word] = []
    for word in words:
        if run and (word.start != run[-1].end or word.tag not in NOMINAL) or word.tag not in NOMINAL:
            if run:
                yield run
            run = []
        if word.tag in NOMINAL:
            run.append(word)
    if run:
        yield run


_SINGLE_LENGTH = 3
_COMPOUND_LENGTH = 4


def _compounds(run: list[Word]) -> Iterator[Span]:
    """Compound nouns of a run of nominal words, with or without a name in front."""
    common = [word for word in run if word.tag in _COMPOUND_TAGS]
    if not common:
        return
    front = [word for word in run if word.tag in {"PER", "ORG", "LOC", "latin", "name"}]
    tail = run[run.index(front[-1]) + 1 :] if front else run
    if not tail:
        return
    if front and tail == run[len(front) :] and front[-1].tag in {"ORG", "LOC"} and len(front) == 1:
        if "".join(word.text for word in tail) not in CHINESE_GENERIC | _COMMON_CHINESE_TAIL:
            yield from _compound(run)
            return
    yield from _compound(tail)


def _compound(words: list[Word]) -> Iterator[Span]:
    while words and (words[0].tag == "an" or words[0].text in CHINESE_PRONOUNS):
        words = words[1:]
    if not words:
        return
    text = "".join(word.text for word in words)
    if is_generic(text) or not has_han(text):
        return
    if len(words) == 1:
        word = words[0]
        if word.tag not in {"n", "nz", "nw"} or (len(text) < _SINGLE_LENGTH and word.tag == "n"):
            return
        if word.tag == "nw":
            return
        yield Span(word.start, word.end, text, EntityType.CONCEPT, 0.5 if len(text) >= _COMPOUND_LENGTH else 0.4)
        return
    if words[-1].tag not in {"n", "nz", "vn"} or len(text) < _COMPOUND_LENGTH - 1:
        return
    if all(word.text in CHINESE_GENERIC for word in words):
        return
    yield Span(words[0].start, words[-1].end, text, EntityType.CONCEPT, 0.6)
