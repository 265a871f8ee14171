"""What a query is about once the words that only ask, and those of its time, are taken out."""

import re
from dataclasses import dataclass

from retrograph.retrieval.query_text import asking_removed, telling_runs, telling_words

# Words that ask somebody to say, and that say when: they are in no memory that answers.
_REQUESTING = frozenset(
    "please kindly thanks thank tell told remind know knows known remember recall show explain give find look help let "
    "want need wonder catch bring updates wondering say says said mention mentioned ask asked hello hi hey".split()
)
_LATEST = frozenset(
    "last latest recent recently newest lately most just now currently current previous nowadays".split()
)
# What a query says when it asks for anything there is.
_ANYTHING = frozenset(
    "happen happens happened happening go goes going went gone new news anything everything something nothing all "
    "thing things event events stuff summary summarize summarise recap review overview list up much lot time times "
    "note notes message messages memory memories turn turns conversation conversations chat chats session sessions "
    "discuss discussed discussing talk talked talking speak spoke spoken write wrote written entry entries record "
    "records item items stored saved noted one two three four five six seven eight nine ten few couple till until "
    "since back far date today again also just get got made make".split()
)
_REQUESTING_CJK = (
    "请(?=你|帮|给|告|把|列|总|说|解)|麻烦你?|告诉我|跟我说说|说说|帮我|给我|让我|替我|想知道|我想|"
    "还记得|记不记得|记得|知道|想起|提到过?|提过|说过|一下"
)
_LATEST_CJK = "最近一次|最近|最新|上一次|上次|上回|最后一次|最后|近来|近期|目前|当前|现在|刚才|刚刚|这阵子|这段时间"
_ANYTHING_CJK = (
    "发生|事情|事件|事儿|活动|情况|消息|新闻|动态|进展|内容|东西|记录|记忆|笔记|对话|聊天|总结|回顾|概括|列出|列举|看看|"
    "所有|全部|一切|任何|哪些|哪件|咱们|我们|你们|他们|大家|我|你|有过?|在|做|干|搞|忙|聊|谈|讨论|说|讲|写|记|提|来|去|"
    "新|都|过|些|啥|事|件|条|个|次|那|这|是|和|与|里|中|期间|时候|以来|当时|呀|嘛|[一二两三四五六七八九十]"
)
# What stands between the topic and who spoke of it: "关于发布我们说了什么" is about 发布.
_BETWEEN_CJK = "我们|咱们|你们|他们|她们|大家"
_TAKEN_CJK = re.compile(f"{_REQUESTING_CJK}|{_LATEST_CJK}|{_BETWEEN_CJK}")
_ANYTHING_RUN = re.compile(f"(?:{_ANYTHING_CJK})+")
_NEWEST = re.compile(
    r"\b(?:latest|newest|most recent(?:ly)?|last)\b|最近一次|最新|上一?次|上回|前一次|最后", re.IGNORECASE
)
_LEAST_PHRASE = 4
"""Words, or characters without spaces, from which on a query of nothing but asking words is a saying."""
_PHRASE_PARTS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Topic:
    """What a query is about.

    Args:
        words: Words that a memory about it would hold, lower-case.
        runs: Runs of Chinese, Japanese or Korean characters that one would hold.
        phrase: The whole query, where it is made of asking words alone and long enough to be a saying; else "".
        is_anything: It names nothing: whatever its time or the filters let through answers it.
    """

    words: tuple[str, ...]
    runs: tuple[str, ...]
    phrase: str
    is_anything: bool


def topic_of(query: str, *, time: str = "") -> Topic:
    """Reads what a query is about.

    Args:
        query: As typed.
        time: Those words of it that name a time.
    """
    # A stop, for what was on either side of it were never one run.
    text = query.replace(time, " ; ", 1) if time else query
    asking = _REQUESTING | _LATEST
    words = [word for word in telling_words(text, or_all=False) if word not in asking]
    long = [word for word in words if len(word) > 1 or not word.isascii() or word.isdigit()]
    runs = telling_runs(_TAKEN_CJK.sub(" ", asking_removed(text)), or_all=False)
    named = [word for word in words if word not in _ANYTHING and not word.isdigit()]
    telling = [run for run in runs if not _ANYTHING_RUN.fullmatch(run)]
    is_anything = not named and not telling
    said = phrase_of(query)
    is_saying = not words and not runs and len(said.split()) + _unspaced(said) >= _LEAST_PHRASE
    if not named:
        # What it has of words could be politeness: all of them have to be in a memory then.
        long = telling_words(text, or_all=False)
    return Topic(
        tuple(long or words), tuple(telling or ([] if named else runs)), said if is_saying else "", is_anything
    )


def asks_for_newest(query: str) -> bool:
    """Whether a query that asks for something recent asks for the very last of it, and not only lately."""
    return bool(_NEWEST.search(query))


def phrase_of(text: str) -> str:
    """A text's words in their order, lower-case, one space between: to look for a saying in a memory."""
    return " ".join(_PHRASE_PARTS.findall(text.lower()))


def _unspaced(text: str) -> int:
    return sum(not char.isascii() for char in text)
