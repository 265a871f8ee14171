"""English times that are told by way of another one: before last, a week from Monday, month to month, close of business."""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re
from re import Match

from retrograph.extraction import lexicon_times as words
from retrograph.extraction import times_calendar as cal
from retrograph.extraction import times_en
from retrograph.extraction.times_calendar import Clock, Local, Rule
from retrograph.extraction.times_en import after, number, rule

_DECADES = {
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
}
_NOT_YEARS = re.compile(
    r"\b(?:temperatures?|degrees|highs?|lows?|scor\w+|per ?cent|percentile|latenc\w+|heart rate|marks?)\b",
    re.IGNORECASE,
)


def _span_in(name: str, year: int) -> Local:
    """A season or a month by its English name."""
    return (
        cal.season(year, words.SEASONS_EN[name]) if name in words.SEASONS_EN else cal.month(year, words.MONTHS_EN[name])
    )


def _named_span(match: "Match[str]", clock: Clock) -> Local | None:
    return cal.yearless(clock, lambda year: _span_in(match["name"].lower(), year))


def _before_last(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve "the summer before last", "the March after next": one beyond the last or the next whole one."""
    name, step = match["name"].lower(), -1 if match["which"].lower() == "before last" else 1

    year = clock.now.year
    if step < 0:
        near = next(y for y in (year, year - 1, year - 2) if _span_in(name, y)[1] <= clock.now)
    else:
        near = next(y for y in (year - 1, year, year + 1) if _span_in(name, y)[0] > clock.now)
    return _span_in(name, near + step)


def _night_before_last(match: "Match[str]", clock: Clock) -> Local | None:
    return cal.part_of_day(cal.day_of(clock.now - 2 * cal.DAY), match["part"].lower())


def _several_ago(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve "two Fridays ago", "three summers ago"."""
    count, name = int(number(match["n"])), match["name"].lower().rstrip("s")
    if not 1 <= count <= cal.FARTHEST_YEARS:
        return None
    if name in words.WEEKDAYS_EN:
        last = times_en.weekday_in(clock, words.WEEKDAYS_EN[name], -1)
        return cal.day_of(last[0] - 7 * cal.DAY * (count - 1))
    year, index = clock.now.year, words.SEASONS_EN[name]
    near = next(y for y in (year, year - 1, year - 2) if cal.season(y, index)[1] <= clock.now)
    return cal.season(near - count + 1, index) if near > count else None


def _between_counts(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve "two or three weeks ago", "a week or two ago"."""
    low, high = int(number(match["low"])), int(number(match["high"]))
    unit = words.UNITS_EN[match["unit"].lower()]
    if not low < high <= 100 or unit in ("decade", "fortnight", "weekend"):
        return None
    return cal.vague(clock, unit, low, high)


def _other_day(match: "Match[str]", clock: Clock) -> Local | None:
    unit = match["unit"].lower()
    return cal.vague(clock, "week", 1, 4) if unit == "week" else cal.vague(clock, "day", 2, 5)


def _weeks_from(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve "a week from Monday", "two weeks from tomorrow", "a week ago Monday"."""
    count, name = int(number(match["n"])), match["name"].lower()
    ago = match["way"].lower() == "ago"
    if count > 52:
        return None
    offset = {"yesterday": -1, "today": 0, "tomorrow": 1}.get(name)
    if offset is None:
        from_today = Clock(clock.now + (-cal.DAY if ago else cal.DAY))
        near = cal.weekday(from_today, words.WEEKDAYS_EN[name], direction="past" if ago else "future")
    else:
        near = cal.day_of(clock.now + cal.DAY * offset)
    return cal.day_of(near[0] + 7 * cal.DAY * (-count if ago else count))


def _fortnight(match: "Match[str]", clock: Clock) -> Local | None:
    return cal.rolling(clock, "week", 2, ahead=match["which"].lower() in ("next", "coming", "following"))


def _weekend(_: "Match[str]", clock: Clock) -> Local | None:
    return cal.nearest_weekend(clock)


def _working_day(match: "Match[str]", clock: Clock) -> Local | None:
    return cal.working_day(clock, ahead=match["which"].lower() in ("next", "following"))


def _end_of_day(_: "Match[str]", clock: Clock) -> Local | None:
    return cal.day_of(clock.now)


def _end_of_unit(match: "Match[str]", clock: Clock) -> Local | None:
    name = match["unit"].lower()
    unit = {"eow": "week", "eom": "month", "eoq": "quarter", "eoy": "year"}.get(name, name)
    span = cal.whole(clock, unit, 0)
    return cal.part(span, "end") if span else None


def _to_date(match: "Match[str]", clock: Clock) -> Local | None:
    unit = {"y": "year", "q": "quarter", "m": "month", "w": "week"}[match["unit"].lower()[0]]
    span = cal.whole(clock, unit, 0)
    return (span[0], clock.today + cal.DAY) if span else None


def _decade(match: "Match[str]", _: Clock) -> Local | None:
    """Resolve "the nineties", "the '80s"; "in his nineties" is an age, "highs in the 90s" a measure."""
    if _NOT_YEARS.search(match.string):
        return None
    name = match["decade"].lower()
    return cal.months(1900 + (_DECADES[name] if name in _DECADES else int(name)), 1, 120)


def _century(match: "Match[str]", _: Clock) -> Local | None:
    return cal.months(100 * (int(match["n"]) - 1), 1, 1200)


def _months(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve "March to May 2025", "Jan-Mar": a year told belongs to the last month."""
    first, last = words.MONTHS_EN[match["first"].lower()], words.MONTHS_EN[match["last"].lower()]
    if first == last or (not (match["year"] or clock.wide) and match["first"] in ("march", "may", "mar")):
        return None

    def span(year: int) -> Local:
        start = cal.month(year if first < last else year - 1, first)
        return start[0], cal.month(year, last)[1]

    if match["year"]:
        return span(int(match["year"]))
    return cal.yearless(clock, span)


def _days(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve "between 10 and 14 April"."""
    month, first, last = words.MONTHS_EN[match["month"].lower()], int(match["first"]), int(match["last"])

    def span(year: int) -> Local | None:
        start, end = cal.date(year, month, first), cal.date(year, month, last)
        return (start[0], end[1]) if start and end and first < last else None

    return span(int(match["year"])) if match["year"] else cal.yearless(clock, span)


def _ordinal_days(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve "from the 3rd to the 7th"."""
    return cal.days_of_near_month(clock, int(match["first"]), int(match["last"]))


def _short_year(match: "Match[str]") -> int:
    year = int(match["year"])
    return year if year > 99 else year + (2000 if year < 70 else 1900)


def _month_of_short_year(match: "Match[str]", _: Clock) -> Local | None:
    month, year = words.MONTHS_EN[match["month"].lower()], _short_year(match)
    return cal.date(year, month, int(match["day"])) if match["day"] else cal.month(year, month)


def _joined_date(match: "Match[str]", _: Clock) -> Local | None:
    return cal.date(_short_year(match), words.MONTHS_EN[match["month"].lower()], int(match["day"]))


def _fiscal(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve "FY25", "FY2025 Q3", "3Q25", "2H 2025"; a fiscal year is taken for the calendar's."""
    fields = match.groupdict()
    year = _short_year(match) if fields["year"] else clock.now.year
    quarter, half = fields.get("q") or fields.get("q_behind"), fields.get("h") or fields.get("h_behind")
    if quarter:
        return cal.quarter(year, int(quarter))
    return cal.months(year, 7 if half == "2" else 1, 6) if half else cal.year_of(year)


def _frame(match: "Match[str]", clock: Clock) -> Local | None:
    return cal.whole(clock, match["unit"].lower(), 0)


_MONTH = words.MONTH
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_TH = r"(?:st|nd|rd|th)"
_YEAR = rf"(?P<year>{words.YEAR})"
_LIMITS = "by|before|until|till"
_SHORT = r"(?P<year>(?:19|20)\d\d|\d\d)"
_SMALL = "|".join(word for word, value in words.NUMBERS_EN.items() if value >= 1)
_ON_DAY = rf"\s+(?:(?:on|of|this|next|the)\s+)?(?:{words.LONG_WEEKDAY}|today|tonight|tomorrow|yesterday|week|month|year|day|next|\d|{_MONTH})\b"

# fmt: off
RULES: tuple[Rule, ...] = (
    rule("season before last", rf"(?:the\s+)?(?P<name>{words.SEASON}|{_MONTH})\s+(?P<which>before\s+last|after\s+next)", _before_last, "before last|after next"),
    rule("night before last", r"(?:the\s+)?(?P<part>morning|afternoon|evening|night)\s+before\s+last", _night_before_last, "before last"),
    rule("several ago", rf"(?P<n>\d{{1,2}}|{_SMALL})\s+(?P<name>(?:{words.LONG_WEEKDAY}|{words.SEASON})s?)\s+(?:ago|back|earlier)", _several_ago, " ago| back| earlier"),
    rule("ago between", rf"(?P<low>\d{{1,2}}|{_SMALL})\s*(?:or|to|-|–)\s*(?P<high>\d{{1,2}}|{_SMALL})\s+(?P<unit>{words.UNIT})\s+(?:ago|back|earlier)", _between_counts, " ago| back| earlier"),
    rule("ago between", rf"(?P<low>an?|one)\s+(?P<unit>{words.UNIT})\s+or\s+(?P<high>two|three)\s+(?:ago|back|earlier)", _between_counts, " ago| back| earlier"),
    rule("vague past", r"the\s+other\s+(?P<unit>day|night|evening|morning|afternoon|week)(?!\s+(?:shifts?|crew|team|care|trip|nurse|pass|job|off|of|is|was|isn't|wasn't|in|on|the)\b)", _other_day, "the other"),
    rule("weeks from day", rf"(?P<n>\d{{1,2}}|{_SMALL})\s+weeks?\s+(?P<way>from|after|ago)\s+(?:on\s+)?(?P<name>{words.LONG_WEEKDAY}|today|tomorrow|yesterday)", _weeks_from, "week"),
    rule("rolling", r"(?:(?:in|over|during|within|for)\s+)?(?:the\s+)?(?P<which>last|past|previous|next|coming|following)\s+fortnight", _fortnight, "fortnight"),
    rule("weekend", r"(?:over|at|on|during)\s+the\s+weekend(?!\s+(?:of|before|after|edition|shift|issue|rate)\b)", _weekend, "weekend"),
    rule("working day", r"(?:the\s+)?(?P<which>last|previous|next|following)\s+(?:working|business|work)\s?day", _working_day, "work|business"),
    rule("end of day", rf"(?:the\s+)?(?:end\s+of\s+(?:the\s+|(?:the\s+)?(?:business|working)\s+)?(?:day|today)|close\s+of\s+(?:business|play)|EOD|COB)(?!{_ON_DAY})", after(_LIMITS, _end_of_day), "end of|close of|eod|cob"),
    rule("end of unit", r"(?:the\s+)?(?:end\s+of\s+(?P<unit>week|month|quarter|year))", after(_LIMITS, _end_of_unit), "end of"),
    rule("end of unit", r"(?P<unit>EO[WMQY])", after(_LIMITS, _end_of_unit), "eow|eom|eoq|eoy"),
    rule("end of unit", r"(?:the\s+)?(?P<unit>month|quarter|year)[\s\-]end", after(_LIMITS, _end_of_unit), "end"),
    rule("same time", r"(?:at\s+)?(?:about\s+|around\s+)?(?:this|the\s+same)\s+time\s+(?P<which>last|next)\s+(?P<unit>week|month|year)", lambda m, c: cal.same_time(c, m["unit"].lower(), -1 if m["which"].lower() == "last" else 1), " time "),
    rule("to date", r"(?P<unit>year|quarter|month|week)[\s\-]to[\s\-]date", _to_date, "to date|to-date"),
    rule("to date", r"(?-i:(?P<unit>Y)TD)", _to_date, "td"),
    rule("decade", r"the\s+(?:early\s+|late\s+|mid[\s\-])?(?:nineteen[\s\-])?'?(?P<decade>thirties|forties|fifties|sixties|seventies|eighties|nineties|[3-9]0(?='?s))(?:(?<=0)'?s)?(?!\s+(?:percentile|per\b))", after("in|during|since|until|from|of|before|after|throughout|by", _decade), "ties|0s|0's"),
    rule("decade", r"(?:the\s+)?nineteen[\s\-](?P<decade>thirties|forties|fifties|sixties|seventies|eighties|nineties)", _decade, "nineteen"),
    rule("century", r"(?:the\s+)?(?P<n>1\d|2[01])(?:st|th)[\s\-]century(?!\s+(?-i:Fox|Studios|Fashion|[A-Z]))", _century, "century"),
    rule("months", rf"(?<!\d\s)(?<!\d{_TH}\s)(?<!early\s)(?<!late\s)(?<!mid[\s\-])(?<!of\s)(?P<first>{_MONTH})\.?(?:\s+(?:to|through|thru|until|till)\s+|\s?[-–—]\s?)(?P<last>{_MONTH})\b\.?(?:,?\s+{_YEAR})?(?!,?\s+\d|\s?[-–—])", _months, " to |thr|til|-|–|—"),
    rule("months", rf"between\s+(?P<first>{_MONTH})\s+and\s+(?P<last>{_MONTH})\b(?:,?\s+{_YEAR})?(?!,?\s+\d)", _months, "between"),
    rule("days of a month", rf"(?:between|from)\s+(?:the\s+)?(?P<first>{_DAY}){_TH}?\s+(?:and|to|until|till|through)\s+(?:the\s+)?(?P<last>{_DAY}){_TH}?\s+(?:of\s+)?(?P<month>{_MONTH})\b(?:,?\s+{_YEAR})?", _days, "between|from"),
    rule("days of a month", rf"between\s+(?P<month>{_MONTH})\s+(?:the\s+)?(?P<first>{_DAY}){_TH}?\s+and\s+(?:the\s+)?(?P<last>{_DAY}){_TH}?(?:,?\s+{_YEAR})?(?!\s*[:%])", _days, "between"),
    rule("days of a month", rf"(?:between|from)\s+the\s+(?P<first>{_DAY}){_TH}\s+(?:and|to|until|till|through)\s+the\s+(?P<last>{_DAY}){_TH}(?!\s+(?:of\b|floor|row|line|place|percentile|century|version|edition|step|[a-z]+s\b))", _ordinal_days, "between|from"),
    rule("short year", rf"(?:(?P<day>{_DAY}){_TH}?\s+)?(?P<month>{_MONTH})\.?\s+'(?P<year>\d\d)", _month_of_short_year, "'"),
    rule("short year", rf"(?P<name>{words.SEASON})\s+(?:of\s+)?'(?P<year>\d\d)", lambda m, _: _span_in(m["name"].lower(), _short_year(m)), "'"),
    rule("joined date", rf"(?P<day>{_DAY})-(?P<month>{_MONTH})-{_SHORT}", _joined_date, "-"),
    rule("fiscal", rf"(?:Q(?P<q>[1-4])\s*(?:of\s+)?|H(?P<h>[12])\s*(?:of\s+)?)?(?:FY|(?:fiscal|financial)\s+(?:year\s+)?)\s?'?{_SHORT}(?:[\s\-]?Q(?P<q_behind>[1-4])|[\s\-]?H(?P<h_behind>[12]))?", _fiscal, "fy|fiscal|financial"),
    rule("fiscal", rf"(?:(?P<q>[1-4])Q|(?P<h>[12])H)\s?'?{_SHORT}", _fiscal, "q2|q'|q 2|h2|h'|h 2|q1|h1"),
    rule("fiscal", r"(?:Q(?P<q>[1-4])|H(?P<h>[12]))\s?'(?P<year>\d\d)", _fiscal, "'"),
    rule("half year", r"H(?P<h>[12])(?P<year>)(?=\s+(?:of\s+)?(?:last|this|next)\s+year)", _fiscal, "year"),
    rule("month", rf"(?P<name>{words.SEASON}|{_MONTH})(?=\s+(?:of\s+|in\s+)?(?:last|this|next|previous)\s+year\b)", _named_span, " year"),
    rule("month", rf"(?P<name>{words.SEASON}|{_MONTH})(?![\s\-]+(?:of\s+)?\d)", after(r"(?:last|this|next|previous)\s+year(?:'s|\s+in)", _named_span), "year's|year in"),
    rule("frame", r"(?:the\s+)(?P<unit>month|quarter|year)", after(rf"(?:half|days?|weeks?|weekend|months?|quarter|{words.LONG_WEEKDAY})\s+(?:of|in)", _frame), "the month|the quarter|the year"),
)
# fmt: on
