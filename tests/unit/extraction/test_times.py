import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograph.extraction.language import detect_language
from retrograph.extraction.times import query_window, read_times, recency_cue, validity
from retrograph.models import Language, TimeSpan

WEDNESDAY = datetime(2026, 3, 18, 10, 30, tzinfo=UTC)
ZONE = ZoneInfo("UTC")
SHANGHAI = ZoneInfo("Asia/Shanghai")
ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "extraction" / "times.jsonl").read_text("utf-8").splitlines()
]


def read(text: str, *, reference: datetime = WEDNESDAY, zone: ZoneInfo = ZONE) -> tuple[TimeSpan, ...]:
    return read_times(text, reference=reference, timezone=zone, language=detect_language(text))


def window(text: str, *, reference: datetime = WEDNESDAY, zone: ZoneInfo = ZONE) -> TimeSpan | None:
    return query_window(text, reference=reference, timezone=zone, language=detect_language(text))


def day(label: str) -> datetime:
    return datetime.fromisoformat(label).replace(tzinfo=UTC)


def span(label: str) -> tuple[datetime, datetime]:
    if re.fullmatch(r"\d{4}", label):
        return day(f"{label}-01-01"), day(f"{int(label) + 1}-01-01")
    if re.fullmatch(r"\d{4}-\d\d", label):
        year, month = map(int, label.split("-"))
        return day(f"{label}-01"), datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    return day(label), day(label) + (timedelta(minutes=1) if "T" in label else timedelta(days=1))


def answer(row: dict[str, str]) -> bool:
    known = {"reference": WEDNESDAY, "timezone": ZONE, "language": detect_language(row["text"])}
    label = row["expected"]
    wanted: tuple[datetime | None, datetime | None] | None = None
    if ".." in label:
        start, end = label.split("..")
        wanted = (span(start)[0] if start else None, span(end)[0] if end else None)
    elif label != "none":
        wanted = span(label)
    if row["mode"] == "read":
        return [(s.start, s.end) for s in read_times(row["text"], **known)] == ([wanted] if wanted else [])
    if row["mode"] == "valid":
        return validity(row["text"], **known) == wanted
    found = query_window(row["text"], **known)
    return (None if found is None else (found.start, found.end)) == wanted


@pytest.mark.parametrize(("split", "least"), [("dev", 0.98), ("test", 0.9)])
def test_labelled_set_reaches_the_goals(split: str, least: float) -> None:
    rows = [row for row in ROWS if row["split"] == split]
    wrong = [row["text"] for row in rows if not answer(row)]
    assert 1 - len(wrong) / len(rows) >= least, wrong


@pytest.mark.parametrize(
    "text",
    [
        "The scraper listens on port 9154.",
        "we mail it",
        "May I? She may. They march.",
        "Version 2.3.4 on 10.0.0.12 costs $2025.",
        "We served 2024 requests in 2025 ms.",
        "Ticket OPS-2024, line 2019, page 1999.",
        "端口是2024，预算是2000万。",
        "一起吃饭吧，一共三个人。",
        "Every Monday at 10:00 and every 5 minutes.",
        "每周一上午九点开例会。",
    ],
)
def test_what_is_no_date_is_not_read(text: str) -> None:
    assert read(text) == ()


def test_weekday_lies_behind_unless_the_sentence_looks_ahead() -> None:
    assert read("We met on Friday.")[0].start == day("2026-03-13")
    assert read("We will meet on Friday.")[0].start == day("2026-03-20")
    assert read("周五我们开了会。")[0].start == day("2026-03-13")
    assert read("周五我们要上线。")[0].start == day("2026-03-20")


def test_day_begins_at_midnight_of_the_callers_zone() -> None:
    late = datetime(2026, 3, 18, 17, 0, tzinfo=UTC)  # the 19th, one o'clock, in Shanghai
    assert read("昨天上线了。", reference=late, zone=SHANGHAI)[0].start == datetime(2026, 3, 17, 16, 0, tzinfo=UTC)
    assert read("Shipped yesterday.", reference=late)[0].start == day("2026-03-17")


def test_time_with_a_zone_is_read_in_that_zone() -> None:
    assert read("It began 2026-04-02T09:15:00+08:00.")[0].start == day("2026-04-02T01:15")
    assert read("It began 2026-04-02T09:15:00.", zone=SHANGHAI)[0].start == day("2026-04-02T01:15")
    assert read("The call is tomorrow at 3pm CET.")[0].start == day("2026-03-19T14:00")


def test_every_time_of_a_text_is_read_in_order() -> None:
    found = read("Hired on 2025-03-01, promoted last month, leaving tomorrow.")
    assert [s.start for s in found] == [day("2025-03-01"), day("2026-02-01"), day("2026-03-19")]
    assert [s.surface for s in found] == ["2025-03-01", "last month", "tomorrow"]


def test_range_without_year_takes_the_year_of_its_other_side() -> None:
    assert (read("Open from 28 December to 3 January 2026.")[0].start) == day("2025-12-28")
    assert (read("2024年3月到5月在上海。")[0].end) == day("2024-06-01")


def test_month_end_and_leap_day_are_kept() -> None:
    leap = datetime(2024, 2, 29, 12, tzinfo=UTC)
    assert read("Signed a year ago.", reference=leap)[0].start == day("2023-02-28")
    assert read("Signed a month ago.", reference=datetime(2026, 3, 31, tzinfo=UTC))[0].start == day("2026-02-28")


