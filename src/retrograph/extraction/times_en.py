"""The grammar of English time expressions: one rule a form, tried at every place, the longest match wins."""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re
from collections.abc import Callable
from datetime import datetime
from re import Match

from retrograph.extraction import lexicon_times as words
from retrograph.extraction import times_calendar as cal
from retrograph.extraction.times_calendar import Clock, Local, Rule

Resolver = Callable[["Match[str]", Clock], Local | None]
_DAY_NUMBER = r"(?:0?[1-9]|[12]\d|3[01])"
_CLOCK_TIME = r"(?:at\s+|around\s+|@\s*)?(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?\s*(?P<half>am|pm|a\.m\.|p\.m\.|o'clock)?(?![\w:%])"


def rule(name: str, pattern: str, resolve: Resolver, needs: str = "") -> Rule:
    """A rule whose pattern stands apart from other words, names and numbers.

    Args:
        name: Of the form.
        pattern: Matched without regard to case.
        resolve: What a match means.
        needs: Words in lower case, `|` between them, of which a text must have one to be tried at all.
    """
    apart = re.compile(rf"(?<![\w\-/.@#$]){pattern}(?!(?!T\d\d:)\w|-\w|/\w)", re.IGNORECASE)
    return Rule(name, apart, resolve, tuple(needs.split("|")) if needs else ())


def after(prepositions: str, resolve: Resolver) -> Resolver:
    """A rule that holds only behind one of some prepositions, which stay outside the match."""
    lead = re.compile(rf"(?:^|[\s(,])(?:{prepositions})\s+(?:the\s+|early\s+|late\s+)?$", re.IGNORECASE)

    def checked(match: "Match[str]", clock: Clock) -> Local | None:
        return resolve(match, clock) if lead.search(match.string[: match.start()]) else None

    return checked


def number(text: str) -> float:
    """The value of digits or of a word of number ("two", "half a")."""
    folded = text.lower()
    return words.NUMBERS_EN[folded] if folded in words.NUMBERS_EN else float(folded)


def _unit(text: str) -> str:
    return words.UNITS_EN[text.lower()]


def _count_and_unit(match: "Match[str]") -> tuple[float, str]:
    count, unit = number(match["n"]), _unit(match["unit"])
    if match.groupdict().get("and_half") or match.groupdict().get("unit_and_half"):
        count += 0.5
    return (2 * count, "week") if unit == "fortnight" else (count, unit)


def _month_number(match: "Match[str]", group: str = "month") -> int:
    return words.MONTHS_EN[match[group].lower()]


_RELATIVE = {
    "last": -1,
    "previous": -1,
    "past": -1,
    "this": 0,
    "current": 0,
    "the current": 0,
    "next": 1,
    "coming": 1,
    "following": 1,
    "upcoming": 1,
}


def _offset(text: str) -> int:
    return _RELATIVE[re.sub(r"^the\s+", "", text.lower())]


def _moved(match: "Match[str]", clock: Clock, sign: int) -> Local | None:
    count, unit = _count_and_unit(match)
    if unit == "weekend":
        return cal.whole(clock, unit, sign * int(count)) if 1 <= count <= cal.FARTHEST_YEARS else None
    return cal.moved(clock, unit, sign * count)


def _ago(match: "Match[str]", clock: Clock) -> Local | None:
    return _moved(match, clock, -1)


def _ahead(match: "Match[str]", clock: Clock) -> Local | None:
    return _moved(match, clock, 1)


def _in_ahead(match: "Match[str]", clock: Clock) -> Local | None:
    """Tell "in three days", a time, from "done in three days", a duration."""
    before = match.string[: match.start()].lower()
    if words.PAST_EN.search(before) and not words.FUTURE_EN.search(before):
        return None
    return _ahead(match, clock)


_VAGUE = {"few": (2, 5), "several": (3, 7), "couple": (1, 3), "some": (2, 5), "many": (5, 20)}


