"""A query's words as full-text queries: nothing a user types is ever syntax."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from retrograph.graph.records import filter_token, metadata_tokens
from retrograph.models import Identity, SearchFilter

# Kana and Hangul are cut into pairs by the same analyzer as Han.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_WORD = re.compile(rf"[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)?")
_PART = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile("'s$")
_MAX_WORDS = 400
"""Two fields a word, and filters, are under Lucene's 1,024 clauses."""
_MAX_RUN = 60

# Words that ask rather than tell; the analyzer's own list has none of them.
_ASKING = frozenset(
    "what when where who whom whose which why how do does did doing done has have had having am is are was were be "
    "been being i you he she it we they me him her us them my your his its our their mine yours hers ours theirs this "
    "that a an these those the of in on at by for with about to from into during after before between and or but if "
    "as than so not no nor would could should will can may might shall must there here any some own too very".split()
)
_ASKING_CJK = re.compile(
    r"什么时候|什么|怎么样|怎么|如何|为什么|哪里|哪儿|哪个|哪些|谁|吗|呢|是不是|有没有|多少|几|请问|关于|有关|对于|针对|的|了|吧|啊"
)


def full_text_query(
    text: str, *, identity: Identity, where: SearchFilter, statuses: Sequence[str], content_weight: float
) -> dict[str, Any]:
    """Words of a text and the filters around them; `recall.cypher` puts them together.

    Args:
        text: The question, as typed.
        identity: Whose memories.
        where: What narrows the recall.
        statuses: Statuses searched, `archived` among them for a deep recall.
        content_weight: Weight of a match in the content against one in the context, which holds the content too.

    Returns:
        `words` for the English analyzer, each once, and `runs` for the Chinese one: both together hold every word
        of the text that tells something, in `length` characters. None of them is syntax of the query language.
    """
    # Tags and metadata are not in the vector index: what they let through comes from here, words in common or not.
    by_tokens = bool(where.tags or where.metadata)
    return {
        "filters": _filters(identity, where, statuses),
        "must": " " if by_tokens else " +",
        "otherwise": "" if by_tokens else " +filter_tokens:nothing",
        "length": max(1, len(" ".join([*telling_words(text), *telling_runs(text)]))),
        "words": [word.replace("'", "\\'") for word in telling_words(text)],
        "runs": " ".join(telling_runs(text)),
        "content_weight": f"{content_weight:g}",
    }


def names_among(keys: Sequence[str], text: str) -> list[str]:
    """Those keys that a text writes as names: with a capital, a digit or a Chinese character in them.

    All of them where the text has no capital at all, for then its writer does without.
    """
    if text == text.lower():
        return list(keys)
    words = (m.group() for m in _WORD.finditer(text) if any(c.isupper() or c.isdigit() for c in m.group()))
    marked = {part for word in words for part in _PART.findall(_unaccented(word.lower()))} - _ASKING
    return [key for key in keys if _CJK_RUN.search(key) or not marked.isdisjoint(_PART.findall(_unaccented(key)))]


def unspaced(keys: Sequence[str]) -> list[str]:
    """Keys in a script without spaces, where a name can stand inside a longer one anywhere."""
    return [key for key in keys if _CJK_RUN.search(key)]


def _unaccented(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def telling_words(text: str, *, or_all: bool = True) -> list[str]:
    """Words of a text that tell something, lower-case, each once; all of them where none does, if so asked."""
    words = [_POSSESSIVE.sub("", m.group().lower().replace("’", "'")) for m in _WORD.finditer(text)]
    telling = [word for word in words if word not in _ASKING]
    return _of_both_ends(list(dict.fromkeys(telling or (words if or_all else []))))


def telling_runs(text: str, *, or_all: bool = True) -> list[str]:
    """Runs of Chinese, Japanese or Korean characters without the words that only ask, each once."""
    telling = _CJK_RUN.findall(asking_removed(text))
    runs = telling or (_CJK_RUN.findall(text) if or_all else [])
    return _of_both_ends(list(dict.fromkeys(run[:_MAX_RUN] for run in runs)))


def asking_removed(text: str) -> str:
    """A text without the Chinese words that only ask."""
    return _ASKING_CJK.sub(" ", text)


def both_ends(text: str, length: int) -> str:
    """A text of at most that many characters: the question about a pasted text stands before or behind it."""
    half = length // 2
    return text if len(text) <= length else f"{text[:half]}\n{text[-half:]}"


def _of_both_ends(words: list[str]) -> list[str]:
    """As many as a query may have; see `both_ends`."""
    half = _MAX_WORDS // 2
    return words if len(words) <= _MAX_WORDS else words[:half] + words[-half:]


def _filters(identity: Identity, where: SearchFilter, statuses: Sequence[str]) -> str:
    groups = [
        [filter_token("b", identity.bank)],
        [filter_token("a", audience) for audience in identity.audiences],
        [f"s{status.replace('_', '')}" for status in statuses],
    ]
    if where.types:
        groups.append([f"t{kind.value.replace('_', '')}" for kind in where.types])
    if where.source:
        groups.append([f"o{where.source.value}"])
    if where.domain:
        groups.append([filter_token("d", where.domain)])
    if where.session:
        groups.append([filter_token("x", where.session)])
    groups += [[filter_token("g", tag)] for tag in where.tags]
    groups += [[token] for token in metadata_tokens(where.metadata)]
    return " ".join(f"+filter_tokens:({' '.join(group)})^0" for group in groups)
