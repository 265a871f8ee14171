"""Which language a text is in, by counting characters: no model, no library."""

import re
from collections.abc import Iterator

from retrograph.models import Language


def word_set(words: str) -> frozenset[str]:
    """The words of a string that lists them with spaces between."""
    return frozenset(words.split())


TEXTS_KEPT = 4_096
"""Texts whose readings each cache keeps: those of a few batches and of what they are held against. The caches fill with
whatever a server is told, so this bounds its memory: some 15 MiB of short texts."""
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"
_HAN_CHAR = re.compile(f"[{HAN}]")
_KANA_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af\u1100-\u11ff]")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:['’-][A-Za-zÀ-ɏ]+)*")
_LETTER = re.compile(r"[^\W\d_]")
_PIECE = re.compile(r"(?:[^。！？!?；\n.]|\.(?!\s))*(?:[。！？；\n]+|\.(?=\s)|[!?]+(?=\s|$|[^\x00-\x7f])|[!?]|$)")

# Two Han characters carry about as much as one Latin word.
_HAN_PER_WORD = 2.0
_MIXED_FROM = 0.12
_MIXED_TO = 0.88

# Function words that no English sentence needs; they tell other Latin-script languages apart.
_FOREIGN = word_set(
    "le la les des du est une dans pour avec sur pas que qui el los las del una por para con está der "
    "die das und ist nicht ein eine mit auf den het een van di il che per não uma em och att är som jest "
    "nie się"
)
_ENGLISH = word_set(
    "the a an is are was were be of to in on at for with and or not this that it i you he she we they my "
    "your has have had do does did will by from as but"
)
_MIN_FOREIGN = 2

# Longest piece handed to a model at once, characters: bounds the memory one text can take.
_MAX_PIECE = 4000


def has_han(text: str) -> bool:
    """Whether the text holds a Han character."""
    return _HAN_CHAR.search(text) is not None


_FOREIGN_LETTER = re.compile(f"[^\\W\\d_A-Za-zÀ-ɏ\u1e00-\u1eff{HAN}]")


def is_foreign(word: str) -> bool:
    """Whether a word is written in neither Latin nor Han letters: Cyrillic, Hangul, kana, Arabic and so on."""
    return _FOREIGN_LETTER.match(word) is not None


def latin_share(text: str) -> float:
    """Share in [0, 1] of the text's words that are Latin; 0.0 where it has no word at all."""
    latin = len(_LATIN_WORD.findall(text))
    han = len(_HAN_CHAR.findall(text)) / _HAN_PER_WORD
    return latin / (latin + han) if latin + han else 0.0


def detect_language(text: str) -> Language:
    """Tell English, Chinese and mixed text apart, and everything else as `other`.

    Han characters are counted against Latin words. A Chinese sentence with a product's name in it is Chinese,
    one with several English words is mixed. Text without letters is `other`.

    Args:
        text: Any text.

    Returns:
        The language; never raises.
    """
    han = len(_HAN_CHAR.findall(text))
    words = [word.lower() for word in _LATIN_WORD.findall(text)]
    letters = len(_LETTER.findall(text))
    latin_letters = sum(len(word) for word in words)
    if not letters or (han + latin_letters) * 2 < letters or len(_KANA_HANGUL.findall(text)) > han + latin_letters:
        return Language.OTHER
    share = latin_share(text)
    if share < _MIXED_FROM or (han and len(words) <= 1 and han >= 4):
        return Language.CHINESE
    if share <= _MIXED_TO and han:
        return Language.MIXED
    foreign = sum(word in _FOREIGN for word in words)
    english = sum(word in _ENGLISH for word in words)
    return Language.OTHER if foreign >= _MIN_FOREIGN and foreign > english else Language.ENGLISH


def pieces(text: str) -> Iterator[tuple[int, str, bool]]:
    """Cut a text into stretches for one model each.

    Sentences in which Chinese leads are handed out one by one; neighbouring English ones stay together, so
    that the parser sees whole paragraphs.

    Args:
        text: Any text.

    Yields:
        Offset in the text, the stretch, and whether it is for the Chinese model.
    """
    start, end, chinese = 0, 0, False
    for match in _PIECE.finditer(text):
        piece = match.group()
        if not piece:
            continue
        leads = has_han(piece) and not _is_english_frame(piece)
        if end > start and (leads or chinese or match.end() - start > _MAX_PIECE):
            yield from _bounded(text, start, end, chinese)
            start = match.start()
        chinese, end = leads, match.end()
    if end > start:
        yield from _bounded(text, start, end, chinese)


_LATIN_LEADS = 0.75
_FRAME_WORDS = 2

# What a sentence that begins in Chinese goes on with where its grammar is English: "小李 uses billing-api".
ENGLISH_VERBS = word_set(
    "is was has had uses used using runs ran likes liked loves loved hates hated prefers preferred wants wanted needs "
    "needed owns owned works worked lives lived moves moved manages managed maintains maintained depends depended "
    "requires required supports deploys deployed migrated switched replaced joined left built created wrote writes "
    "speaks knows learns learned teaches studies studied reports leads led bought visited plays played drinks eats "
    "keeps kept stores stored hosts hosted contains calls called"
)
_HAN_THEN_VERB = re.compile(f"[{HAN}] (?:{'|'.join(sorted(ENGLISH_VERBS))}) (?=[A-Za-z0-9])")


def _is_english_frame(piece: str) -> bool:
    """Whether English carries the sentence, by its function words or its verb, and Chinese only names things in it."""
    share = latin_share(piece)
    if share <= 0.4:
        return False
    words = [word.lower() for word in _LATIN_WORD.findall(piece)]
    if share > _LATIN_LEADS or sum(word in _FRAME for word in words) >= _FRAME_WORDS:
        return True
    return _HAN_THEN_VERB.search(piece) is not None


_FRAME = _ENGLISH | word_set("please about into over our his her their can ask tell")


def _bounded(text: str, start: int, end: int, chinese: bool) -> Iterator[tuple[int, str, bool]]:
    for at in range(start, end, _MAX_PIECE):
        piece = text[at : min(at + _MAX_PIECE, end)]
        if piece.strip():
            yield at, piece, chinese