def _vague_ago(match: "Match[str]", clock: Clock) -> Local | None:
    low, high = _VAGUE[match["vague"].lower()]
    unit = _unit(match["unit"])
    if unit == "weekend" and match["vague"].lower() == "couple":
        return cal.whole(clock, unit, -2)
    return (
        None
        if unit in ("decade", "fortnight", "quarter") or (unit == "year" and match["vague"].lower() == "many")
        else cal.vague(clock, "week" if unit == "weekend" else unit, low, high)
    )


def _rolling(match: "Match[str]", clock: Clock) -> Local | None:
    which = match["which"].lower()
    vague = match.groupdict().get("vague")
    count = _VAGUE[vague.lower()][1] if vague else number(match["n"] or "1")
    unit = _unit(match["unit"])
    if unit == "fortnight":
        count, unit = 2 * count, "week"
    if unit == "weekend":
        unit = "week"
    return cal.rolling(clock, unit, count, ahead=which in ("next", "coming", "following"))


def _whole(match: "Match[str]", clock: Clock) -> Local | None:
    offset = _offset(match["which"])
    return cal.whole(clock, _unit(match["unit"]), offset)


def _before_last(match: "Match[str]", clock: Clock) -> Local | None:
    unit = match["unit"].lower()
    offset = -2 if match["which"].lower() == "before last" else 2
    if unit in words.WEEKDAYS_EN:
        near = weekday_in(clock, words.WEEKDAYS_EN[unit], -1 if offset < 0 else 1)
        return near[0] + cal.DAY * 7 * (-1 if offset < 0 else 1), near[1] + cal.DAY * 7 * (-1 if offset < 0 else 1)
    return cal.whole(clock, _unit(unit), offset)


def weekday_in(clock: Clock, index: int, offset: int) -> Local:
    """Resolve: "last Friday" is the one before today, "this Friday" that of this week, "next Friday" that of the next."""
    if offset == -1:
        back = (clock.now.weekday() - index) % 7 or 7
        return cal.day_of(clock.today - cal.DAY * back)
    week = cal.week_of(clock.now + 7 * cal.DAY * offset)
    return cal.day_of(week[0] + cal.DAY * index)


def _weekday(match: "Match[str]", clock: Clock) -> Local | None:
    name = match["weekday"].lower()
    index = words.WEEKDAYS_EN[name]
    which = (match.groupdict().get("which") or "").lower()
    if which:
        day = weekday_in(clock, index, _RELATIVE[which])
        if which in ("coming", "upcoming", "following"):
            day = cal.weekday(Clock(clock.now + cal.DAY), index, direction="future")
    else:
        day = cal.weekday(clock, index)
    return _with_part(match, day)


def _with_part(match: "Match[str]", day: Local | None) -> Local | None:
    name = (match.groupdict().get("part") or "").lower()
    return cal.part_of_day(day, name) if day and name else day


def _named_day(match: "Match[str]", clock: Clock) -> Local | None:
    text = re.sub(r"\s+", " ", match["named"].lower())
    offset = {
        "today": 0,
        "tonight": 0,
        "yesterday": -1,
        "yesterday's": -1,
        "today's": 0,
        "tomorrow": 1,
        "tomorrow's": 1,
        "tonight's": 0,
        "the day before yesterday": -2,
        "day before yesterday": -2,
        "the day after tomorrow": 2,
        "day after tomorrow": 2,
    }[text]
    day = cal.day_of(clock.now + cal.DAY * offset)
    if text.startswith("tonight"):
        return cal.part_of_day(day, "evening")
    return _with_part(match, day)


def _this_part(match: "Match[str]", clock: Clock) -> Local | None:
    which, name = match["which"].lower(), match["part"].lower()
    if which == "last":
        return cal.part_of_day(cal.day_of(clock.now - cal.DAY), "night" if name == "night" else name)
    if name == "night":
        return cal.part_of_day(cal.day_of(clock.now), "evening")
    return cal.part_of_day(cal.day_of(clock.now), name)


def _earlier_today(_: "Match[str]", clock: Clock) -> Local | None:
    return cal.day_of(clock.now)


def _just_now(_: "Match[str]", clock: Clock) -> Local | None:
    return cal.rolling(clock, "hour", 1)


