"""Parts of a time that was read already: "the first week of" what follows, what stands before 第一周.

The grammars read the frame (April, last month, 去年); here the words beside it cut a part out of it or widen it. So
each form is told once for every frame, and a text without a time costs nothing.
"""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re
from datetime import timedelta
from re import Match

from retrograph.extraction import lexicon_times as words
from retrograph.extraction import times_calendar as cal
from retrograph.extraction.times_calendar import Local
from retrograph.extraction.times_zh import number as number_zh

_NTH_EN = {
    "first": 1,
    "opening": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "fifth": 5,
    "5th": 5,
    "last": -1,
    "final": -1,
    "latter": -1,
}
_HEAD = re.compile(
    rf"(?<![\w\-])(?<!- )(?:the\s+)?(?:(?P<nth>{'|'.join(_NTH_EN)})\s+(?:(?P<n>{words.NUMBER})\s+)?(?P<unit>half|days?|weeks?|weekend|fortnight|months?|quarters?|years?|{words.LONG_WEEKDAY})\s+(?:of|in)"
    rf"|(?P<beside>first|last)\s+(?P<beside_day>{words.LONG_WEEKDAY})\s+(?P<way>after|before)"
    r"|(?P<work>first|last)\s+(?:working|business|work)\s?day\s+(?:of|in)"
    r"|(?P<day>\d{1,2})(?:st|nd|rd|th)\s+of"
    r"|(?P<edge>beginning|start|early|middle|mid|late|end)(?:\s+of)?|(?P<part>morning|afternoon|evening|night)\s+of"
    r"|week\s+(?P<week>of|commencing|beginning|starting|ending))[\s\-]+(?:the\s+|on\s+)?$",
    re.IGNORECASE,
)
_HEAD_ENDS = re.compile(r"(?:of|in|the|on|ing|after|before|early|mid|late|end)[\s\-]+$", re.IGNORECASE)
_LONGEST_HEAD = 48
_LONGEST_TAIL = 16
_ZH_UNIT = r"(?:周末|(?:周|星期|礼拜)(?P<{0}>[一二三四五六日天])?|天|日|月|季度)"
_DAY_ZH = r"3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九]"
_TO_ZH = r"\s?(?:到|至|[-–—~～])\s?"
_TAIL = re.compile(
    rf"的?(?:第(?P<nth>[一二三四五1-5])个?(?P<unit>{_ZH_UNIT.format('weekday')})(?!上班|上学|上课)"
    r"|(?P<work>第一个?|最后一个?)工作日"
    rf"|最后的?(?P<last>\d{{1,2}}|[一二两三四五六七八九十]{{1,2}})?个?(?P<last_unit>{_ZH_UNIT.format('last_weekday')})"
    r"|(?P<side>[前头后])(?P<n>\d{1,2}|[一二两三四五六七八九十]{1,2})个?(?P<n_unit>天|日|周(?!末)|星期|礼拜|月|季度)"
    r"|(?P<half>[上下前后])半(?P<half_unit>月(?!板|谈)|年)|(?P<edge>[初中末底])(?!期|间|小|大|学|国|心|午)"
    r"|(?P<week>[那这当]一?个?(?:周(?!末|[一二三四五六日天])|星期(?![一二三四五六日天])|礼拜(?![一二三四五六日天])))"
    rf"|{_TO_ZH}(?P<until>{_DAY_ZH})[日号](?!线|楼|院|店|门|仓)|{_TO_ZH}(?:(?:周|星期|礼拜)|(?=[一二三四五六日](?![\d点天个年月楼层号班组区期次车中小院十百])))(?P<until_weekday>[一二三四五六日天])"
    rf"|(?P<first_day>{_DAY_ZH}){_TO_ZH}(?P<last_day>{_DAY_ZH})[日号](?!线|楼|院|店|门|仓))"
)
_TAIL_STARTS = frozenset("的第最前头后上下初中末底那这当到至-–—~～ 0123456789一二三四五六七八九十")


