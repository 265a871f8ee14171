"""The grammar of Chinese time expressions: one rule a form, tried at every place, the longest match wins."""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re
from collections.abc import Callable
from re import Match

from retrograph.extraction import lexicon_times as words
from retrograph.extraction import times_calendar as cal
from retrograph.extraction import times_feasts as feasts
from retrograph.extraction.times_calendar import Clock, Local, Rule

_Resolver = Callable[["Match[str]", Clock], Local | None]
_NUM = r"\d+(?:\.\d+)?|[零〇一二两三四五六七八九十百]+"
_UNIT = "|".join(sorted((u for u in words.UNITS_ZH if u not in ("分", "日", "月", "年")), key=len, reverse=True))
_DAY_PART = "|".join(sorted(words.DAY_PARTS_ZH, key=len, reverse=True))
_WEEK = r"(?:周|星期|礼拜)"
_YEAR_WORD = "|".join(sorted(words.YEARS_ZH, key=len, reverse=True))
_PART = r"(?P<part>上中旬|中下旬|初|上旬|月初|年初|中旬|中|年中|月中|底|末|下旬|月底|年底|年末|月末)"
_SHIFT = {"上上": -2, "大上": -2, "上": -1, "前": -1, "这": 0, "本": 0, "此": 0, "当": 0, "今": 0, "下": 1, "下下": 2}


def rule(name: str, pattern: str, resolve: _Resolver, needs: str = "") -> Rule:
    """A rule of Chinese: one of the words in `needs` (`|` between them) has to stand in a text that it is tried on."""
    return Rule(name, re.compile(pattern), resolve, tuple(needs.split("|")) if needs else ())


def number(text: str) -> float | None:
    """The value of Arabic or Chinese digits up to 9999; None where they form no number."""
    try:
        return float(text)
    except ValueError:
        pass
    if all(c in words.DIGITS_ZH for c in text):
        return float("".join(str(words.DIGITS_ZH[c]) for c in text)) if len(text) != 2 or text[0] != "两" else None
    total, current = 0, 0
    for c in text:
        if c in words.DIGITS_ZH:
            current = words.DIGITS_ZH[c]
        else:
            total += (current or 1) * {"十": 10, "百": 100}[c]
            current = 0
    return float(total + current)


def _int(text: str | None) -> int | None:
    value = number(text) if text else None
    return int(value) if value is not None and value == int(value) else None


def _part(match: "Match[str]", span: Local | None) -> Local | None:
    name = match.groupdict().get("part")
    if not span or not name:
        return span
    if len(name) == 3:
        first, middle = cal.part(span, "early"), cal.part(span, "mid")
        return (first[0], middle[1]) if name == "上中旬" else (middle[0], span[1])
    if "初" in name or name == "上旬":
        return cal.part(span, "start")
    return cal.part(span, "mid" if "中" in name else "end")


def _day_part(match: "Match[str]", day: Local | None) -> Local | None:
    """Hours of a day, or the clock time that stands behind it (下午三点半)."""
    fields = match.groupdict()
    name, hour = fields.get("daypart"), _int(fields.get("hour"))
    if day is None or (not name and hour is None):
        return day
    if hour is not None:
        minute = fields.get("minute")
        minutes = (
            30 if minute == "半" else {"一刻": 15, "三刻": 45}.get(minute or "", _int((minute or "").rstrip("分")) or 0)
        )
        if name and words.DAY_PARTS_ZH[name][0] >= 18 and hour < 5:
            return cal.at_time(cal.day_of(day[1]), hour, minutes)  # 昨晚两点 lies behind midnight
        if name and words.DAY_PARTS_ZH[name][0] >= 12 and hour < 12:
            hour += 12
        if name == "中午" and hour < 6:
            hour += 12
        return cal.at_time(day, hour, minutes)
    first, last = words.DAY_PARTS_ZH[name or "早上"]
    return day[0] + first * cal.DAY / 24, day[0] + last * cal.DAY / 24


def _named_day(match: "Match[str]", clock: Clock) -> Local | None:
    offset = words.DAYS_ZH[match["named"]]
    return _day_part(match, cal.day_of(clock.now + cal.DAY * offset))


def _week(match: "Match[str]", clock: Clock) -> Local | None:
    week = cal.week_of(clock.now + 7 * cal.DAY * _SHIFT[match["which"]])
    day = match["weekday"]
    if not day:
        return cal.part(week, "start" if match["edge"] == "初" else "end") if match["edge"] else week
    if day == "末":
        return cal.weekend_of(week)
    return _day_part(match, cal.day_of(week[0] + cal.DAY * words.WEEKDAYS_ZH[day]))


