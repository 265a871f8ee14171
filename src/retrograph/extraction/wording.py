"""The words that introduce what was derived; everything else in a summary or a rule is its sources'."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from retrograph.models import Language

_LONGEST_SENTENCE = 400
_CHINESE = (Language.CHINESE.value, Language.MIXED.value)


def language_of(memories: Sequence[Mapping[str, Any]]) -> Language:
    """Chinese where most of the memories are Chinese or mixed, else English."""
    chinese = sum(memory["language"] in _CHINESE for memory in memories)
    return Language.CHINESE if 2 * chinese > len(memories) else Language.ENGLISH


def summary_text(
    told: Sequence[Mapping[str, Any]],
    *,
    names: Sequence[str],
    count: int,
    first_at: datetime,
    last_at: datetime,
    language: Language,
    timezone: ZoneInfo,
    said: str = "",
) -> str:
    """A summary: what it is about, when, of how many memories, and the ones that say most in the order of time.

    Args:
        told: The memories that are quoted.
        names: What it is about.
        count: Of how many memories it is made.
        first_at: When the first happened.
        last_at: When the last happened.
        language: Language of the introduction.
        timezone: Where the dates are.
        said: What stands in place of the quoted memories; "" quotes them.
    """
    first, last = (_date(at.astimezone(timezone), language) for at in (first_at, last_at))
    quotes = [_quoted(memory, language) for memory in told]
    if language is Language.CHINESE:
        span = first if first == last else f"{first}至{last}"
        return f"{span}，关于{'、'.join(names)}（{count}条记忆）：{said or ''.join(quotes)}"
    span = f"On {first}" if first == last else f"From {first} to {last}"
    return f"{span}, about {', '.join(names)} ({count} memories): {said or ' '.join(quotes)}"


def rule_text(content: str, *, tasks: int, language: Language) -> str:
    """A rule: the lesson in its own words, and in how many tasks it was learned."""
    if language is Language.CHINESE:
        return f"{tasks}次任务都学到：{content}"
    return f"Learned in {tasks} tasks: {content}"


def _date(at: datetime, language: Language) -> str:
    if language is Language.CHINESE:
        return f"{at.year}年{at.month}月{at.day}日"
    return f"{at.day} {at:%B} {at.year}"


def _quoted(memory: Mapping[str, Any], language: Language) -> str:
    words = " ".join(memory["content"].split())
    words = words if len(words) <= _LONGEST_SENTENCE else words[: _LONGEST_SENTENCE - 1] + "…"
    speaker = memory.get("speaker")
    if language is Language.CHINESE:
        words = words if words[-1] in "。！？…!?." else f"{words}。"
        return f"{speaker}说：“{words}”" if speaker else words
    words = words if words[-1] in ".!?…。！？" else f"{words}."
    return f'{speaker} said, "{words}"' if speaker else words
