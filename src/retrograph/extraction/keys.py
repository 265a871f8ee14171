"""Names: the key that decides whether two are one entity, how alike two are, which are aliases."""

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from retrograph.extraction import lexicon_aliases as lexicon
from retrograph.extraction.language import HAN, has_han, word_set

# Signs that tell names apart (C++ / C#, 10.0.0.1, a/b, R&D, $HOME) stay; the rest only decorates.
_KEPT_SIGNS = "+#./\\:@&$%=~*"
_JOINERS = re.compile(r"[\s_\-\u2010-\u2015]+")
_DECORATION = re.compile(rf"[^\w\s{re.escape(_KEPT_SIGNS)}'-]")
_EDGE_FRONT = "'-.:/&%=*,"
_EDGE_BACK = "'-.:,&=~/"
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


@lru_cache(maxsize=16_384)
def entity_key(name: str) -> str:
    """The key under which a name is one entity: equal keys are the same entity, nothing else is.

    Width and case are folded (NFKC, casefold), spaces, hyphens and underscores become one space, quotes and
    brackets go, signs that tell names apart stay (`C++`, `C#`, `10.0.0.1`). Spaces between Han characters go.
    Traditional and Simplified characters stay apart. Idempotent.

    Args:
        name: A name as written.

    Returns:
        The key; never empty for a non-empty name: a name made of nothing but decoration keeps its characters.
    """
    folded = _fold(name)
    key = _plain_key(folded)
    return key or folded.strip() or name


def _fold(name: str) -> str:
    folded = name
    for _ in range(3):
        again = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
        if again == folded:
            break
        folded = again
    return _INVISIBLE.sub("", folded).replace("’", "'").replace("‘", "'").replace("`", "'")


def _plain_key(folded: str) -> str:
    previous, key = None, folded
    while key != previous:
        previous = key
        key = _DECORATION.sub(" ", key)
        key = _JOINERS.sub(" ", key).strip()
        front = key.lstrip(_EDGE_FRONT)
        # ".env", "/etc" and "*.py" are names of their own: a sign in front that touches a word stays.
        if front and front != key and key[-len(front) - 1] in "./*":
            front = key[-len(front) - 1] + front
        key = front.rstrip(_EDGE_BACK).strip()
        key = re.sub(rf"(?<=[{HAN}]) (?=[{HAN}])", "", key)
    return key if any(char.isalnum() for char in key) else ""


class NameLikeness(NamedTuple):
    """How far two names may be one entity: `confidence` in [0, 1] and the evidence in words."""

    confidence: float
    evidence: str


_COMPANY_FORM = re.compile(r" (?:inc|ltd|llc|gmbh|corp|co|corporation|company|limited|plc|ag|sa)\.?$")
_CHINESE_FORM = re.compile(r"(?:股份)?(?:有限)?(?:责任)?(?:公司|集团)$")
_DIGITS = re.compile(r"\d+")
# Of the signs that stay in a key, those that part a name rather than tell it from another: not C++ and C#.
_SEPARATORS = re.compile(r"[ ./&'’·]")
_MIN_TYPO_LENGTH = 5
_TYPO_RATIO = 0.8


def near_names(a: str, b: str) -> NameLikeness | None:
    """Evidence that two names *may* be one entity. It proposes a candidate, it never decides a merge.

    Names whose numbers differ (Room 101 / Room 102, staging / staging-2) and short Chinese names that differ
    in a character (张伟 / 张伟明) are no candidates. Names that merely look alike (Maria / Mario) stay below 0.5.

    Args:
        a: A name.
        b: Another name.

    Returns:
        Confidence and evidence, or None where the keys are equal already or nothing speaks for it.
    """
    left, right = sorted((entity_key(a), entity_key(b)), key=lambda key: (len(key), key))
    if left == right or _DIGITS.findall(left) != _DIGITS.findall(right):
        return None
    if left.replace(" ", "") == right.replace(" ", ""):
        return NameLikeness(0.9, "same letters, other spacing")
    if not _DIGITS.search(left) and _SEPARATORS.sub("", left) == _SEPARATORS.sub("", right):
        return NameLikeness(0.85, "same letters, other punctuation")
    if _without_marks(left) == _without_marks(right):
        return NameLikeness(0.85, "same letters, other accents")
    if _COMPANY_FORM.sub("", left) == _COMPANY_FORM.sub("", right) or (
        has_han(right) and _CHINESE_FORM.sub("", right) == _CHINESE_FORM.sub("", left)
    ):
        return NameLikeness(0.8, "same name, other company form")
    return _chinese_likeness(left, right) if has_han(right) else _latin_likeness(left, right)


