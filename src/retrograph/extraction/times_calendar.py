"""Calendar arithmetic on naive local time, and what a rule of the time grammar sees and answers."""

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from re import Match, Pattern
from typing import Literal

Local = tuple[datetime, datetime]
"""[start, end) in naive local time."""
Direction = Literal["past", "future", "nearest"]
DAY = timedelta(days=1)
FARTHEST_YEARS = 200


@dataclass(frozen=True, slots=True)
class Clock:
    """What a rule resolves against.

    Args:
        now: The reference instant in naive local time.
        direction: Where a bare weekday or month lies when nothing in the text says so.
        wide: "two weeks ago" is a window of a unit's width (a recall) rather than its day (a statement).
    """

    now: datetime
    direction: Direction = "past"
    wide: bool = False

    @property
    def today(self) -> datetime:
        """Midnight that began the reference day."""
        return self.now.replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True, slots=True)
class Rule:
    """One form of a time expression: its pattern and how a match resolves; None where it is no time after all.

    Where `needs` has words, the pattern is tried only on texts with one of them (in lower case).
    """

    name: str
    pattern: Pattern[str]
    resolve: Callable[["Match[str]", Clock], Local | None]
    needs: tuple[str, ...] = ()


def day_of(at: datetime) -> Local:
    """The day that an instant lies in."""
    start = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return start, start + DAY


def week_of(at: datetime) -> Local:
    """The week, Monday to Sunday, that an instant lies in."""
    start = day_of(at)[0] - DAY * at.weekday()
    return start, start + 7 * DAY


def weekend_of(week: Local) -> Local:
    """Saturday and Sunday of a week."""
    return week[0] + 5 * DAY, week[1]


def month(year: int, number: int) -> Local:
    """A month; `number` may lie outside 1 to 12 and then counts into other years."""
    return _first(year, number), _first(year, number + 1)


def months(year: int, first: int, count: int) -> Local:
    """`count` months from a month on."""
    return _first(year, first), _first(year, first + count)


def year_of(year: int) -> Local:
    """A calendar year."""
    return months(year, 1, 12)


def quarter(year: int, number: int) -> Local:
    """A quarter; `number` may lie outside 1 to 4."""
    return months(year, 3 * (number - 1) + 1, 3)


def season(year: int, index: int) -> Local:
    """A meteorological season of the northern half: 0 spring (from March) to 3 winter (from December)."""
    return months(year, 3 + 3 * index, 3)


def date(year: int, month_number: int, day: int) -> Local | None:
    """A day, or None where the calendar has no such day."""
    if not (1 <= month_number <= 12 and 1 <= year <= 9998):
        return None
    if not 1 <= day <= calendar.monthrange(year, month_number)[1]:
        return None
    return day_of(datetime(year, month_number, day))


