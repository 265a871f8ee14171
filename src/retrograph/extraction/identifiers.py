"""Technical identifiers: paths, URLs, versions, error codes, tickets, host names, functions, and the like.

Patterns only. A pattern must look like nothing else: plain words and numbers are no identifiers.
"""

import re
from typing import NamedTuple

from retrograph.models import EntityType

NAME_WEIGHT = 0.9
"""How central a name is to its text, in [0, 1]; the same whether the bank knew it: the order of telling has no say."""
NOUN_WEIGHT = 0.5
"""The same of a common noun."""


class Span(NamedTuple):
    """A stretch of a text that names something.

    Args:
        start: Offset of its first character.
        end: Offset after its last character.
        name: The name it stands for.
        type: What kind of thing it is.
        weight: How central, in [0, 1].
    """

    start: int
    end: int
    name: str
    type: EntityType
    weight: float


_FILE_ENDINGS = (
    "py|js|ts|tsx|jsx|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|sh|sql|cypher|ipynb|json|jsonl|ya?ml|toml|ini|cfg|conf|"
    "env|lock|xml|html?|css|md|rst|txt|log|csv|tsv|parquet|xlsx?|docx?|pptx?|pdf|png|jpe?g|svg|gif|mp[34]|zip|tar|"
    "gz|tgz|whl|jar|exe|dll|so|db|sqlite|pem|crt|key|proto|tf|gradle|dockerfile"
)
_BEFORE = r"(?<![A-Za-z0-9_@/\\.-])"
_AFTER = r"(?![A-Za-z0-9_])"


def _ascii(pattern: str, flags: int = 0) -> re.Pattern[str]:
    # A Chinese character may touch an identifier (配置在/etc/app.conf里): word characters are ASCII here.
    return re.compile(pattern, flags | re.ASCII)