def head(text: str, at: int, span: Local, rule: str) -> tuple[int, Local] | None:
    """What the English words before a time make of it.

    Args:
        text: The whole text.
        at: Where the time begins.
        span: The time.
        rule: The name of the rule that read it.

    Returns:
        Where the words begin and the part that they name, or None where they name none.
    """
    if at < 4:
        return None
    lead = text[max(0, at - _LONGEST_HEAD) : at]
    if not _HEAD_ENDS.search(lead[-14:]):
        return None
    match = _HEAD.search(lead)
    found = _of_head(match, span, rule) if match else None
    return (at - len(lead) + match.start(), found) if match and found and found != span else None


def _of_head(match: "Match[str]", span: Local, rule: str) -> Local | None:
    days = (span[1] - span[0]).days
    if match["nth"]:
        return _by_number(match, span)
    if match["beside"]:
        return _beside(span, words.WEEKDAYS_EN[match["beside_day"].lower()], ahead=match["way"].lower() == "after")
    if match["work"]:
        return working_day_of(span, last=match["work"].lower() == "last") if days >= 28 else None
    if match["week"]:
        if days != 1:
            return None
        if match["week"].lower() == "ending":
            return span[1] - 7 * cal.DAY, span[1]
        return cal.week_of(span[0]) if match["week"].lower() == "of" else (span[0], span[0] + 7 * cal.DAY)
    if match["day"]:
        return cal.date(span[0].year, span[0].month, int(match["day"])) if 28 <= days <= 31 else None
    if match["part"]:
        return cal.part_of_day(span, match["part"].lower()) if days == 1 and span[0].hour == 0 else None
    if rule not in ("quarter", "half year", "century"):
        return None
    edge = match["edge"].lower()
    return cal.part(span, _EDGES.get(edge, edge))


# Thirds: the start and the end of a long span would be two months.
_EDGES = {"beginning": "early", "start": "early", "middle": "mid", "end": "late"}


def _by_number(match: "Match[str]", span: Local) -> Local | None:
    """Read "the first week of", "the last two months of", "the second half of"."""
    unit, nth = match["unit"].lower(), _NTH_EN[match["nth"].lower()]
    count = match["n"]
    if unit in words.WEEKDAYS_EN:
        return None if count else nth_weekday(span, words.WEEKDAYS_EN[unit], nth)
    if unit == "half":
        return None if count or nth not in (1, 2, -1) else half(span, second=nth != 1)
    if count:
        many = words.NUMBERS_EN.get(count.lower()) or int(count)
        return several(span, unit.rstrip("s"), int(many), last=nth < 0) if abs(nth) == 1 else None
    return nth_of(span, unit.rstrip("s"), nth)


def tail(text: str, end: int, span: Local, rule: str) -> tuple[int, Local, str] | None:
    """What the Chinese words behind a time make of it: where they end, the span, and whether `part` or `range`."""
    if text[end : end + 1] not in _TAIL_STARTS or not text[end:]:
        return None
    match = _TAIL.match(text[end : end + _LONGEST_TAIL])
    found = _of_tail(match, span, rule) if match else None
    if not match or not found or found == span:
        return None
    widened = match["until"] or match["until_weekday"] or match["last_day"]
    return end + match.end(), found, "range" if widened else "part"


def _of_tail(match: "Match[str]", span: Local, rule: str) -> Local | None:
    days = (span[1] - span[0]).days
    if days < 1 or span[0].hour:
        return None
    if match["until"] or match["first_day"] or match["until_weekday"]:
        return _until(match, span, rule)
    if match["week"]:
        return cal.week_of(span[0]) if days == 1 else None
    if match["work"]:
        return working_day_of(span, last=match["work"].startswith("最后")) if days >= 5 else None
    if match["edge"]:
        edge = {"初": "early", "中": "mid"}.get(match["edge"], "late")
        return cal.part(span, edge) if rule in ("quarter", "relative unit", "half year", "century") else None
    if match["half"]:
        fits = days >= 365 if match["half_unit"] == "年" else 28 <= days <= 31
        return half(span, second=match["half"] in "下后") if fits else None
    if match["side"]:
        unit, last = _unit(match["n_unit"]), match["side"] == "后"
        # 五月后三天 are the days after May.
        if last and not (days >= 365 and unit in ("month", "quarter")):
            return None
        return several(span, unit, _count(match["n"]), last=last)
    return _nth_of_tail(match, span)