def _season(match: "Match[str]", clock: Clock) -> Local | None:
    index = words.SEASONS_EN[match["season"].lower()]
    year, which = match["year"], (match["which"] or "").lower()
    if year:
        return cal.season(int(year), index)
    now = clock.now
    if which in ("last", "past", "previous"):
        spans = [cal.season(now.year + offset, index) for offset in (0, -1, -2)]
        return next(span for span in spans if span[1] <= now)
    if which in ("next", "coming"):
        spans = [cal.season(now.year + offset, index) for offset in (-1, 0, 1)]
        return next(span for span in spans if span[0] > now)
    if which == "this":
        spans = [cal.season(now.year + offset, index) for offset in (-1, 0)]
        return next((span for span in spans if span[0] <= now < span[1]), spans[1])
    return cal.yearless(clock, lambda y: cal.season(y, index))


def _month_year(match: "Match[str]", _: Clock) -> Local | None:
    year = int(match["year"])
    return _of_part(match, cal.month(year, _month_number(match))) if year else None


def _month_alone(match: "Match[str]", clock: Clock) -> Local | None:
    number = _month_number(match)
    return _of_part(match, cal.yearless(clock, lambda y: cal.month(y, number)))


def _month_relative(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve: "last March" is the last one that is over, "next March" the first to come, "this March" this year's."""
    number, which, now = _month_number(match), match["which"].lower(), clock.now
    if which == "this":
        return cal.month(now.year, number)
    if which in ("last", "past", "previous"):
        return cal.month(now.year if number < now.month else now.year - 1, number)
    return cal.month(now.year if number > now.month else now.year + 1, number)


def _of_part(match: "Match[str]", span: Local | None) -> Local | None:
    which = (match.groupdict().get("which_part") or "").lower().rstrip("-")
    names = {
        "beginning": "start",
        "start": "start",
        "early": "early",
        "middle": "mid",
        "mid": "mid",
        "late": "late",
        "end": "end",
    }
    return cal.part(span, names[which]) if span and which else span


def _day_month(match: "Match[str]", clock: Clock) -> Local | None:
    number, day = _month_number(match), int(match["day"])
    year = match["year"]
    if year:
        return cal.date(int(year), number, day)
    return cal.yearless(clock, lambda y: cal.date(y, number, day))


def _ordinal_day(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve "the 5th": of this month, or of the one before or after by direction."""
    day, now = int(match["day"]), clock.now
    span = cal.date(now.year, now.month, day)
    if clock.direction == "future":
        if span is None or span[1] <= now:
            first = cal.month(now.year, now.month + 1)[0]
            return cal.date(first.year, first.month, day)
    elif span is None or span[0] > now:
        first = cal.month(now.year, now.month - 1)[0]
        return cal.date(first.year, first.month, day)
    return span


def _day_range(match: "Match[str]", clock: Clock) -> Local | None:
    number, first, last = _month_number(match), int(match["first"]), int(match["last"])

    def span(year: int) -> Local | None:
        start, end = cal.date(year, number, first), cal.date(year, number, last)
        return (start[0], end[1]) if start and end and first < last else None

    return span(int(match["year"])) if match["year"] else cal.yearless(clock, span)


def _year(match: "Match[str]", _: Clock) -> Local | None:
    if words.MEASURED_AFTER_YEAR.match(match.string, match.end()):
        return None
    return _of_part(match, cal.year_of(int(match["year"])))


def _years(match: "Match[str]", _: Clock) -> Local | None:
    first, last = int(match["year"]), int(match["until"])
    if words.MEASURED_AFTER_YEAR.match(match.string, match.end()) or first >= last:
        return None
    return cal.year_of(first)[0], cal.year_of(last)[1]


def _decade(match: "Match[str]", _: Clock) -> Local | None:
    return cal.months(int(match["decade"]), 1, 120)


def _quarter(match: "Match[str]", clock: Clock) -> Local | None:
    number = int(match["q"]) if match["q"].isdigit() else words.ORDINALS_EN[match["q"].lower()]
    year = match.groupdict().get("year")
    if not year and not clock.wide and words.PAST_EN.search(match.string.lower()):
        return cal.yearless(clock, lambda y: cal.quarter(y, number))
    return cal.quarter(int(year) if year else clock.now.year, number)


def _half_year(match: "Match[str]", clock: Clock) -> Local | None:
    second = match["h"].lower() in ("2", "second", "latter")
    year = match.groupdict().get("year")
    return cal.months(int(year) if year else clock.now.year, 7 if second else 1, 6)


def _part_of_relative(match: "Match[str]", clock: Clock) -> Local | None:
    which = match["which"]
    offset = 0 if which is None or which.lower() == "the" else _offset(which)
    return _of_part(match, cal.whole(clock, _unit(match["unit"]), offset))


def _iso(match: "Match[str]", _: Clock) -> Local | None:
    return cal.date(int(match["y"]), int(match["m"]), int(match["d"]))


def _iso_month(match: "Match[str]", _: Clock) -> Local | None:
    number = int(match["m"])
    return cal.month(int(match["y"]), number) if 1 <= number <= 12 else None


def _slashed(match: "Match[str]", _: Clock) -> Local | None:
    """American order, unless only the European one is a date."""
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    return cal.date(year, first, second) or cal.date(year, second, first)


def _dotted(match: "Match[str]", _: Clock) -> Local | None:
    return cal.date(int(match["y"]), int(match["m"]), int(match["d"]))


def _iso_week(match: "Match[str]", _: Clock) -> Local | None:
    try:
        start = datetime.fromisocalendar(int(match["y"]), int(match["w"]), 1)
    except ValueError:
        return None
    return start, start + 7 * cal.DAY


def _time_of_day(match: "Match[str]", clock: Clock) -> Local | None:
    return clock_time(match, cal.day_of(clock.now))


def clock_time(match: "Match[str]", day: Local) -> Local | None:
    """A matched time of day, on a day; None where the digits are no time."""
    hour, minute, half = int(match["hour"]), match["minute"], (match["half"] or "").lower().replace(".", "")
    if not minute and not half:
        return None
    if half in ("am", "pm"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    return cal.at_time(day, hour, int(minute or 0))


def _holiday(match: "Match[str]", clock: Clock) -> Local | None:
    name = re.sub(r"[\s']+", " ", match["holiday"].lower())
    first, day = next(date for key, date in _HOLIDAYS.items() if name.startswith(key))
    which, year = (match["which"] or "").lower(), match["year"]
    if year:
        return cal.date(int(year), first, day)
    past = Clock(clock.now, "past") if which == "last" else Clock(clock.now, "future") if which == "next" else clock
    if which == "this":
        return cal.date(clock.now.year, first, day)
    return cal.yearless(past, lambda y: cal.date(y, first, day))


_HOLIDAYS = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "new year s eve": (12, 31),
    "new year": (1, 1),
    "halloween": (10, 31),
    "valentine": (2, 14),
    "independence day": (7, 4),
    "boxing day": (12, 26),
}

_N = rf"(?P<n>{words.NUMBER})"
_UNIT_ALL = rf"(?P<unit>{words.UNIT})"
_UNIT_LONG = r"(?P<unit>day|week|weekend|month|quarter|year|decade)"
_WHICH = r"(?P<which>(?:the\s+)?(?:last|previous|past|this|current|next|coming|following|upcoming))"
_PART = r"(?:\s+(?P<part>morning|afternoon|evening|night))?"
_OF_PART = r"(?P<which_part>beginning|start|early|middle|mid|late|end)"
_YEAR = rf"(?P<year>{words.YEAR})"
_MONTH = rf"(?P<month>{words.MONTH})\.?"
_TH = r"(?:st|nd|rd|th)"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DIGITS = "0|1|2|3|4|5|6|7|8|9"

# fmt: off
RULES: tuple[Rule, ...] = (
    rule("iso date", r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})", _iso, "-"),
    rule("slashed iso date", r"(?P<y>(?:19|20)\d\d)/(?P<m>\d{1,2})/(?P<d>\d{1,2})", _iso, "/"),
    rule("slashed date", r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>(?:19|20)\d\d)", _slashed, "/"),
    rule("dotted date", r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>(?:19|20)\d\d)", _dotted, "."),
    rule("iso month", r"(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])(?!-?\d)", _iso_month, "-"),
    rule("iso week", r"(?P<y>(?:19|20)\d\d)-?W(?P<w>\d\d)", _iso_week, "w"),
    rule("month day year", rf"(?:the\s+)?{_MONTH}\s+(?P<day>{_DAY_NUMBER}){_TH}?(?:,?\s+{_YEAR})?(?!\s*[-–:]\s*\d|\s+(?:percent|people|users|ms)|\.\d)", _day_month, _MONTHS),
    rule("day month year", rf"(?:the\s+)?(?P<day>{_DAY_NUMBER}){_TH}?\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?(?!\s+\d{{4}})", _day_month, _MONTHS),
    rule("days of a month", rf"{_MONTH}\s+(?P<first>{_DAY_NUMBER}){_TH}?\s*(?:-|–|to|through|until)\s*(?P<last>{_DAY_NUMBER}){_TH}?(?:,?\s+{_YEAR})?(?!:)", _day_range, _MONTHS),
    rule("days of a month", rf"(?P<first>{_DAY_NUMBER}){_TH}?\s*(?:-|–|to|through)\s*(?P<last>{_DAY_NUMBER}){_TH}?\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?", _day_range, _MONTHS),
    rule("month year", rf"(?:(?:the\s+)?{_OF_PART}[\s\-]+(?:of\s+)?)?{_MONTH}(?:,?\s+|\s+of\s+)(?P<year>\d{{4}})", _month_year, _MONTHS),
    rule("relative month", rf"(?P<which>last|this|next|past|previous|coming)\s+{_MONTH}", _month_relative, "last|this|next|past|previous|coming"),
    rule("part of month", rf"(?:the\s+)?{_OF_PART}[\s\-]+(?:of\s+|in\s+)?{_MONTH}", _month_alone, "beginning|start|early|mid|late|end"),
    rule("part of unit", rf"(?:the\s+)?{_OF_PART}[\s\-]+(?:of\s+)?(?P<which>(?:the\s+)?(?:last|previous|this|current|next|coming)|the)\s+(?P<unit>week|month|quarter|year|decade)", _part_of_relative, "beginning|start|early|mid|late|end"),
    rule("part of year", rf"(?:the\s+)?{_OF_PART}[\s\-]+(?:of\s+|in\s+)?{_YEAR}", _year, "beginning|start|early|mid|late|end"),
    rule("ago", rf"(?:about\s+|around\s+|almost\s+|over\s+|nearly\s+|exactly\s+)?{_N}(?P<and_half>\s+and\s+a\s+half)?\s*{_UNIT_ALL}(?P<unit_and_half>\s+and\s+a\s+half)?\s+(?:ago|earlier|back|before now)", _ago, "ago|earlier|back|before"),
    rule("vague ago", rf"(?:just\s+|only\s+)?(?:a\s+)?(?P<vague>few|couple|several|some|many)\s+(?:of\s+)?{_UNIT_ALL}\s+(?:ago|earlier|back)", _vague_ago, "ago|earlier|back"),
    rule("later", rf"{_N}\s*{_UNIT_ALL}\s+(?:from\s+(?:now|today)|later|hence)", _ahead, "from|later|hence"),
    rule("in", rf"in\s+(?:about\s+|around\s+)?(?!a\s+second)(?P<n>{words.NUMBER})\s*{_UNIT_ALL}(?:'s?\s+time)?(?!\s+of\b)", _in_ahead, "in "),
    rule("rolling", rf"(?:(?:over|in|during|within|for)\s+)?(?:the\s+)?(?P<which>last|past|previous|next|coming|following)\s+(?:(?P<vague>few|couple|several)\s+(?:of\s+)?|(?P<n>{words.NUMBER})\s*){_UNIT_ALL}", _rolling, "last|past|previous|next|coming|following"),
    rule("past unit", r"(?:(?:over|in|during|within)\s+)?(?:the\s+)?(?P<which>past)(?P<n>)(?P<vague>)\s+(?P<unit>minute|hour|day|week|month|quarter|year|decade)", lambda m, c: cal.rolling(c, _unit(m["unit"]), 1), "past"),
    rule("last hour", r"(?:in\s+)?(?:the\s+)?last\s+(?P<unit>minute|hour)", lambda m, c: cal.rolling(c, _unit(m["unit"]), 1), "last"),
    rule("unit", rf"{_WHICH}\s+{_UNIT_LONG}(?:'s)?(?!\s+of\b)", _whole, "last|past|previous|next|coming|following|this|current"),
    rule("unit before last", r"(?:the\s+)?(?P<unit>week|weekend|month|quarter|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\s+(?P<which>before last|after next)", _before_last, "before last|after next"),
    rule("weekday", rf"(?P<which>last|previous|past|this|next|coming|upcoming|following)\s+(?P<weekday>{words.WEEKDAY})(?:'s)?{_PART}", _weekday, "last|past|previous|next|coming|following|this|current"),
    rule("on weekday", rf"(?P<weekday>{words.WEEKDAY})\b\.?{_PART}", after("on|since|until|till|by|from|to|before|after", _weekday), "mon|tue|wed|thu|fri|sat|sun"),
    rule("bare weekday", rf"(?P<weekday>{words.LONG_WEEKDAY})(?:'s)?{_PART}", _weekday, "day"),
    rule("named day", r"(?P<named>the\s+day\s+before\s+yesterday|day\s+before\s+yesterday|the\s+day\s+after\s+tomorrow|day\s+after\s+tomorrow|yesterday's|today's|tomorrow's|yesterday|today|tonight|tomorrow)(?:\s+(?P<part>morning|afternoon|evening|night|noon|midnight))?", _named_day, "day|tonight|tomorrow"),
    rule("part of day", r"(?:(?:earlier|later)\s+)?(?P<which>this|last)\s+(?P<part>morning|afternoon|evening|night)", _this_part, "this|last"),
    rule("earlier today", r"(?:earlier|later)\s+today", _earlier_today, "today"),
    rule("just now", r"just\s+now|a\s+moment\s+ago|moments\s+ago", _just_now, "now|ago"),
    rule("season", rf"(?P<which>)(?P<season>{words.SEASON})(?:\s+(?:of\s+)?(?P<year>{words.YEAR}))?(?!\s+(?:boot|framework|clean|roll|in|back|off|behind|through|short)|\s?-)", after("in|during|since|until|over|by|through|of|before|after", _season), "spring|summer|autumn|fall|winter"),
    rule("season", rf"(?:the\s+)?(?P<which>last|this|next|past|coming|previous)?\s?(?P<season>{words.SEASON})\s+(?:of\s+)?(?P<year>{words.YEAR})", _season, "spring|summer|autumn|fall|winter"),
    rule("season", rf"(?P<which>last|this|next|past|coming|previous)\s+(?P<season>{words.SEASON})(?P<year>)", _season, "spring|summer|autumn|fall|winter"),
    rule("quarter", rf"(?:in\s+)?Q(?P<q>[1-4])(?:\s*(?:of\s+|/|,)?\s*{_YEAR})?", _quarter, "q"),
    rule("quarter", rf"{_YEAR}[\s\-]?Q(?P<q>[1-4])", _quarter, "q"),
    rule("quarter", rf"(?:the\s+)?(?P<q>first|1st|second|2nd|third|3rd|fourth|4th|last)\s+quarter(?:\s+of\s+(?:{_YEAR}|the\s+year|this\s+year))?(?!\s+of\s+(?!(?:the\s+)?(?:last|next|this|previous|coming|current|fiscal)\b))", _quarter, "quarter"),
    rule("half year", rf"H(?P<h>[12])\s+{_YEAR}", _half_year, "h1|h2"),
    rule("half year", rf"(?:the\s+)?(?P<h>first|second|latter)\s+half\s+of\s+(?:{_YEAR}|(?:the|this)\s+year)", _half_year, "half"),
    rule("years", rf"(?:from\s+|between\s+|in\s+)?{_YEAR}\s*(?:-|–|—|to|and|until)\s*(?P<until>{words.YEAR})", _years, _DIGITS),
    rule("year", rf"{_YEAR}(?:'s)?", after("in|since|until|till|by|during|from|before|after|throughout|through|of|year|around|circa|for|and|to", _year), _DIGITS),
    rule("decade", r"(?:the\s+)?(?:early\s+|late\s+|mid-?\s?)?(?P<decade>(?:19|20)\d0)s", _decade, "0s"),
    rule("clear month", rf"(?P<month>{words.CLEAR_MONTHS_EN})(?:'s)?(?!,?\s+\d{{4}})", _month_alone, "uary|ber|july"),
    rule("month", rf"(?P<month>{words.MONTH})\b\.?(?:'s)?(?!\s+(?:be|have|not|cause|need|also|i|we|lead|contain|break|fail|help|take|the|a|on|to|forward|against|into)\b)", after(words.MONTH_PREPOSITIONS, _month_alone), _MONTHS),
    rule("ordinal day", rf"the\s+(?P<day>{_DAY_NUMBER}){_TH}(?!\s+(?:of|floor|time|attempt|place|row|line|step|version|century|percentile|try|day|birthday|anniversary|edition|release))", after("on|by|since|until|before|after|from", _ordinal_day), "the "),
    rule("holiday", rf"(?:(?P<which>last|this|next)\s+)?(?P<holiday>christmas(?:\s+(?:day|eve))?|new\s+year'?s?(?:\s+(?:day|eve))|halloween|valentine'?s?\s+day|(?:independence|boxing)\s+day)(?:\s+{_YEAR})?", _holiday, "christmas|new|hallow|valent|indep|boxing"),
    rule("time of day", r"(?:at\s+|around\s+|@\s*)(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?\s*(?P<half>am|pm|a\.m\.|p\.m\.)?(?![\w:%])", _time_of_day, _DIGITS),
    rule("time of day", r"(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?\s*(?P<half>am|pm|a\.m\.|p\.m\.)", _time_of_day, _DIGITS),
    rule("named time", r"at\s+(?P<part>noon|midnight)", lambda m, c: cal.part_of_day(cal.day_of(c.now), m["part"].lower()), "noon|midnight"),
)
# fmt: on

TIME_AFTER_DAY = re.compile(rf"(?:,?\s+|T)(?:{_CLOCK_TIME}|at\s+(?P<word>noon|midnight))", re.IGNORECASE)
TIME_BEFORE_DAY = re.compile(
    r"(?:at\s+)?(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?\s*(?P<half>am|pm|a\.m\.|p\.m\.)?\s+(?:on\s+)?$",
    re.IGNORECASE,
)
WORD_BEFORE_DAY = re.compile(r"(?:at\s+)?(?<![\w\-])(?P<word>noon|midnight)\s+(?:on\s+)?$", re.IGNORECASE)
ISO_TIME_AFTER_DAY = re.compile(
    r"[T ](?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?\s?(?P<zone>Z|[+-]\d{2}:?\d{2})?(?![\w:])"
)
ZONE_AFTER_TIME = re.compile(
    r"\s*\(?(?P<zone>UTC|GMT|Z|CET|CEST|EST|EDT|CST|CDT|MST|MDT|PST|PDT|BST|IST|JST)(?P<shift>[+-]\d{1,2}(?::?\d{2})?)?\b\)?"
)
ZONES = {
    "UTC": 0,
    "GMT": 0,
    "Z": 0,
    "CET": 60,
    "CEST": 120,
    "EST": -300,
    "EDT": -240,
    "CST": -360,
    "CDT": -300,
    "MST": -420,
    "MDT": -360,
    "PST": -480,
    "PDT": -420,
    "BST": 60,
    "IST": 330,
    "JST": 540,
}