def test_two_weeks_ago_is_a_day_when_told_and_a_week_when_asked() -> None:
    told, asked = read("We met two weeks ago.")[0], window("what happened two weeks ago")
    assert told.end - told.start == timedelta(days=1)  # pyright: ignore[reportOperatorIssue, reportOptionalOperand]
    assert asked is not None
    assert asked.start == told.start - timedelta(days=3)  # pyright: ignore[reportOptionalOperand]


def test_window_open_on_one_side() -> None:
    since, before = window("what changed since January"), window("decisions before 2024")
    assert since is not None and (since.start, since.end) == (day("2026-01-01"), None)
    assert before is not None and (before.start, before.end) == (None, day("2024-01-01"))


def test_question_without_time_has_no_window() -> None:
    assert window("who owns the billing service") is None
    assert window("支付模块谁负责") is None


def test_validity_is_open_where_the_text_does_not_say() -> None:
    known = {"reference": WEDNESDAY, "timezone": ZONE, "language": Language.ENGLISH}
    assert validity("Marek owns the search service.", **known) == (None, None)
    assert validity("Marek has owned it since 2020.", **known) == (day("2020-01-01"), None)
    assert validity("The discount is valid until Friday.", **known) == (None, day("2026-03-21"))


def test_event_with_a_range_in_the_past_has_no_validity() -> None:
    known = {"reference": WEDNESDAY, "timezone": ZONE, "language": Language.ENGLISH}
    assert validity("Sales grew from March 3 to March 5.", **known) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "the last time we deployed",
        "most recent decision",
        "最近怎么样",
        "上次我们聊了什么",
        "latest status",
        "What's new with Petra?",
        "any updates on the migration",
        "catch me up",
        "有什么新进展吗",
        "小李近况如何",
        "web07 有啥新情况",
    ],
)
def test_recency_cue_is_seen(text: str) -> None:
    assert recency_cue(text)


@pytest.mark.parametrize(
    "text", ["who owns billing", "the lasting effect", "支付模块谁负责", "a new kettle", "新机房在哪"]
)
def test_recency_cue_is_not_invented(text: str) -> None:
    assert not recency_cue(text)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("notes from enero 2024", "2024-01"),
        ("Besprechung am 3. März 2025", "2025-03-03"),
        ("réunion du 3 mars 2025", "2025-03-03"),
        ("qué hice ayer", "2026-03-17"),
        ("la settimana scorsa", "2026-03-09"),
        ("на прошлой неделе", "2026-03-09"),
        ("vor 5 Tagen", "2026-03-13"),
    ],
)
def test_window_of_a_further_language_is_read(text: str, label: str) -> None:
    found = window(text)
    assert found is not None
    assert found.start == span(label)[0]


@pytest.mark.parametrize("text", ["the mars rover", "mai tai and mayo", "an april fool", "hoyt and ierik"])
def test_words_that_are_months_elsewhere_are_no_dates_without_a_year(text: str) -> None:
    assert window(text) is None


def test_other_languages_are_read_where_they_can_be() -> None:
    found = read_times("Мы встретились 5 марта 2024 года.", reference=WEDNESDAY, timezone=ZONE, language=Language.OTHER)
    assert [s.start for s in found] == [day("2024-03-05")]


@settings(deadline=None)
@given(st.text(max_size=200), st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)))
def test_any_text_and_reference_is_answered(text: str, at: datetime) -> None:
    reference = at.replace(tzinfo=UTC)
    for found in read_times(text, reference=reference, timezone=ZONE, language=Language.ENGLISH):
        assert found.start is not None and found.end is not None
    query_window(text, reference=reference, timezone=ZONE, language=Language.ENGLISH)


_PIECES = (
    "last next this two 3 weeks days ago since until from to March 2024 Monday at 3pm in on 2026-03-01 / - "
    "上周 三 天前 去年 月 5 号 初 底 年"
).split()


@settings(deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=8), st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)))
def test_any_mixture_of_time_words_is_answered_with_ordered_spans(pieces: list[str], at: datetime) -> None:
    text = " ".join(pieces)
    for found in read_times(text, reference=at.replace(tzinfo=UTC), timezone=SHANGHAI, language=detect_language(text)):
        assert found.start is not None and found.end is not None
        assert found.start <= found.end


@pytest.mark.parametrize(
    "text",
    [
        "Set retries to 2024.",
        "A batch of 2048 rows.",
        "The Monday.com board is shared.",
        "We read the Sunday Herald.",
        "The Q3 chip is fast.",
        "五一路堵车。",
        "今日头条是一个应用。",
        "五月天开演唱会。",
        "小周末尾发言。",
        "座位是12排8号。",
    ],
)
def test_no_time_is_read_from_names_and_amounts_with_its_words(text: str) -> None:
    assert read_times(text, reference=WEDNESDAY, timezone=ZONE, language=detect_language(text)) == ()


@pytest.mark.parametrize("text", ["The price rose in 2023.", "On Friday Magda left.", "五一放假。", "今日发布新版。"])
def test_time_beside_a_name_or_an_amount_is_still_read(text: str) -> None:
    assert read_times(text, reference=WEDNESDAY, timezone=ZONE, language=detect_language(text))