def _nth_of_tail(match: "Match[str]", span: Local) -> Local | None:
    nth = _count(match["nth"]) if match["nth"] else -1
    unit, name = match["unit"] or match["last_unit"], match["weekday"] or match["last_weekday"]
    if name:
        return nth_weekday(span, words.WEEKDAYS_ZH[name], nth)
    many = _count(match["last"]) if match["last"] else 1
    return several(span, _unit(unit), many, last=True) if many > 1 else nth_of(span, _unit(unit), nth)


def _until(match: "Match[str]", span: Local, rule: str) -> Local | None:
    """4月10日到14日, 4月10-14日, 周一到周五."""
    start, days = span[0], (span[1] - span[0]).days
    if match["until_weekday"]:
        if days != 1 or "weekday" not in rule:
            return None
        ahead = (words.WEEKDAYS_ZH[match["until_weekday"]] - start.weekday()) % 7
        return (start, start + (ahead + 1) * cal.DAY) if ahead else None
    if match["first_day"]:
        first = cal.date(start.year, start.month, _count(match["first_day"])) if 28 <= days <= 31 else None
        if first is None:
            return None
        start = first[0]
    elif days != 1:
        return None
    last = cal.date(start.year, start.month, _count(match["until"] or match["last_day"]))
    return (start, last[1]) if last and last[0] > start else None


def _unit(text: str) -> str:
    return {"天": "day", "日": "day", "月": "month", "季": "quarter"}.get(
        text[0], "weekend" if text == "周末" else "week"
    )


def _count(text: str) -> int:
    return int(number_zh(text) or 0)


def working_day_of(span: Local, *, last: bool) -> Local:
    """The first (or last) day of a span that lies between Monday and Friday."""
    if last:
        return cal.working_day(cal.Clock(span[1]), ahead=False)
    return cal.working_day(cal.Clock(span[0] - cal.DAY), ahead=True)


def _beside(span: Local, index: int, *, ahead: bool) -> Local:
    """The weekday (0 Monday) next before or after a span."""
    if ahead:
        return cal.weekday(cal.Clock(span[1]), index, direction="future")
    return cal.weekday(cal.Clock(span[0] - cal.DAY), index, direction="past")


def nth_weekday(span: Local, index: int, nth: int) -> Local | None:
    """The `nth` weekday (0 Monday) of a span, -1 the last; None where it has none or is shorter than a month."""
    if (span[1] - span[0]).days < 28:
        return None
    if nth < 0:
        last = span[1] - cal.DAY
        return cal.day_of(last - cal.DAY * ((last.weekday() - index) % 7))
    day = span[0] + cal.DAY * ((index - span[0].weekday()) % 7 + 7 * (nth - 1))
    return cal.day_of(day) if day < span[1] else None


def half(span: Local, *, second: bool) -> Local | None:
    """Half of a month (its first fifteen days and the rest), of a year or of a decade; None of anything shorter."""
    start, end = span
    days = (end - start).days
    if days < 28:
        return None
    middle = start + 15 * cal.DAY if days <= 31 else cal.shift(start, "month", _months(span) // 2)
    return None if middle is None else (middle, end) if second else (start, middle)


def nth_of(span: Local, unit: str, nth: int) -> Local | None:
    """The `nth` day, week (of seven days from the first), weekend, month or quarter of a span; -1 is the last."""
    if unit == "weekend":
        day = nth_weekday(span, 5, nth)
        return (day[0], day[0] + 2 * cal.DAY) if day else None
    if nth < 0:
        return several(span, unit, 1, last=True)
    so_far, before = several(span, unit, nth, last=False), several(span, unit, nth - 1, last=False)
    return (before[1] if before else span[0], so_far[1]) if so_far else None


def several(span: Local, unit: str, count: int, *, last: bool) -> Local | None:
    """The first (or last) `count` units of a span; None where it is no longer than they."""
    if count < 1 or unit not in _LENGTHS:
        return None
    start, end = span
    if unit in _DAYS:
        length = timedelta(days=count * _DAYS[unit])
        cut = end - length if last else start + length
    else:
        moved = cal.shift(end if last else start, unit, -count if last else count)
        if moved is None:
            return None
        cut = moved
    if not start <= cut <= end:
        return None
    return (cut, end) if last else (start, cut)


_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_LENGTHS = (*_DAYS, "month", "quarter", "year")


def _months(span: Local) -> int:
    return (span[1].year - span[0].year) * 12 + span[1].month - span[0].month