def _without_marks(key: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", key) if not unicodedata.combining(char))


def _chinese_likeness(short: str, long: str) -> NameLikeness | None:
    if len(short) >= 2 and len(long) >= 4 and (long.startswith(short) or long.endswith(short)):
        return NameLikeness(0.5, f"{short!r} is part of {long!r}")
    return None


def _latin_likeness(short: str, long: str) -> NameLikeness | None:
    words = long.split()
    if len(words) > 1 and short == "".join(word[0] for word in words) and len(short) > 1:
        return NameLikeness(0.6, f"{short!r} are the initials of {long!r}")
    parts = short.split()
    if len(words) > len(parts) and parts in (words[: len(parts)], words[-len(parts) :]) and len(short) > 2:
        return NameLikeness(0.5, f"{short!r} is part of {long!r}")
    ratio = SequenceMatcher(None, short, long, autojunk=False).ratio()
    if len(short) >= _MIN_TYPO_LENGTH and ratio >= _TYPO_RATIO:
        return NameLikeness(round(0.45 * ratio, 2), f"spelt alike ({ratio:.2f})")
    return None


# Bounded, and at the start of a word, so that the cost grows with the length of a text and no faster.
_NAME = r"(?<![\w'’-])[A-Z][\w.'’-]{0,40}(?: (?:[A-Z][\w.'’-]{0,40}|of|the|de|van|von|and)){0,4}"
_ANY_NAME = r"(?<![\w'’-])\w[\w.'’+#-]{0,40}(?: \w[\w.'’+#-]{0,40}){0,3}?"
_HAN_NAME = rf"(?:[{HAN}A-Za-z0-9·]|(?<=[A-Za-z0-9]) (?=[A-Za-z0-9])){{1,24}}"
# Each pattern names its groups `alias` and `name`; of two names said to be one (`one`, `other`) the longer is the name.
_QUOTE = r"[\"“'‘「『]?"
_NOUNS_FOR_NAME = "全称|全名|真名|本名|大名|中文名"
_KNOWN_AS = r"also known as|a\.?k\.?a\.?"
_ONE_THING = "person|man|woman|company|team|project|product|service|server|place|thing|tool"
_ONE_THING_HAN = "个人|人|家公司|家店|个项目|个产品|个系统|个服务|个地方|个东西|样东西|件事"
_ALIAS_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<alias>{_NAME}) (?:is|was) (?P<name>{_NAME})['’]s? "
        r"(?:nickname|nick|alias|short name|old name|handle)",
        rf"(?P<alias>{_NAME}) is (?:an? |the )?(?:nickname|alias|abbreviation|short form|short|acronym|old name)"
        rf" (?:of|for) (?:the )?(?P<name>{_NAME})",
        rf"(?P<alias>{_NAME}) (?:stands for|is what (?:we|they|people|everyone|friends) calls?)"
        rf" (?:the )?(?P<name>{_NAME})",
        rf"(?P<name>{_NAME})['’]s? (?:nickname|alias|short name|handle|code[ -]?name|pet name)"
        rf"(?: (?:at|in|among|for|on) \w+(?: \w+)?)? is {_QUOTE}(?P<alias>{_NAME})",
        rf"\b{lexicon.CODE_NAME} (?:of|for) (?:the )?(?P<name>{_NAME}) is {_QUOTE}(?P<alias>{_NAME})",
        rf"(?P<alias>{_NAME}) is the {lexicon.CODE_NAME} (?:of|for) (?:the )?(?P<name>{_NAME})",
        rf"(?P<name>{_NAME})(?:,| is| was)+ (?:code[ -]?named|dubbed) {_QUOTE}(?P<alias>{_NAME})",
        rf"(?:refers?|referred) to (?P<name>{_NAME}) (?:simply |just )?as {_QUOTE}(?P<alias>{_NAME})",
        rf"(?P<name>{_NAME}) (?:prefers|likes|wants|asked) to be called {_QUOTE}(?P<alias>{_NAME})",
        rf"(?P<name>{_NAME}) (?:used to be|was (?:formerly|previously|once|originally)) (?:called|known as|named)"
        rf" {_QUOTE}(?P<alias>{_NAME})",
        rf"[Bb]y {_QUOTE}(?P<alias>{_NAME})[\"”'’]?,?"
        rf" (?:I|we|they|people) (?:always |usually )?means? (?P<name>{_NAME})",
        rf"(?P<alias>{_NAME})(?:['’]s?|, whose) (?:real|full|legal|given) name is (?P<name>{_NAME})",
        rf"name is (?P<name>{_NAME}),? but (?:everyone|we|people|friends|they) calls? (?:her|him|them|it) "
        rf"{_QUOTE}(?P<alias>{_NAME})",
        rf"(?P<name>{_NAME})(?:,| \(| is| was)* ?(?:{_KNOWN_AS}) {_QUOTE}(?:the )?(?P<alias>{_NAME})",
        rf"(?P<name>{_NAME})(?:,| \(| is| was)+ ?(?:(?:better |widely |commonly )?known as|also called"
        rf"|formerly(?: known as)?|nicknamed|abbreviated(?: as| to)?) {_QUOTE}(?:the )?(?P<alias>{_NAME})",
        rf"(?P<name>{_NAME}) is called {_QUOTE}(?P<alias>{_NAME})[\"”'’]? by\b",
        rf"(?P<alias>{_NAME})(?: was| has been| is| got)? (?:renamed|rebranded)(?: to| as)? {_QUOTE}(?P<name>{_NAME})",
        rf"(?P<alias>{_NAME}) (?:is now (?:called|known as)|changed its name to) {_QUOTE}(?P<name>{_NAME})",
        rf"(?P<one>{_NAME}) and (?P<other>{_NAME}) are (?:really |in fact |actually )?the same (?:{_ONE_THING})\b",
        rf"(?P<one>{_NAME}) is (?:really |in fact |actually )?the same (?:{_ONE_THING}) as (?P<other>{_NAME})",
        rf"(?P<name>{_NAME}) \((?P<alias>[A-Z]{{2,6}})\)",
        rf"(?:[Tt]he )?(?P<name>{_ANY_NAME})(?: \(|, | )(?:{_KNOWN_AS}) {_QUOTE}(?P<alias>{_ANY_NAME})"
        r"(?=[\"”'’)]|[,.;!?]|$| is\b| was\b| has\b)",
        rf"(?P<name>{_NAME}),? (?:or )?(?P<alias>{_NAME}) for short\b",
        rf"(?:[Ww]e|[Pp]eople|[Ff]riends|[Ee]veryone|[Tt]hey) calls? (?P<name>{_NAME}) {_QUOTE}(?P<alias>{_NAME})",
        rf"(?P<name>{_NAME}) goes by (?:the name )?{_QUOTE}(?P<alias>{_NAME})",
        rf"(?P<alias>{_HAN_NAME}?)的?(?:{_NOUNS_FOR_NAME})(?:是|为|叫|：|:)?{_QUOTE}(?P<name>{_HAN_NAME})",
        rf"(?P<alias>{_HAN_NAME}?)(?:已经|已|后来|现在)?(?:改名|更名|改称)(?:为|成|叫)?{_QUOTE}(?P<name>{_HAN_NAME})",
        rf"(?P<one>{_HAN_NAME}?)(?:和|与|跟)(?P<other>{_HAN_NAME}?)(?:其实|实际上|就)?是同一(?:{_ONE_THING_HAN})",
        rf"(?<![{HAN}])(?P<alias>{lexicon.FAMILIAR_HAN})(?:其实|实际上|也)?(?:就是|即)(?P<name>{lexicon.FULL_HAN})(?![{HAN}])",
        rf"(?:大家|同事们?|朋友们?|我们|他们|家人|人们)(?:都|平时|一般|私下)?(?:叫|喊|称)(?P<name>{lexicon.FULL_HAN}?)"
        rf"(?P<alias>{lexicon.FAMILIAR_HAN})(?![{HAN}])",
        rf"管(?P<name>{_HAN_NAME}?)叫(?:做|作)?{_QUOTE}(?P<alias>{_HAN_NAME})",
        rf"(?P<name>{_HAN_NAME})[（(，, ]*(?:{lexicon.WORDS_FOR_ALIAS})"
        rf"(?:为|是|叫|叫做|：|:)?{_QUOTE}(?P<alias>{_HAN_NAME})",
        rf"(?P<alias>{_HAN_NAME})是(?P<name>{_HAN_NAME}?)的(?:{lexicon.NOUNS_FOR_ALIAS})",
        rf"(?P<name>{_HAN_NAME}?)的(?:{lexicon.NOUNS_FOR_ALIAS})(?:是|叫|叫做|为){_QUOTE}(?P<alias>{_HAN_NAME})",
    )
)
# Every pattern needs one of these: most texts have none, and are not searched further.
_ALIAS_CUE = re.compile(
    r"nick|alias|short|old name|handle|abbrev|acronym|stands for| calls?\b|called|name is|its name|known as"
    r"|\ba\.?k\.?a\b|formerly|renamed|rebranded|goes by|(?:are|is) .{0,12}the same|\([A-Z]{2,6}\)"
    r"|refer|code ?-?name|working title|pet name|dubbed|[Bb]y .{1,40} means?\b"
    r"|是同一|管.{1,24}叫|改[名称]|更名|缩写|[都们家][叫喊称]|就是|即|"
    f"{lexicon.WORDS_FOR_ALIAS}|{_NOUNS_FOR_NAME}"
)
_ARTICLE = re.compile(r"^(?:the|a|an|our|my|this|that) ", re.IGNORECASE)
_LEADING_WORDS = re.compile(
    r"^.*\b(?:the|a|an|our|my|this|that|of|on|in|at|with|to|for|is|by|use|uses|and|from|about) "
)
_POINTING_HAN = re.compile("^(?:不|未|没|还|很|太|这|那|该|我|他|她|它|此|其)|什么|谁|哪")
_LEADING_HAN = re.compile("^(?:听说|其实|后来|原来|昨天|今天|去年|今年|最近|据说|因为|所以|但是|而且|我们的|我的)+")
_NO_ALIAS = word_set(
    "he she it they this that there who which i we you 他 她 它 我 你 这 那 大家 我们 他们 "
    "monday tuesday wednesday thursday friday saturday sunday today tomorrow"
)