def shift(at: datetime, unit: str, count: float) -> datetime | None:
    """An instant moved by `count` units, `second` to `decade`; months keep the day where they can."""
    try:
        if unit in _SECONDS:
            return at + timedelta(seconds=_SECONDS[unit] * count)
        number = count * {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}[unit]
        if abs(number) > 12 * FARTHEST_YEARS:
            return None
        whole = int(number // 1)
        first = _first(at.year, at.month + whole)
        last_day = calendar.monthrange(first.year, first.month)[1]
        moved = at.replace(year=first.year, month=first.month, day=min(at.day, last_day))
        return moved + timedelta(days=30 * (number - whole))
    except (OverflowError, ValueError):
        return None


_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
_HALF_WIDTH = {"week": 3.5, "month": 15.0, "quarter": 45.0, "half": 90.0, "year": 183.0, "decade": 1826.0}


def moved(clock: Clock, unit: str, count: float) -> Local | None:
    """The time `count` units from now: a minute or an hour wide for those, else a day; wider where `clock.wide`."""
    if abs(count) * _DAYS[unit] > FARTHEST_YEARS * 366:
        return None
    if unit in ("hour", "year", "day") and count != int(count):
        unit, times = {"hour": ("minute", 60), "day": ("hour", 24), "year": ("month", 12)}[unit]
        count = round(count * times)
    at = shift(clock.now, unit, count)
    if at is None:
        return None
    if unit in ("second", "minute", "hour"):
        width = timedelta(hours=1) if unit == "hour" else timedelta(minutes=1)
        return at.replace(second=0, microsecond=0), at.replace(second=0, microsecond=0) + width
    start, end = day_of(at)
    if clock.wide and unit in _HALF_WIDTH:
        half = timedelta(days=int(_HALF_WIDTH[unit]))
        start, end = start - half, end + half
        if count < 0:
            end = min(end, clock.today + DAY)
    return start, end


_DAYS = {
    "second": 1 / 86400,
    "minute": 1 / 1440,
    "hour": 1 / 24,
    "day": 1,
    "week": 7,
    "month": 30,
    "quarter": 91,
    "half": 182,
    "year": 365,
    "decade": 3652,
}


def vague(clock: Clock, unit: str, low: int, high: int) -> Local | None:
    """What "a few days ago" spans: from `high` to `low` units back."""
    days = _DAYS[unit]
    if unit in ("minute", "hour", "second"):
        return clock.now - timedelta(days=days * high), clock.now - timedelta(days=days * low)
    start, end = shift(clock.today, "day", -high * days), shift(clock.today, "day", -low * days)
    return None if start is None or end is None else (day_of(start)[0], day_of(end)[1])


def rolling(clock: Clock, unit: str, count: float, *, ahead: bool = False) -> Local | None:
    """The last (or next) `count` units up to the end of today; hours and minutes to the instant."""
    at = shift(clock.now, unit, count if ahead else -count)
    if at is None:
        return None
    if unit in ("second", "minute", "hour"):
        return (clock.now, at) if ahead else (at, clock.now)
    return (clock.today, day_of(at)[1]) if ahead else (day_of(at)[0], clock.today + DAY)


def whole(clock: Clock, unit: str, offset: int) -> Local | None:
    """The calendar unit `offset` after the present one: -1 is last week, 0 this week."""
    now = clock.now
    if unit == "day":
        return day_of(now + DAY * offset)
    if unit == "week":
        return week_of(now + 7 * DAY * offset)
    if unit == "weekend":
        return weekend_of(week_of(now + 7 * DAY * offset))
    if unit == "month":
        return month(now.year, now.month + offset)
    if unit == "quarter":
        return quarter(now.year, (now.month - 1) // 3 + 1 + offset)
    if unit == "half":
        return months(now.year, (1 if now.month <= 6 else 7) + 6 * offset, 6)
    if unit == "year":
        return year_of(now.year + offset) if 1 <= now.year + offset <= 9998 else None
    if unit == "decade":
        return months((now.year // 10 + offset) * 10, 1, 120)
    return None


def weekday(clock: Clock, index: int, *, direction: Direction | None = None) -> Local:
    """The weekday (0 Monday) nearest in a direction; today counts."""
    ahead = (index - clock.now.weekday()) % 7
    if (direction or clock.direction) == "past":
        ahead = ahead - 7 if ahead else 0
    return day_of(clock.today + DAY * ahead)


def nearest_weekend(clock: Clock) -> Local:
    """The weekend of this week, or the one before where the clock looks back and it is still to come."""
    week = week_of(clock.now)
    return weekend_of(week_of(week[0] - DAY) if clock.direction == "past" and week[0] + 5 * DAY > clock.now else week)


def same_time(clock: Clock, unit: str, count: int) -> Local | None:
    """The day so many units from now; for a recall a week around it of months, a month around it of years."""
    at = shift(clock.now, unit, count)
    if at is None:
        return None
    start, end = day_of(at)
    around = {"month": 3, "year": 15}.get(unit, 0) * DAY if clock.wide else 0 * DAY
    return start - around, end + around


def working_day(clock: Clock, *, ahead: bool) -> Local:
    """The last day before today (or the first after it) that lies between Monday and Friday."""
    step = DAY if ahead else -DAY
    day = clock.today + step
    while day.weekday() > 4:
        day += step
    return day_of(day)


def yearless(clock: Clock, span_in: Callable[[int], Local | None]) -> Local | None:
    """A span that each year has, in the year the clock's direction asks for."""
    this = span_in(clock.now.year)
    if clock.direction == "future":
        if this is None or this[1] <= clock.now:
            return span_in(clock.now.year + 1) or this
        return this
    if this is None or this[0] > clock.now:
        return span_in(clock.now.year - 1) or this
    return this


def part(span: Local, which: str) -> Local:
    """`early`, `mid`, `late`, `start` or `end` of a span.

    Of months the first ten days, the middle ten and the rest; of longer spans thirds; the start and the end
    of a year are two months; of a week two days.
    """
    start, end = span
    days = (end - start).days
    if 28 <= days <= 31:
        early, late = start + 10 * DAY, start + 20 * DAY
    elif days > 31:
        third = _month_count(span) / 3
        early, late = shift(start, "month", third) or start, shift(start, "month", 2 * third) or end
    else:
        third_of_it = max(1, days // 3) * DAY
        early, late = start + third_of_it, end - third_of_it
    if which in ("start", "end") and days >= 365:
        early, late = shift(start, "month", 2) or early, shift(end, "month", -2) or late
    return {"early": (start, early), "start": (start, early), "mid": (early, late)}.get(which, (late, end))


def _month_count(span: Local) -> int:
    return (span[1].year - span[0].year) * 12 + span[1].month - span[0].month


def _first(year: int, month_number: int) -> datetime:
    years, index = divmod(month_number - 1, 12)
    return datetime(min(9999, max(1, year + years)), index + 1, 1)


def at_time(day: Local, hour: int, minute: int = 0) -> Local | None:
    """A time of a day, one minute wide (an hour where no minute is told is not assumed)."""
    if not (0 <= hour <= 24 and 0 <= minute < 60):
        return None
    start = day[0] + timedelta(hours=hour, minutes=minute)
    return start, start + timedelta(minutes=1)


_PARTS_OF_DAY = {
    "morning": (5, 12),
    "noon": (12, 13),
    "afternoon": (12, 18),
    "evening": (18, 24),
    "night": (18, 30),
    "midnight": (24, 25),
}


def part_of_day(day: Local, name: str) -> Local:
    """Hours of a day: morning 5–12, noon 12–13, afternoon 12–18, evening 18–24, night 18–6."""
    first, last = _PARTS_OF_DAY[name]
    return day[0] + timedelta(hours=first), day[0] + timedelta(hours=last)


def days_of_near_month(clock: Clock, first: int, last: int) -> Local | None:
    """The days `first` to `last` of this month, or of the one before or after by direction; None where neither fits."""
    now = clock.now
    for step in (0, 1 if clock.direction == "future" else -1):
        at = month(now.year, now.month + step)[0]
        start, end = date(at.year, at.month, first), date(at.year, at.month, last)
        if start and end and first < last and (end[1] > now if clock.direction == "future" else start[0] <= now):
            return start[0], end[1]
    return None
