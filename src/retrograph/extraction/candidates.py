"""Every run of words in a text that could be a name the bank knows: no model, a few microseconds a word."""

import re
import unicodedata

from retrograph.extraction.keys import entity_key

_LONGEST_NAME_WORDS = 5
_LONGEST_NAME_HAN = 8
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_PIECE = re.compile(r"[\u3400-\u9fff]+|[^\s\u3400-\u9fff]+")
_EDGE = "\"'“”‘’()[]{}<>,.;:!?，。；：！？、（）《》「」…"
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|a|an) (?=.)")
_MAX_CHARS = 4_000
_MAX_KEYS = 4_000


def candidate_keys(text: str) -> list[str]:
    """Keys under which the bank may know a name in the text: runs of up to 5 words, or of 2 to 8 Han characters.

    Args:
        text: Any text; only its first 4,000 characters are looked at.

    Returns:
        At most 4,000 keys, each once, shorter runs first.
    """
    words = _words(text[:_MAX_CHARS])
    keys: dict[str, None] = {}
    for length in range(1, _LONGEST_NAME_WORDS + 1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            if len(run) > 1 and any(word.endswith("\n") for word in run[:-1]):
                continue  # a name does not run across punctuation
            keys[entity_key(" ".join(run).replace("\n", ""))] = None
    for run in _HAN_RUN.findall(text[:_MAX_CHARS]):
        for length in range(2, _LONGEST_NAME_HAN + 1):
            for start in range(len(run) - length + 1):
                keys[entity_key(run[start : start + length])] = None
    return [key for key in keys if key.strip()][:_MAX_KEYS]


def bare_key(key: str) -> str:
    """A key without accents and without its article: what people type for "The Tekezé River"."""
    marked = unicodedata.normalize("NFD", key)
    latin = "".join(c for c in marked if not "\u0300" <= c <= "\u036f")
    return _ARTICLE.sub("", unicodedata.normalize("NFC", latin))


def _words(text: str) -> list[str]:
    """Words without the punctuation around them; one that punctuation follows ends in a line feed."""
    found: list[str] = []
    for piece in _PIECE.findall(text):
        word = piece.strip(_EDGE)
        ends = piece != piece.rstrip(_EDGE)
        bare = _POSSESSIVE.sub("", word)
        if bare:
            found.append(bare + ("\n" if ends or bare != word else ""))
    return found