def _bare_weekday(match: "Match[str]", clock: Clock) -> Local | None:
    return _day_part(match, cal.weekday(clock, words.WEEKDAYS_ZH[match["weekday"]]))


def _weekend(_: "Match[str]", clock: Clock) -> Local | None:
    return cal.nearest_weekend(clock)


def _relative_month(match: "Match[str]", clock: Clock) -> Local | None:
    span = cal.month(clock.now.year, clock.now.month + _SHIFT[match["which"]])
    day = _int(match["day"])
    return _day_part(match, cal.date(span[0].year, span[0].month, day)) if day else _part(match, span)


def _relative_unit(match: "Match[str]", clock: Clock) -> Local | None:
    unit = "quarter" if "季" in match["unit"] else "half"
    return _part(match, cal.whole(clock, unit, _SHIFT[match["which"]]))


def year_of(match: "Match[str]", clock: Clock) -> int | None:
    """The year that a match tells in words or digits: None where it tells none, -1 where it is no year."""
    fields = match.groupdict()
    if fields.get("yearword"):
        return clock.now.year + words.YEARS_ZH[fields["yearword"]]
    text = fields.get("year")
    if not text:
        return None
    value = _int(text)
    if value is not None and value < 100:
        value += 2000 if value < 70 else 1900
    return value if value is not None and 1800 <= value <= 2199 else -1


def _year_month_day(match: "Match[str]", clock: Clock) -> Local | None:
    year, month, day = year_of(match, clock), _int(match["month"]), _int(match["day"])
    if year == -1 or month is None or not 1 <= month <= 12:
        return None
    if day is not None:
        found = cal.date(year, month, day) if year else cal.yearless(clock, lambda y: cal.date(y, month, day))
        return _day_part(match, found)
    found = cal.month(year, month) if year else cal.yearless(clock, lambda y: cal.month(y, month))
    return _part(match, found)


def _year(match: "Match[str]", clock: Clock) -> Local | None:
    year = year_of(match, clock)
    return None if year in (None, -1) else _part(match, cal.year_of(year or 1))


def _year_edge(match: "Match[str]", clock: Clock) -> Local | None:
    """年底, 月初: of this year or month."""
    span = cal.year_of(clock.now.year) if match["part"].startswith("年") else cal.month(clock.now.year, clock.now.month)
    found = _part(match, span)
    if found and clock.direction == "past" and found[0] > clock.now:
        back = (
            cal.year_of(clock.now.year - 1)
            if match["part"].startswith("年")
            else cal.month(clock.now.year, clock.now.month - 1)
        )
        return _part(match, back)
    return found


def _season(match: "Match[str]", clock: Clock) -> Local | None:
    index, year = words.SEASONS_ZH[match["season"]], year_of(match, clock)
    if year == -1:
        return None
    return cal.season(year, index) if year else cal.yearless(clock, lambda y: cal.season(y, index))


def _quarter(match: "Match[str]", clock: Clock) -> Local | None:
    value, year = _int(match["q"]), year_of(match, clock)
    if value is None or not 1 <= value <= 4 or year == -1:
        return None
    return cal.quarter(year or clock.now.year, value)


def _half_year(match: "Match[str]", clock: Clock) -> Local | None:
    year = year_of(match, clock)
    return None if year == -1 else cal.months(year or clock.now.year, 1 if match["h"] == "上" else 7, 6)


def _unit_of(text: str) -> str:
    return words.UNITS_ZH[text]


def _ago(match: "Match[str]", clock: Clock) -> Local | None:
    value = number(match["n"])
    if value is None or match["unit"].endswith("周末") or match["n"] in words.NEIGHBOURS_ZH:
        return None
    if match.groupdict().get("half"):
        value += 0.5
    sign = -1 if match["way"].endswith("前") else 1
    return cal.moved(clock, _unit_of(match["unit"]), sign * value)


def _half_ago(match: "Match[str]", clock: Clock) -> Local | None:
    sign = -1 if match["way"].endswith("前") else 1
    unit = match["unit"]
    if unit == "年":
        return cal.moved(clock, "month", 6 * sign)
    if unit in ("个月", "月"):
        return cal.moved(clock, "day", 15 * sign)
    if unit == "天":
        return cal.moved(clock, "hour", 12 * sign)
    return cal.moved(clock, "minute", 30 * sign)


def _vague_ago(match: "Match[str]", clock: Clock) -> Local | None:
    unit = _unit_of(match["unit"])
    if unit == "year" or match["unit"] == "年":
        return cal.vague(clock, "year", 2, 5) if clock.wide or clock.direction == "past" else None
    return cal.vague(clock, unit, 2, 5)


