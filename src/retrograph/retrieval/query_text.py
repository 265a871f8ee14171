"""A query's words as full-text queries: nothing a user types is ever syntax."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrograph.graph.records import filter_token
from retrograph.models import Identity, SearchFilter

# Kana and Hangul are cut into pairs by the same analyzer as Han.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_WORD = re.compile(rf"[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)?")
_POSSESSIVE = re.compile("'s$")
_NOTHING = "filter_tokens:nothing"
_MAX_WORDS = 200
_MAX_RUN = 60
_MAX_PHRASES = 30
_PHRASE = 0.2
"""Weight of two words of the query that stand together."""

# Words that ask rather than tell; the analyzer's own list has none of them.
_ASKING = frozenset(
    "what when where who whom whose which why how do does did doing done has have had having am is are was were be "
    "been being i you he she it we they me him her us them my your his its our their mine yours hers ours theirs this "
    "that a an these those the of in on at by for with about to from into during after before between and or but if "
    "as than so not no nor would could should will can may might shall must there here any some own too very".split()
)
_ASKING_CJK = re.compile(
    r"什么时候|什么|怎么样|怎么|如何|为什么|哪里|哪儿|哪个|哪些|谁|吗|呢|是不是|有没有|多少|几|请问|的|了|吧|啊"
)


@dataclass(frozen=True, slots=True)
class FullTextQueries:
    """One query for each analyzer; one that matches nothing where the text has no word for it."""

    english: str
    cjk: str


def full_text_queries(
    text: str,
    *,
    identity: Identity,
    where: SearchFilter,
    statuses: Sequence[str],
    content_weight: float,
    without: Sequence[str] = (),
) -> FullTextQueries:
    """Words of a text as Lucene queries that filter inside the index.

    Args:
        text: The question, as typed.
        identity: Whose memories.
        where: What narrows the recall.
        statuses: Statuses searched, `archived` among them for a deep recall.
        content_weight: Weight of a match in the content against one in the context, which holds the content too.
        without: Words left out (names that half of a conversation carries).

    Returns:
        The queries. Both together hold every word of the text once.
    """
    filters = _filters(identity, where, statuses)
    # A filter on tags is not in the vector index: its matches come from here, with or without a word in common.
    must = "" if where.tags else "+"
    dropped = {word.casefold() for word in without}
    words = [w for w in _words(text) if w not in dropped]
    runs = _runs(text)
    english = _clause(words, content_weight)
    cjk = _clause(runs, content_weight)
    if where.tags and not english and not cjk:
        return FullTextQueries(filters, _NOTHING)
    return FullTextQueries(
        f"{filters} {must}({english})" if english else _NOTHING,
        f"{filters} {must}({cjk})" if cjk else _NOTHING,
    )


def _words(text: str) -> list[str]:
    words = [_POSSESSIVE.sub("", m.group().lower().replace("’", "'")) for m in _WORD.finditer(text)]
    telling = [word for word in words if word not in _ASKING]
    return list(dict.fromkeys(telling or words))[:_MAX_WORDS]


def _runs(text: str) -> list[str]:
    telling = _CJK_RUN.findall(_ASKING_CJK.sub(" ", text))
    runs = telling or _CJK_RUN.findall(text)
    return list(dict.fromkeys(run[:_MAX_RUN] for run in runs))[:_MAX_WORDS]


def _clause(words: Sequence[str], content_weight: float) -> str:
    if not words:
        return ""
    words = [word.replace("'", "\\'") for word in words]
    phrases = " ".join(f'context:"{a} {b}"~3^{_PHRASE}' for a, b in pairwise(words[:_MAX_PHRASES]))
    return f"content:({' '.join(words)})^{content_weight:g} context:({' '.join(words)}) {phrases}".rstrip()


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
    return " ".join(f"+filter_tokens:({' '.join(group)})^0" for group in groups)