def aliases_in(text: str) -> list[tuple[str, str]]:
    """Names that a text declares to be one: "Bob is Robert Chen's nickname", "阿里巴巴（简称阿里）".

    Args:
        text: Any text.

    Returns:
        Pairs (alias, canonical name) in the order of the text, each once.
    """
    # 是 Kubernetes 的缩写: such a space parts no name.
    text = re.sub(rf"(?<=[{HAN}]) | (?=[{HAN}])", "", text) if has_han(text) else text
    found: dict[tuple[str, str], int] = {}
    taken: list[tuple[int, int]] = []
    for pattern in _ALIAS_PATTERNS if _ALIAS_CUE.search(text) else ():
        for match in pattern.finditer(text):
            alias, name = _pair(match)
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            keys = entity_key(alias), entity_key(name)
            if not alias or not name or keys[0] == keys[1] or _NO_ALIAS & set(keys):
                continue
            if match.group().endswith(f"({alias})") and not _are_initials(alias, name):
                continue
            taken.append(match.span())
            found.setdefault((alias, name), match.start())
    return sorted(found, key=lambda pair: found[pair])


def _pair(match: re.Match[str]) -> tuple[str, str]:
    """Alias and name, cleaned."""
    fields = {key: _clean_alias(value) for key, value in match.groupdict().items() if value}
    if "one" in fields:
        alias, name = sorted((fields["one"], fields["other"]), key=len)
        return alias, name
    return fields["alias"], fields["name"]


def _are_initials(alias: str, name: str) -> bool:
    """For "Ostra Data Tools (ODT)", and not "Oslo (NO)"."""
    return alias == "".join(word[0] for word in name.split() if word[0].isupper())


def _clean_alias(name: str) -> str:
    name = _ARTICLE.sub("", name.strip())
    if has_han(name):
        name = _LEADING_HAN.sub("", name)
        return "" if _POINTING_HAN.search(name) else name.strip("的")
    if name[:1].islower():
        name = _LEADING_WORDS.sub("", name)
    return re.sub(r"['’]s?$", "", name).strip(" .,-'’")