def _rolling(match: "Match[str]", clock: Clock) -> Local | None:
    text = match["n"]
    count = (
        5.0
        if text in ("几", "数")
        else 0.5
        if text == "半"
        else number(text[-1] if text in words.NEIGHBOURS_ZH else text)
    )
    unit = _unit_of(match["unit"])
    if count is None:
        return None
    if text == "半":
        count, unit = {"year": (6.0, "month"), "month": (15.0, "day"), "day": (12.0, "hour")}.get(unit, (0.5, unit))
    return cal.rolling(clock, unit, count, ahead=match["which"] in ("未来", "接下来", "今后", "往后", "下面"))


def _just_now(_: "Match[str]", clock: Clock) -> Local | None:
    return cal.rolling(clock, "hour", 1)


def _ordinal_day(match: "Match[str]", clock: Clock) -> Local | None:
    day, now = _int(match["day"]), clock.now
    if day is None:
        return None
    span = cal.date(now.year, now.month, day)
    step = 1 if clock.direction == "future" else -1
    if span is None or (step > 0 and span[1] <= now) or (step < 0 and span[0] > now):
        other = cal.month(now.year, now.month + step)[0]
        span = cal.date(other.year, other.month, day)
    return _day_part(match, span)


def _time_of_day(match: "Match[str]", clock: Clock) -> Local | None:
    hour = _int(match["hour"])
    return _day_part(match, cal.day_of(clock.now)) if hour is not None and hour <= 24 else None


def _holiday(match: "Match[str]", clock: Clock) -> Local | None:
    year, name = year_of(match, clock), match["holiday"]
    if year == -1:
        return None
    return feasts.feast(name, year) if year else cal.yearless(clock, lambda y: feasts.feast(name, y))


def _decade(match: "Match[str]", _: Clock) -> Local | None:
    value = _int(match["decade"])
    if value is None:
        return None
    year = value if value >= 1900 else value + (1900 if value >= 30 else 2000)
    return cal.months(year, 1, 120) if value % 10 == 0 else None


_HOUR = r"(?P<hour>\d{1,2}|[一二两三四五六七八九十]{1,3})(?:点钟?|时(?!候|间)|[:：](?=\d\d))(?P<minute>半|一刻|三刻|(?:\d{1,2}|[零一二三四五六七八九十]{1,3})分?)?"
_TIME = rf"(?:的?(?P<daypart>{_DAY_PART}))?(?:{_HOUR})?"
_YEAR = rf"(?:(?P<yearword>{_YEAR_WORD})|(?P<year>\d{{4}}|\d{{2}}(?=年)|[零〇一二三四五六七八九]{{4}}|[零〇一二三四五六七八九]{{2}}(?=年))年?)"
_Y = rf"(?:(?P<yearword>{_YEAR_WORD})|(?P<year>\d{{4}}|\d{{2}}|[零〇一二三四五六七八九]{{2}}|[零〇一二三四五六七八九]{{4}})年)"
_AGO = r"(?P<way>之?前|以前|之?后|以后|过后)"