# The order is the priority where two begin at the same place.
_PATTERNS: tuple[tuple[re.Pattern[str], EntityType, str], ...] = (
    (
        _ascii(r"\b(?:https?|ftp|s3|ssh|git|wss?|bolt|neo4j|redis|postgres(?:ql)?|amqp)://[^\s<>\"'，。；、）)\]]+"),
        EntityType.IDENTIFIER,
        "url",
    ),
    (
        _ascii(_BEFORE + r"[A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"),
        EntityType.IDENTIFIER,
        "email",
    ),
    (_ascii(_BEFORE + r"[A-Za-z]:\\(?:[\w.$ -]+\\)*[\w.$-]+"), EntityType.FILE, "windows path"),
    (
        _ascii(r"(?<![\w/.:-])(?:~|\.{1,2})?/(?:[\w.@+-]+/)*[\w.@+-]*[\w@+*]/?" + _AFTER),
        EntityType.FILE,
        "path",
    ),
    (
        _ascii(_BEFORE + r"(?:[\w@+-][\w.@+-]*/)+[\w+-][\w.+-]*\.[A-Za-z]\w{0,9}" + _AFTER),
        EntityType.FILE,
        "relative",
    ),
    (
        _ascii(_BEFORE + rf"(?:[\w+-][\w.+-]*)?\.(?:{_FILE_ENDINGS})" + _AFTER + r"(?!\.\w)", re.IGNORECASE),
        EntityType.FILE,
        "file",
    ),
    (_ascii(_BEFORE + r"(?:Dockerfile|Makefile|Jenkinsfile|Procfile)" + _AFTER), EntityType.FILE, "file"),
    (
        _ascii(_BEFORE + r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}" + _AFTER),
        EntityType.IDENTIFIER,
        "uuid",
    ),
    (_ascii(_BEFORE + r"CVE-\d{4}-\d{4,}" + _AFTER), EntityType.IDENTIFIER, "cve"),
    (_ascii(_BEFORE + r"[A-Z][A-Z0-9]{1,9}-\d{1,6}" + _AFTER + r"(?!-\d)"), EntityType.IDENTIFIER, "ticket"),
    (_ascii(r"(?<![\w#&/])#\d{1,7}" + _AFTER), EntityType.IDENTIFIER, "issue"),
    (
        _ascii(_BEFORE + r"(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5}|/\d{1,2})?" + _AFTER + r"(?!\.\d)"),
        EntityType.IDENTIFIER,
        "ip",
    ),
    (
        _ascii(_BEFORE + r"[vV]\d+(?:\.\d+)*(?:-?(?:alpha|beta|rc|dev|post)[.\d]*)?" + _AFTER + r"(?!\.\d)"),
        EntityType.IDENTIFIER,
        "version",
    ),
    (
        _ascii(
            _BEFORE + r"(?:localhost|[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*\.(?:com|org|net|io|dev|cn|local|internal|"
            r"edu|gov|ai|app|co|uk|de|fr|lan|corp|cloud))(?::\d{2,5})?" + _AFTER + r"(?!\.\w)"
        ),
        EntityType.IDENTIFIER,
        "host",
    ),
    (_ascii(_BEFORE + r"[A-Za-z_][\w]*(?:(?:\.|::|->)[A-Za-z_]\w*)*\(\)"), EntityType.IDENTIFIER, "function"),
    (_ascii(_BEFORE + r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+" + _AFTER), EntityType.IDENTIFIER, "qualified"),
    (_ascii(r"(?<![\w$])\$\{?[A-Z_][A-Z0-9_]+\}?"), EntityType.IDENTIFIER, "variable"),
    (_ascii(_BEFORE + r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+" + _AFTER), EntityType.IDENTIFIER, "constant"),
    (
        _ascii(_BEFORE + r"E[A-Z]{4,12}" + _AFTER + r"(?<=ED|UT|ET|SE|NT|ST|ES|CH|RM|IN)"),
        EntityType.IDENTIFIER,
        "errno",
    ),
    (
        _ascii(_BEFORE + r"(?:0x[0-9a-fA-F]{2,16}|[A-Z]{1,5}\d{3,6})" + _AFTER + r"(?!\.\d|-\w)"),
        EntityType.IDENTIFIER,
        "code",
    ),
    (
        _ascii(_BEFORE + r"(?:[A-Z][a-z0-9]+)+(?:Error|Exception|Warning)" + _AFTER),
        EntityType.IDENTIFIER,
        "exception",
    ),
    (_ascii(_BEFORE + r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+" + _AFTER), EntityType.IDENTIFIER, "snake"),
    (
        _ascii(_BEFORE + r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}" + _AFTER),
        EntityType.IDENTIFIER,
        "hash",
    ),
    (
        _ascii(_BEFORE + r"[a-z]+(?:-[a-z0-9]+)*-\d{1,4}" + _AFTER + r"(?!-|\.\d)"),
        EntityType.IDENTIFIER,
        "host number",
    ),
    (
        _ascii(_BEFORE + r"[a-z]{2,}[0-9]{1,3}(?:-[a-z0-9]+)*" + _AFTER + r"(?!\.\d)"),
        EntityType.IDENTIFIER,
        "host number",
    ),
    (_ascii(_BEFORE + r"--[a-z][a-z0-9-]+" + _AFTER), EntityType.IDENTIFIER, "flag"),
)
# "Room 101", "node seven": a class word and its number name one thing.
_PLACES = "room|gate|terminal|building|suite|apartment|warehouse|highway|hall|ward"
_NUMBERED = _ascii(
    rf"\b(?:(?P<place>{_PLACES})|rack|node|sprint|shard|replica|partition|server|host|highway|PR|unit|bay|lab|route) "
    r"(?:#?[A-Z]?\d{1,5}[A-Za-z]?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    r"(?![.:,]\d|[%-]| (?:of|times|minutes|hours|days|users|people|percent|MB|GB|TB)\b)",
    re.IGNORECASE,
)
# "201会议室", "3号楼": the number is the name.
_NUMBERED_ZH = re.compile(
    r"(?<![\d.,:A-Za-z])第?[A-Z]?\d{1,5}[A-Za-z]?(?:号?(?:会议室|教室|机房|车间|病房|宿舍|包厢|仓库|柜台|工位|展厅|诊室|办公室|房间)|号(?:楼|线|门|库|馆|井|厅))"
)
_HTTP = _ascii(
    r"\b(?:HTTP|error|status|code|errno|exit code)s?[ -]?(?P<code>[1-5]\d{2}|\d{4,6}|ORA-\d+)\b",
    re.IGNORECASE,
)
_VERSIONED = re.compile(r"\b(?P<name>[A-Z][\w.+#-]*) (?P<version>\d+(?:\.\d+)+)(?![\w.]*%)")
_TRAILING = ".,;:!?'\"”’)]}"
# "mp3" and "top10" are words, and numbers with their unit are amounts.
_NO_IDENTIFIER = re.compile(
    r"(?:top|no|nr|x|q|h|utf|sha|md|mp|ipv|http|web)\d{1,3}$|\d+(?:px|ms|kb|mb|gb)$", re.IGNORECASE
)
_WORD_NUMBER = re.compile(
    r"(?:[a-z]+-)*(?:phase|version|option|level|step|part|day|week|month|year|type|grade|page|item|chapter|covid|room|age|under|over"
    r"|top|plan|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-\d+$"
)


def identifiers(text: str) -> list[Span]:
    """Find technical identifiers, leftmost first; of two that overlap the earlier pattern wins.

    Args:
        text: Any text.

    Returns:
        Spans that do not overlap, in the order of the text.
    """
    found: list[Span] = []
    for pattern, kind, label in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            surface = match.group()
            kept = surface.rstrip(_TRAILING) if not surface.endswith("()") else surface
            end -= len(surface) - len(kept)
            if len(kept) < 2 or _is_plain(kept, label):
                continue
            if not any(start < other.end and other.start < end for other in found):
                found.append(Span(start, end, kept, kind, NAME_WEIGHT))
    for match in _NUMBERED.finditer(text):
        start, end = match.span()
        found = [span for span in found if not (start <= span.start and span.end <= end)]
        if not any(start < other.end and other.start < end for other in found):
            kind = EntityType.PLACE if match["place"] else EntityType.IDENTIFIER
            found.append(Span(start, end, match.group(), kind, NAME_WEIGHT))
    for match in _NUMBERED_ZH.finditer(text):
        start, end = match.span()
        if not any(start < other.end and other.start < end for other in found):
            found.append(Span(start, end, match.group(), EntityType.PLACE, NAME_WEIGHT))
    for match in _HTTP.finditer(text):
        start, end = match.span()
        if not any(start < other.end and other.start < end for other in found):
            found.append(Span(start, end, match.group(), EntityType.IDENTIFIER, NAME_WEIGHT))
    return sorted(found)


def _is_plain(word: str, label: str) -> bool:
    if label == "host number":
        return bool(_NO_IDENTIFIER.match(word) or _WORD_NUMBER.match(word))
    if label == "code":
        return bool(re.match(r"(?:Q|H|FY)\d", word) or re.match(r"(?:AD|BC|CE)\d", word))
    if label == "ticket":
        return bool(re.match(r"(?:UTF|SHA|COVID|MD|ISO|GPT|RFC|IPV|PG|AES|RSA|T)-\d", word))
    if label == "path":
        return word.count("/") < 2 and not re.match(r"[~.]?/[a-z]{2,}", word)
    return False
