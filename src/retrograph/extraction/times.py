"""Times in texts: when something happened, how long it holds, which window a question asks for.

The grammars of `times_en`, `times_zh` and `times_other` do the reading; for further languages `dateparser` is asked,
and its answer is kept only where the words it read are a date by more than a number. Everything is resolved against
a reference instant in the caller's time zone and handed out in UTC.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from datetime import timezone as fixed_zone
from functools import lru_cache
from zoneinfo import ZoneInfo

from retrograph.extraction import lexicon_times as lexicon
from retrograph.extraction import times_calendar as cal
from retrograph.extraction import times_en, times_en_spans, times_other, times_parts, times_zh, times_zh_spans
from retrograph.extraction.times_calendar import Clock, Direction, Local, Rule
from retrograph.models import Language, TimeSpan

_CJK = re.compile(r"[\u3400-\u9fff]")
_LONGEST_TEXT = 8_000
_ENGLISH = (*times_en.RULES, *times_en_spans.RULES)
_WITH_CHINESE = (*_ENGLISH, *times_zh.RULES, *times_zh_spans.RULES)
# A space between a number and a Chinese unit of time or the word before it: "2025 年 3 月", "最近 7 天".
_SPACED = re.compile(r"(?<=[年月第近去来前后午晨晚里]) (?=\d)|(?<=\d) (?=[年月日号天周个季点时分小秒星礼])")
_ASCII = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，。！？；：（）"}


@dataclass(frozen=True, slots=True)
class _Found:
    """A time in a text: offsets, local span, and the zone it was told in where the text named one."""

    start: int
    end: int
    span: Local
    rule: str
    offset_minutes: int | None = None


def read_times(text: str, *, reference: datetime, timezone: ZoneInfo, language: Language) -> tuple[TimeSpan, ...]:
    """The times a statement speaks of, in its order.

    Args:
        text: The statement.
        reference: When it was said; aware.
        timezone: The caller's.
        language: As detected; decides which grammars are asked.

    Returns:
        Spans [start, end) in UTC, of the first 8,000 characters. A bare weekday or month lies in the past, unless
        the sentence speaks of what is to come. What comes again ("every Monday", 每周一) is no time.
    """
    found = _found(text[:_LONGEST_TEXT], reference, timezone, language, wide=False)
    return tuple(_span(item, text, timezone) for item in _joined(text, found))


def query_window(text: str, *, reference: datetime, timezone: ZoneInfo, language: Language) -> TimeSpan | None:
    """The window of time a question asks for, or None.

    "Since March" is open at the end, "before 2024" at the start. "Two weeks ago" is as wide as the unit it is
    told in (seven days), for a person who says it does not mean that day. Of several times the first counts.
    """
    found = _found(text[:_LONGEST_TEXT], reference, timezone, language, wide=True)
    joined = [item for item in _joined(text, found) if not item.rule.startswith(("time of day", "named time"))]
    if not joined:
        return None
    first = joined[0]
    span = _span(first, text, timezone)
    side = _side(text, first)
    if side == "since":
        return TimeSpan(span.start, None, span.surface)
    if side == "after":
        return TimeSpan(span.end, None, span.surface)
    if side == "before":
        return TimeSpan(None, span.start, span.surface)
    if side == "until":
        return TimeSpan(None, span.end, span.surface)
    return span


def validity(
    text: str, *, reference: datetime, timezone: ZoneInfo, language: Language
) -> tuple[datetime | None, datetime | None]:
    """From when and until when a statement says that it holds; None where it does not say.

    "Since March", "from 1 May to 3 June", "until Friday" (to the end of that day), "from now on", 从…起, 到…为止.
    """
    starts: datetime | None = None
    ends: datetime | None = None
    found = _found(text[:_LONGEST_TEXT], reference, timezone, language, wide=False)
    for item in _joined(text, found):
        span = _span(item, text, timezone)
        side = _side(text, item)
        if item.rule in _RANGES:
            if span.end and (span.end > reference or lexicon.STATE_RANGE.search(text)):
                starts, ends = starts or span.start, ends or span.end
        elif side in ("since", "after"):
            starts = starts or (span.start if side == "since" else span.end)
        elif side in ("until", "before"):
            ends = ends or (span.end if side == "until" else span.start)
        elif lexicon.FOR_THE_NEXT.search(text[max(0, item.start - 8) : item.end]):
            starts, ends = starts or span.start, ends or span.end
    if starts is None and lexicon.FROM_NOW.search(text):
        starts = reference.astimezone(UTC)
    return starts, ends


def recency_cue(text: str) -> bool:
    """Whether a question asks for the newest ("the last time", "most recent", 最近, 上次)."""
    return bool(lexicon.RECENCY.search(text.lower()))


def _side(text: str, item: _Found) -> str:
    """Whether words beside a time open one side of it: `since`, `after`, `before`, `until` or ""."""
    before, after = text[max(0, item.start - 24) : item.start], text[item.end : item.end + 12]
    if item.rule in _RANGES:
        return ""
    if lexicon.UNTIL.search(before) or lexicon.UNTIL_TAIL.search(after):
        return "until"
    if lexicon.BEFORE.search(before) or lexicon.BEFORE_TAIL.search(after):
        return "before"
    if lexicon.AFTER.search(before) or (lexicon.AFTER_TAIL.search(after) and not lexicon.SINCE.search(before)):
        return "after"
    if lexicon.SINCE.search(before) and not re.match(r"\s*(?:到|至|to\b)", after):
        return (
            "since"
            if re.search(r"since|start|begin|effective|as of|valid|as from|自从|自$|始于", before.lower())
            or lexicon.SINCE_TAIL.search(after)
            else ""
        )
    return "since" if lexicon.SINCE_TAIL.search(after) and not re.match(r"^\s*(?:on\b)", after) else ""


def _span(item: _Found, text: str, timezone: ZoneInfo) -> TimeSpan:
    start, end = item.span
    surface = text[item.start : item.end].strip().rstrip(".")
    return TimeSpan(_utc(start, timezone, item.offset_minutes), _utc(end, timezone, item.offset_minutes), surface)


def _utc(at: datetime, timezone: ZoneInfo, offset_minutes: int | None) -> datetime:
    zone = timezone if offset_minutes is None else fixed_zone(timedelta(minutes=offset_minutes))
    if not 2 <= at.year <= 9998:
        return at.replace(tzinfo=UTC)
    return at.replace(tzinfo=zone).astimezone(UTC)


@lru_cache(maxsize=2048)
def _found(text: str, reference: datetime, timezone: ZoneInfo, language: Language, *, wide: bool) -> tuple[_Found, ...]:
    """Every time in a text that no other one contains, in order. A write asks several times about one text."""
    text = _folded(text)
    chinese = _CJK.search(text) is not None
    if chinese and _SPACED.search(text):
        return _found_closed_up(text, reference, timezone, language, wide=wide)
    now = reference.astimezone(timezone).replace(tzinfo=None)
    masked = _masked(text)
    kept = _longest(_matches(_WITH_CHINESE if chinese else _ENGLISH, masked, text, now, wide=wide))
    if kept:
        kept = _apart([_with_time(text, item) for item in _cut(text, _with_years(text, kept))])
    if not kept and not chinese:
        kept = _longest(_matches(times_other.RULES, masked, text, now, wide=wide))
    if lexicon.RECURRING.search(text):
        kept = [item for item in kept if item.rule not in ("time of day", "named time")]
    if not kept and language is Language.OTHER:
        kept = _other_languages(masked, now, wide=wide)
    return tuple(kept)


def _found_closed_up(
    text: str, reference: datetime, timezone: ZoneInfo, language: Language, *, wide: bool
) -> tuple[_Found, ...]:
    """What stands in a text without the spaces around its numbers, at the offsets of the text with them."""
    gaps = {match.start() for match in _SPACED.finditer(text)}
    places = [i for i in range(len(text)) if i not in gaps]
    closed = "".join(text[i] for i in places)
    return tuple(
        replace(item, start=places[item.start], end=places[item.end - 1] + 1)
        for item in _found(closed, reference, timezone, language, wide=wide)
    )


def _with_years(text: str, items: list[_Found]) -> list[_Found]:
    """Make "March last year", "last year in March": two neighbours made one, of the year that words tell."""
    kept: list[_Found] = []
    for item in items:
        last = kept[-1] if kept else None
        between = text[last.end : item.start] if last else ""
        if last and len(between) < 12:
            if last.rule in _LACKS_YEAR and lexicon.WORD_OF_YEAR.fullmatch(text[item.start : item.end]):
                first, second, joins = last, item, lexicon.OF_YEAR.fullmatch(between)
            else:
                first, second, joins = item, last, lexicon.IN_YEAR.fullmatch(between)
                joins = joins and lexicon.WORD_OF_YEAR.fullmatch(text[last.start : last.end])
            if joins and first.rule in _LACKS_YEAR and not re.search(r"\d{4}", text[first.start : first.end]):
                span = _in_year(first.span, second.span[0].year)
                kept[-1] = replace(first, start=last.start, end=item.end, span=span)
                continue
        kept.append(item)
    return kept


def _cut(text: str, items: list[_Found]) -> list[_Found]:
    """The part that the words before or behind a time name; what they swallow is dropped, and a frame without them."""
    kept: list[_Found] = []
    for item in items:
        if kept and item.start < kept[-1].end:
            continue
        lead = times_parts.head(text, item.start, item.span, item.rule)
        if lead:
            while kept and kept[-1].end > lead[0]:
                kept.pop()
            kept.append(replace(item, start=lead[0], span=lead[1], rule="part"))
            continue
        if item.rule == "frame":
            continue
        tail = times_parts.tail(text, item.end, item.span, item.rule)
        kept.append(replace(item, end=tail[0], span=tail[1], rule=tail[2]) if tail else item)
    return kept


def _matches(
    rules: Sequence[Rule], masked: str, text: str, now: datetime, *, wide: bool
) -> list[tuple[int, int, int, _Found]]:
    """Every match of every rule that resolves, with its place and the rank of its rule."""
    candidates: list[tuple[int, int, int, _Found]] = []
    lower = masked.lower()
    asked: dict[tuple[str, ...], bool] = {(): True}
    for rank, rule in enumerate(rules):
        if rule.needs not in asked:
            asked[rule.needs] = any(word in lower for word in rule.needs)
        if not asked[rule.needs]:
            continue
        for match in rule.pattern.finditer(masked):
            clock = Clock(now, "past" if wide else _direction(text, *match.span()), wide)
            span = rule.resolve(match, clock)
            if span is not None:
                candidates.append((match.start(), -match.end(), rank, _Found(*match.span(), span, rule.name)))
    return candidates


def _folded(text: str) -> str:
    """Full-width digits and letters made ASCII, one for one, so that offsets stay."""
    return text.translate(_ASCII).replace("’", "'")


def _masked(text: str) -> str:
    """The text with what is no time blanked out, length kept."""
    for pattern in (lexicon.NO_TIME, lexicon.RECURRING):
        text = pattern.sub(lambda m: "\x00" * len(m.group()), text)
    return text


def _longest(candidates: list[tuple[int, int, int, _Found]]) -> list[_Found]:
    """Leftmost first, of those the longest, of those the first rule; none overlap."""
    kept: list[_Found] = []
    for _, _, _, item in sorted(candidates, key=lambda c: (c[1] + c[0], c[0], c[2])):
        if all(item.end <= other.start or other.end <= item.start for other in kept):
            kept.append(item)
    return sorted(kept, key=lambda item: item.start)


def _apart(items: list[_Found]) -> list[_Found]:
    """Without those that a neighbour has swallowed: a day takes the clock time before it, a time what follows."""
    kept: list[_Found] = []
    for item in items:
        if kept and item.start <= kept[-1].start and item.end > kept[-1].end:
            kept.pop()
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    return kept


def _direction(text: str, at: int, end: int) -> Direction:
    """Where a bare weekday or month of this clause lies: ahead where the clause speaks of what is to come."""
    start = max(text.rfind(mark, 0, at) for mark in (". ", "。", "；", ";", "\n", "!", "！")) + 1
    ends = [i for i in (text.find(mark, at) for mark in (". ", "。", "；", ";", "\n", "!", "！")) if i >= 0]
    clause = text[start : min(ends, default=len(text))].lower()
    lead, tail = text[max(0, at - 16) : at], text[end : end + 6]
    if (lexicon.UNTIL.search(lead) or lexicon.UNTIL_TAIL.search(tail) or lexicon.BEFORE_TAIL.match(tail)) and not (
        lexicon.PAST_EN.search(clause) or lexicon.PAST_ZH.search(clause)
    ):
        return "future"
    if lexicon.FUTURE_EN.search(clause) or lexicon.FUTURE_ZH.search(clause):
        past = lexicon.PAST_EN.search(clause[: at - start]) or lexicon.PAST_ZH.search(clause)
        return "past" if past and not lexicon.STRONG_FUTURE.search(clause) else "future"
    return "past"


def _with_time(text: str, item: _Found) -> _Found:
    """A day with the clock time beside it: "on Monday at 3pm", "2026-03-01T10:00:00+08:00"."""
    whole_day = item.span[1] - item.span[0] == cal.DAY and item.span[0].hour == 0
    if not whole_day:
        return item
    tail = text[item.end :]
    iso = times_en.ISO_TIME_AFTER_DAY.match(tail)
    if iso:
        span = cal.at_time(item.span, int(iso["hour"]), int(iso["minute"]))
        if span:
            second = timedelta(seconds=int(iso["second"] or 0))
            found = _Found(
                item.start, item.end + iso.end(), (span[0] + second, span[1] + second), item.rule, _offset(iso["zone"])
            )
            return _with_zone(text, found)
        return item
    match = times_en.TIME_AFTER_DAY.match(tail)
    if match and match["word"]:
        return _Found(item.start, item.end + match.end(), cal.part_of_day(item.span, match["word"].lower()), item.rule)
    if match:
        span = times_en.clock_time(match, item.span) or (
            cal.at_time(item.span, int(match["hour"])) if match.group().strip().lower().startswith("at") else None
        )
        if span:
            return _with_zone(text, _Found(item.start, item.end + match.end(), span, item.rule))
    lead = text[max(0, item.start - 24) : item.start]
    word = times_en.WORD_BEFORE_DAY.search(lead)
    if word:
        at = item.start - len(lead) + word.start()
        return _Found(at, item.end, cal.part_of_day(item.span, word["word"].lower()), item.rule)
    head = times_en.TIME_BEFORE_DAY.search(text[: item.start])
    if head and (head["minute"] or head["half"]):
        span = times_en.clock_time(head, item.span)
        if span:
            return _Found(head.start(), item.end, span, item.rule)
    return item


def _with_zone(text: str, item: _Found) -> _Found:
    if item.offset_minutes is not None:
        return item
    match = times_en.ZONE_AFTER_TIME.match(text[item.end :])
    if not match:
        return item
    minutes = times_en.ZONES[match["zone"]] + (_offset(match["shift"]) or 0)
    return _Found(item.start, item.end + match.end(), item.span, item.rule, minutes)


def _offset(zone: str | None) -> int | None:
    if not zone:
        return None
    if zone == "Z":
        return 0
    digits = zone[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return -minutes if zone.startswith("-") else minutes


def _joined(text: str, found: Sequence[_Found]) -> list[_Found]:
    """Two times with "to" between them are one range, and a time of day belongs to the day beside it."""
    joined: list[_Found] = []
    for item in found:
        if joined:
            last = joined[-1]
            between = text[last.end : item.start]
            if _hours_of_one_day(last, item, between):
                last = replace(last, span=_on_day_of(last.span, item.span), offset_minutes=item.offset_minutes)
            first, second = _same_year(text, last, item)
            if _makes_range(text, last, item, between, first, second):
                joined[-1] = _Found(last.start, item.end, (first[0], second[1]), "range", last.offset_minutes)
                continue
            if item.rule.startswith(("time of day", "named time")) and len(between) < 16 and _is_day(last):
                moved = _on_day_of(item.span, last.span)
                joined[-1] = _Found(last.start, item.end, moved, last.rule, item.offset_minutes)
                continue
        joined.append(item)
    return joined


def _hours_of_one_day(first: _Found, second: _Found, between: str) -> bool:
    """Whether a time of day and one of a told day make a range ("from 9am to 5pm on Monday")."""
    if first.rule != "time of day" or second.rule == "time of day" or _is_day(second):
        return False
    brief = second.span[1] - second.span[0] < timedelta(hours=1)
    return brief and bool(lexicon.RANGE_LINK.match(between)) and not lexicon.RANGE_AND.match(between)


def _on_day_of(time: Local, day: Local) -> Local:
    """A time of a day, moved to the day of another time."""
    start = day[0].replace(hour=0, minute=0, second=0) + (time[0] - time[0].replace(hour=0, minute=0))
    return start, start + (time[1] - time[0])


def _is_day(item: _Found) -> bool:
    return item.span[1] - item.span[0] == cal.DAY


def _same_year(text: str, first: _Found, second: _Found) -> tuple[Local, Local]:
    """The spans of both sides, the year of the one that tells it lent to the other ("1 May to 3 June 2024")."""
    told = [bool(re.search(r"\d{4}|[今去明前后]年", text[i.start : i.end])) for i in (first, second)]
    if not ({first.rule, second.rule} & _YEARLESS) or all(told):
        return first.span, second.span
    if not any(told):
        near = _in_year(second.span, first.span[0].year)
        return first.span, near if near[0] >= first.span[0] else second.span
    source, other = (first, second) if told[0] else (second, first)
    year = source.span[0].year
    moved = _in_year(other.span, year)
    if told[0] and moved[1] <= first.span[0]:
        moved = _in_year(other.span, year + 1)
    if not told[0] and moved[0] >= second.span[1]:
        moved = _in_year(other.span, year - 1)
    return (first.span, moved) if told[0] else (moved, second.span)


_YEARLESS = {"month day year", "day month year", "clear month", "month", "date", "part of month"}
_RANGES = {"range", "days of a month", "months", "days"}
_LACKS_YEAR = _YEARLESS | {"days of a month", "months", "quarter", "half year", "season", "holiday"}


def _in_year(span: Local, year: int) -> Local:
    shift = (year - span[0].year) * 12
    return cal.shift(span[0], "month", shift) or span[0], cal.shift(span[1], "month", shift) or span[1]


def _makes_range(text: str, first: _Found, second: _Found, between: str, a: Local, b: Local) -> bool:
    if not lexicon.RANGE_LINK.match(between) or a[0] >= b[1]:
        return False
    lead = text[max(0, first.start - 12) : first.start]
    if lexicon.RANGE_AND.match(between):
        after = text[second.end : second.end + 3]
        return bool(re.search(r"between\s*(?:the\s+)?$|在\s*$|介于\s*$", lead, re.IGNORECASE)) or after.startswith(
            ("之间", "期间")
        )
    return a[0] < b[0]


def _other_languages(text: str, now: datetime, *, wide: bool) -> list[_Found]:
    """What `dateparser` reads in languages without a grammar here; only a word with a month or a relative day."""
    if len(text) > 500 or not re.search(r"[^\W\d_]{3,}", text):
        return []
    from dateparser.search import search_dates  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    answers = search_dates(  # pyright: ignore[reportUnknownVariableType]
        text.replace("\x00", " "),
        settings={
            "RELATIVE_BASE": now,
            "PREFER_DATES_FROM": "past",
            "RETURN_AS_TIMEZONE_AWARE": False,
            "REQUIRE_PARTS": ["month"],
        },
    )
    found: list[_Found] = []
    for surface, at in answers or ():  # pyright: ignore[reportUnknownVariableType]
        start = text.find(surface)  # pyright: ignore[reportUnknownArgumentType]
        if start < 0 or not re.search(r"[^\W\d_]{3,}", surface):  # pyright: ignore[reportUnknownArgumentType]
            continue
        span = (
            cal.day_of(at)
            if re.search(r"\b\d{1,2}\b", surface) or not re.search(r"\d{4}", surface)
            else cal.month(at.year, at.month)
        )  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        found.append(_Found(start, start + len(surface), span, "dateparser"))  # pyright: ignore[reportUnknownArgumentType]
    return found[:1] if wide else found