# fmt: off
RULES: tuple[Rule, ...] = (
    rule("date", rf"(?<![\d.])(?:{_YEAR}的?)?(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?:份)?(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])[日号](?!线|楼|机|院|店|门|仓|服务|节点){_TIME}", _year_month_day, "月"),
    rule("month", rf"(?<![\d.个])(?:{_YEAR}的?)?(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?:份)?(?P<day>)(?:{_PART})?(?!饼|[一两三\d]次|一[结付换]|亮|球|光|票|嫂|季|租|薪|工资)", _year_month_day, "月"),
    rule("year", rf"{_Y}(?:{_PART})?", _year, "年"),
    rule("named day", rf"(?P<named>大前天|大后天|前天|昨天|昨日|今天|今日|明天|明日|后天|前日|当天){_TIME}", _named_day, "天|日"),
    rule("short day", rf"(?P<named>昨|今|明)(?P<daypart>早|晚|晨|夜)(?:{_HOUR})?", lambda m, c: _short_day(m, c), "昨|今|明"),
    rule("weekday", rf"(?P<which>[上大]上|上|这|本|下下|下)(?:一|个)?{_WEEK}(?P<weekday>[一二三四五六日天1-6末])(?P<edge>){_TIME}", _week, "周|星期|礼拜"),
    rule("week", rf"(?P<which>[上大]上|上|这|本|当|下下|下)(?:一|个)?{_WEEK}(?P<weekday>)(?P<edge>初|末|内|里)?", lambda m, c: _week(m, c) if m["edge"] not in ("内", "里") else cal.whole(c, "week", _SHIFT[m["which"]]), "周|星期|礼拜"),
    rule("bare weekday", rf"(?<![上下这本每]){_WEEK}(?P<weekday>[一二三四五六日天])(?!天|年){_TIME}", _bare_weekday, "周|星期|礼拜"),
    rule("weekend", r"(?<![上下这本每个])周末", _weekend, "周末"),
    rule("relative month", rf"(?P<which>[上大]上|上|这|本|当|下下|下)个?月(?:份)?(?:(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])[日号]{_TIME}|{_PART})?", _relative_month, "月"),
    rule("relative unit", rf"(?P<which>[上大]上|上|这|本|当|下下|下)(?:一|个|一个)?(?P<unit>季度?|半年度)(?:{_PART})?", _relative_unit, "季|半年"),
    rule("edge", r"(?<![今去明前后本上下个\d])(?P<part>年初|年中|年底|年末|月初|月中|月底|月末)", _year_edge, "年|月"),
    rule("season", rf"(?:{_YEAR}的?)?(?P<season>[春夏秋冬])(?:天|季)(?!型)", _season, "春|夏|秋|冬"),
    rule("season", rf"{_YEAR}的?(?P<season>[春夏秋冬])(?![节游招运])", _season, "春|夏|秋|冬"),
    rule("quarter", rf"(?:{_YEAR}的?)?(?:第?(?P<q>[一二三四1-4])(?:个)?季(?:度|(?![型稻第播剧大最全]|节目|完结|开播|上映|收官)))", _quarter, "季"),
    rule("quarter", rf"(?:{_YEAR}的?)?\s?[Qq](?P<q>[1-4])(?![\w])", _quarter, "q"),
    rule("half year", rf"(?:{_YEAR}的?)?(?P<h>[上下])半年", _half_year, "半年"),
    rule("ago", rf"(?:大约|大概|约)?(?P<n>{_NUM})(?P<half>)(?:多)?(?P<unit>{_UNIT}|年){_AGO}", _ago, "前|后"),
    rule("ago and a half", rf"(?P<n>{_NUM})(?:个)?(?P<unit>年|月|小时|天)(?P<half>半){_AGO}", lambda m, c: _ago(m, c), "半"),
    rule("half ago", rf"半(?P<unit>年|个月|个?小时|个钟头|天){_AGO}", _half_ago, "半"),
    rule("vague ago", rf"(?:好|前)?(?P<n>几|数)(?P<unit>{_UNIT}|年|日)(?P<way>之?前|以前)", _vague_ago, "几|数"),
    rule("vague past", r"前(?P<n>[几些])(?P<unit>天|周|个星期|个月|年)", _vague_ago, "前几|前些"),
    rule("rolling", rf"(?P<which>最近|过去|近|这|前|未来|接下来|今后|往后)(?:的)?(?P<n>{_NUM}|几|数|半)(?P<unit>{_UNIT}|年|月|日)(?!前|后|线|以前|之前|之后)(?:来|里|内|间|中)?", _rolling, "最近|过去|近|这|前|未来|接|今后|往后"),
    rule("just now", r"刚才|刚刚(?!好)", _just_now, "刚"),
    rule("ordinal day", rf"(?<![\d第月/.])(?P<day>3[01]|[12]\d|[1-9])[号](?=之前|以?前|上午|下午|晚上|早上|开始|起|到|至|截止|交|上线|发布|出发|的?会|[，。,]|$){_TIME}", _ordinal_day, "号"),
    rule("time of day", rf"(?P<daypart>{_DAY_PART})(?P<hour>\d{{1,2}}|[一二两三四五六七八九十]{{1,3}})(?:点钟?|时(?!候|间)|[:：](?=\d\d))(?P<minute>半|一刻|三刻|(?:\d{{1,2}}|[零一二三四五六七八九十]{{1,3}})分?)?", _time_of_day, "点|时|:|："),
    rule("holiday", rf"(?:{_YEAR}的?)?(?P<holiday>{feasts.NAMES})(?:假期|长假)?(?!月饼|节气|气|礼盒|联欢|晚会|档|[子花型路街])", _holiday, feasts.CUES),
    rule("decade", r"(?:上世纪|二十世纪)?(?P<decade>(?:19|20)?[1-9]0|[一二三四五六七八九]十)年代", _decade, "年代"),
    rule("iso date", r"(?<![\w\-/.])(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?![\d\-/.])", lambda m, _: cal.date(int(m["year"]), int(m["month"]), int(m["day"])), "0|1|2|3|4|5|6|7|8|9"),
)
# fmt: on


def _short_day(match: "Match[str]", clock: Clock) -> Local | None:
    """昨晚, 今早, 明晚八点."""
    day = cal.day_of(clock.now + cal.DAY * words.DAYS_ZH[match["named"]])
    if match["hour"]:
        return _day_part(match, day)
    return cal.part_of_day(
        day, "morning" if match["daypart"] in "早晨" else "evening" if match["named"] != "昨" else "night"
    )
