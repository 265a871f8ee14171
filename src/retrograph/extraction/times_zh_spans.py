"""Chinese times that are told by way of another one: 两周前的周五, 去年的今天, 一到三月, 前阵子, 上个夏天."""

# ruff: noqa: E501  (a row of a table reads best on one line)

from re import Match

from retrograph.extraction import lexicon_times as words
from retrograph.extraction import times_calendar as cal
from retrograph.extraction import times_zh
from retrograph.extraction.times_calendar import Clock, Local, Rule
from retrograph.extraction.times_zh import rule


def _count(text: str) -> int:
    return int(times_zh.number(text) or 0)


def _weekends_ago(match: "Match[str]", clock: Clock) -> Local | None:
    count = _count(match["n"])
    if not 1 <= count <= 5_000:
        return None
    return cal.whole(clock, "weekend", -count if match["way"].endswith("前") else count)


def _day_of_week_ago(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve 两周前的周五, 三周后的周末: of the week that lies so many weeks off."""
    count = _count(match["n"])
    week = cal.whole(clock, "week", -count if match["way"].endswith("前") else count) if count <= 5_000 else None
    if week is None or match["weekday"] == "末":
        return cal.weekend_of(week) if week else None
    return cal.day_of(week[0] + cal.DAY * words.WEEKDAYS_ZH[match["weekday"]])


def _same_day(match: "Match[str]", clock: Clock) -> Local | None:
    return cal.date(clock.now.year + words.YEARS_ZH[match["yearword"]], clock.now.month, clock.now.day)


def _same_time(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve 去年这个时候, 上周同一时间."""
    unit = {"年": "year", "月": "month"}.get(match["unit"], "week")
    if (match["which"] in "去今明") != (unit == "year"):
        return None
    return cal.same_time(clock, unit, {"去": -1, "上": -1, "今": 0}.get(match["which"], 1))


def _months(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve 1-3月, 一到三月份, 2025年1月至6月: a first month behind the last lies in the year before."""
    first, last = (_count(text) for text in match.groupdict().get("pair") or (match["first"], match["last"]))
    year = times_zh.year_of(match, clock)
    if not (1 <= first <= 12 and 1 <= last <= 12) or first == last or year == -1:
        return None

    def span(y: int) -> Local:
        return cal.month(y if first < last or year else y - 1, first)[0], cal.month(
            y if first < last or not year else y + 1, last
        )[1]

    return span(year) if year else cal.yearless(clock, span)


def _years(match: "Match[str]", _: Clock) -> Local | None:
    first, last = int(match["first"]), int(match["last"])
    if not 1800 <= first < last <= 2199:
        return None
    return cal.year_of(first)[0], cal.months(last, 1, 120 if match["decade"] else 12)[1]


def _ordinal_days(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve 10号到14号."""
    return cal.days_of_near_month(clock, _count(match["first"]), _count(match["last"]))


def _between_counts(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve 两三天前, 一两个月前, 2到3周前."""
    pair = match["pair"]
    low, high = (_count(pair[0]), _count(pair[1])) if pair else (_count(match["low"]), _count(match["high"]))
    unit = "year" if match["unit"] == "年" else words.UNITS_ZH[match["unit"]]
    return cal.vague(clock, unit, low, high) if low < high <= 100 and unit != "weekend" else None


def _lately(match: "Match[str]", clock: Clock) -> Local | None:
    return cal.vague(clock, "week", 1, 6)


def _working_day(match: "Match[str]", clock: Clock) -> Local | None:
    return cal.working_day(clock, ahead=match["which"] == "下")


def _season(match: "Match[str]", clock: Clock) -> Local | None:
    """Resolve 上个夏天, 下个冬天: the last that is over, the first to come."""
    index, year = words.SEASONS_ZH[match["season"]], clock.now.year
    spans = [cal.season(year + offset, index) for offset in (1, 0, -1, -2)]
    if match["which"] == "上":
        return next(span for span in spans if span[1] <= clock.now)
    return next(span for span in reversed(spans) if span[0] > clock.now)


def _half_month(match: "Match[str]", clock: Clock) -> Local | None:
    start, end = cal.month(clock.now.year, clock.now.month)
    middle = start + 15 * cal.DAY
    return (start, middle) if match["half"] == "上" else (middle, end)


def _century(match: "Match[str]", clock: Clock) -> Local | None:
    number = _count(match["n"]) if match["n"] else clock.now.year // 100 + (0 if match["which"] == "上" else 1)
    return cal.months(100 * (number - 1), 1, 1200) if 11 <= number <= 22 else None


def _fiscal_year(match: "Match[str]", _: Clock) -> Local | None:
    year = int(match["year"]) + (2000 if len(match["year"]) == 2 else 0)
    return cal.quarter(year, _count(match["q"])) if match["q"] else cal.year_of(year)


def _edge_of_quarter(match: "Match[str]", clock: Clock) -> Local | None:
    span = cal.whole(clock, "quarter", 0)
    return cal.part(span, "start" if match["edge"] == "初" else "end") if span else None


_NUM = r"\d{1,4}|[一二两三四五六七八九十]{1,3}"
_WEEK = "(?:周|星期|礼拜)"
_TO = r"\s?(?:到|至|[-–—~～])\s?"
_MONTH = "1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]"
_DAY = r"3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九]"
_UNIT = "天|周|星期|个星期|个?礼拜|个月|年|个?小时|分钟|个季度"
_YEAR = rf"(?:(?P<yearword>{'|'.join(words.YEARS_ZH)})|(?P<year>\d{{4}})年)"

# fmt: off
RULES: tuple[Rule, ...] = (
    rule("weekends ago", rf"(?P<n>{_NUM})个?周末(?P<way>之?前|以前|之?后|以后)", _weekends_ago, "周末"),
    rule("weekday of a week ago", rf"(?P<n>{_NUM})个?{_WEEK}(?P<way>之?前|以前|之?后|以后)的?{_WEEK}(?P<weekday>[一二三四五六日天末])", _day_of_week_ago, "前|后"),
    rule("same day", rf"(?P<yearword>{'|'.join(words.YEARS_ZH)})的?(?:今天|今日|同一天)", _same_day, "年今|的今|同一天"),
    rule("same time", r"(?P<which>[去今明上下])个?(?P<unit>年|周|星期|月)的?(?:这个?时候|这时候|此时|同一时间|同期)", _same_time, "时|同期"),
    rule("months", rf"(?<![\d.号月第\-])(?:{_YEAR}的?)?(?P<first>{_MONTH})(?:月份?)?{_TO}(?P<last>{_MONTH})月(?:份)?(?!\d|[一二三四五六七八九十]{{1,3}}[日号]|租|饼|[日号])", _months, "月"),
    rule("months", rf"(?<![\d一二三四五六七八九十.月第])(?:{_YEAR}的?)?(?P<pair>{'|'.join(words.NEIGHBOURS_ZH[1:])})月(?:份|间)?(?!饼|[日号\d])", _months, "月"),
    rule("years", rf"(?<![\d.])(?P<first>\d{{4}}){_TO}(?P<last>\d{{4}})年(?P<decade>代)?(?!级)", _years, "年"),
    rule("days", rf"(?<![\d月第/.])(?P<first>{_DAY})号{_TO}(?P<last>{_DAY})号(?!线|楼|院|店|门|仓|机|桌|桥|柜|馆|厅|库|车|房|服务|节点)", _ordinal_days, "号"),
    rule("ago between", rf"(?:(?P<pair>{'|'.join(words.NEIGHBOURS_ZH)})|(?P<low>\d{{1,2}})(?:到|至|[-–~～])(?P<high>\d{{1,2}}))(?P<unit>{_UNIT})(?:之?前|以前)", _between_counts, "前"),
    rule("vague past", r"前(?:一)?阵子?(?!地)|前一?段(?:时间|日子)|前些(?:日子|时候|时间)|前不久|不久(?:之前|以前|前)", _lately, "前阵|前一|前段|前些|前不久|不久"),
    rule("working day", r"(?P<which>[上下])一?个?工作日", _working_day, "工作日"),
    rule("season", r"(?P<which>[上下])一?个(?P<season>[春夏秋冬])[天季]", _season, "春|夏|秋|冬"),
    rule("half month", r"(?<![一二三四五六七八九十\d个月])(?P<half>[上下])半月(?!板|刊)", _half_month, "半月"),
    rule("century", r"(?:(?P<n>1\d|2[01]|二?十[一二三四五六七八九]?)|(?P<which>[上本])个?)世纪(?!大道|公园|广场|华联|福克斯|佳缘|末?[一二三四五六七八九]十年代|\d0年代)", _century, "世纪"),
    rule("fiscal year", r"(?<!\d)(?P<year>20\d\d|\d\d)财(?:政)?年度?(?:的?第?(?P<q>[一二三四1-4])季度)?", _fiscal_year, "财"),
    rule("edge", r"(?<![一二三四1-4上下本这个每各])季(?:度)?(?P<edge>[初末底])(?=[之前的要必须完提交内，。,]|$)", _edge_of_quarter, "季"),
)
# fmt: on
