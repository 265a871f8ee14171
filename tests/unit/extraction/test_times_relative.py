"""Times that are told by way of another one; the answers were decided before the reader was asked."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from retrograph.extraction.language import detect_language
from retrograph.extraction.times import query_window, read_times, validity
from retrograph.models import Language

THURSDAY = datetime(2026, 5, 14, 10, 0, tzinfo=UTC)
ZONE = ZoneInfo("UTC")

ASKED_EN = (
    ("from late April to May", "2026-04-21..2026-06-01"),
    ("mid-April to May 2025", "2025-04-11..2025-06-01"),
    ("ten days back", "2026-05-04"),
    ("the start of the week", "2026-05-11..2026-05-13"),
    ("early this month", "2026-05-01..2026-05-11"),
    ("in the first two weeks of March", "2026-03-01..2026-03-15"),
    ("before the end of April", "..2026-04-21"),
    ("the middle of last month", "2026-04-11..2026-04-21"),
    ("autumn '24", "2024-09..2024-12"),
    ("the last day of last month", "2026-04-30"),
    ("on the second Friday of the month", "2026-05-08"),
    ("from late March to early April", "2026-03-21..2026-04-11"),
    ("two summers back", "2024-06..2024-09"),
    ("in Q1 and Q2", "2026-01..2026-04"),
    ("the first Sunday after 1 May", "2026-05-03"),
    ("the nineteen-eighties", "1980..1990"),
    ("the week before last", "2026-04-27..2026-05-04"),
    ("5-9 May", "2026-05-05..2026-05-10"),
    ("the evening of last Friday", "2026-05-08T18:00..2026-05-09"),
    ("the whole first quarter", "2026-01..2026-04"),
    ("within the past week", "2026-05-07..2026-05-15"),
    ("a month and a half ago", "2026-03-14..2026-04-14"),
    ("the first working day of April", "2026-04-01"),
    ("what happened two weekends ago", "2026-05-02..2026-05-04"),
    ("three weekends ago", "2026-04-25..2026-04-27"),
    ("the first week of April: who travelled", "2026-04-01..2026-04-08"),
    ("what happened in the second week of March 2025", "2025-03-08..2025-03-15"),
    ("the last week of April", "2026-04-24..2026-05-01"),
    ("first week of last month", "2026-04-01..2026-04-08"),
    ("the summer before last", "2024-06..2024-09"),
    ("the winter before last", "2024-12..2025-03"),
    ("the March before last", "2025-03"),
    ("second half of last year", "2025-07..2026-01"),
    ("first half of next year", "2027-01..2027-07"),
    ("the second half of April", "2026-04-16..2026-05-01"),
    ("in the nineties", "1990..2000"),
    ("during the eighties", "1980..1990"),
    ("between 10 and 14 April", "2026-04-10..2026-04-15"),
    ("between April 10 and 14", "2026-04-10..2026-04-15"),
    ("between the 10th and the 14th of April", "2026-04-10..2026-04-15"),
    ("March to May 2025", "2025-03..2025-06"),
    ("between March and May 2025", "2025-03..2025-06"),
    ("Jan-Mar 2025 figures", "2025-01..2025-04"),
    ("the other day", "2026-05-09..2026-05-13"),
    ("a fortnight ago", "2026-04-27..2026-05-04"),
    ("the week of 4 May", "2026-05-04..2026-05-11"),
    ("the week of May 6th", "2026-05-04..2026-05-11"),
    ("week commencing 27 April", "2026-04-27..2026-05-04"),
    ("the week ending 8 May", "2026-05-02..2026-05-09"),
    ("early next month", "2026-06-01..2026-06-11"),
    ("sales year to date", "2026-01-01..2026-05-15"),
    ("revenue in FY2025", "2025"),
    ("revenue in fiscal year 2025", "2025"),
    ("Q1 FY26 plan", "2026-01..2026-04"),
    ("3Q25 numbers", "2025-07..2025-10"),
    ("2H25 roadmap", "2025-07..2026-01"),
    ("the H2 2025 roadmap", "2025-07..2026-01"),
    ("budget for Q3 last year", "2025-07..2025-10"),
    ("the first quarter of last year", "2025-01..2025-04"),
    ("the end of Q3 2025", "2025-09..2025-10"),
    ("the night before last", "2026-05-12T18:00..2026-05-13T06:00"),
    ("a week ago Monday", "2026-05-04"),
    ("in the last fortnight", "2026-04-30..2026-05-15"),
    ("what broke over the weekend", "2026-05-09..2026-05-11"),
    ("the first ten days of April", "2026-04-01..2026-04-11"),
    ("the first three months of 2025", "2025-01..2025-04"),
    ("the last two months of 2025", "2025-11..2026-01"),
    ("the last Friday of April", "2026-04-24"),
    ("the first Monday in May", "2026-05-04"),
    ("second Tuesday of March 2025", "2025-03-11"),
    ("the last day of February", "2026-02-28"),
    ("in March last year", "2025-03"),
    ("in May of last year", "2025-05"),
    ("on 5 March last year", "2025-03-05"),
    ("the autumn of last year", "2025-09..2025-12"),
    ("two Fridays ago", "2026-05-01"),
    ("two summers ago", "2024-06..2024-09"),
    ("in the 90s", "1990..2000"),
    ("in the 19th century", "1800..1900"),
    ("in Jan '24", "2024-01"),
    ("08-May-2025 incident", "2025-05-08"),
    ("on the morning of 4 May", "2026-05-04T05:00..2026-05-04T12:00"),
    ("two or three weeks ago", "2026-04-23..2026-05-01"),
    ("a week or two ago", "2026-04-30..2026-05-08"),
    ("what changed between Monday and Wednesday", "2026-05-11..2026-05-14"),
    ("from the 3rd to the 7th", "2026-05-03..2026-05-08"),
    ("the last working day", "2026-05-13"),
    ("from November to February", "2025-11..2026-03"),
    ("the Friday before last", "2026-05-01"),
    ("the other night", "2026-05-09..2026-05-13"),
    ("mid-2025", "2025-05-01..2025-09-01"),
    ("early in the week of 4 May", "2026-05-04..2026-05-11"),
    ("what did we agree on at the start of Q2", "2026-04-01..2026-05-01"),
    ("in the first fortnight of April", "2026-04-01..2026-04-15"),
    ("three Mondays ago", "2026-04-27"),
    ("half a year ago", "2025-10-30..2025-11-30"),
    ("the weekend before last", "2026-05-02..2026-05-04"),
    ("the quarter before last", "2025-10..2026-01"),
    ("the second quarter of last year", "2025-04..2025-07"),
    ("in the second half of 2024", "2024-07..2025-01"),
    ("late in March", "2026-03-21..2026-04-01"),
    ("in late March", "2026-03-21..2026-04-01"),
    ("the last weekend of April", "2026-04-25..2026-04-27"),
    ("last year in March", "2025-03"),
    ("last year's Q3", "2025-07..2025-10"),
    ("since the nineties", "1990-01-01.."),
    ("a couple of weekends ago", "2026-05-02..2026-05-04"),
    ("three or four days ago", "2026-05-10..2026-05-12"),
    ("2-3 months ago", "2026-02-13..2026-03-16"),
    ("this time last week", "2026-05-07"),
    ("the previous business day", "2026-05-13"),
    ("all day yesterday", "2026-05-13"),
    ("from Monday to Wednesday", "2026-05-11..2026-05-14"),
    ("on the 3rd of last month", "2026-04-03"),
    ("the 15th of April last year", "2025-04-15"),
    ("at the end of last quarter", "2026-03-01..2026-04-01"),
    ("on 4/5/2026", "2026-04-05"),
    ("in the first half of the nineties", "1990..1995"),
    ("around mid-April", "2026-04-11..2026-04-21"),
    ("this time last year", "2025-04-29..2025-05-30"),
    ("late next week", "2026-05-23..2026-05-25"),
    ("in the early 19th century", "1800-01-01..1833-05-01"),
)
ASKED_ZH = (
    ("上周的前三天", "2026-05-04..2026-05-07"),
    ("四月份头两周", "2026-04-01..2026-04-15"),
    ("这个月上旬", "2026-05-01..2026-05-11"),
    ("去年最后一天", "2025-12-31"),
    ("前天早上八点半", "2026-05-12T08:30"),
    ("三个季度前", "2025-06-30..2025-09-29"),
    ("去年七八月", "2025-07..2025-09"),
    ("上上周三", "2026-04-29"),
    ("去年夏天", "2025-06..2025-09"),
    ("今年春节", "2026-02-17..2026-02-24"),
    ("5月4号至6号", "2026-05-04..2026-05-07"),
    ("五月的第二个周末", "2026-05-09..2026-05-11"),
    ("去年11月到今年2月", "2025-11..2026-03"),
    ("大上周", "2026-04-27..2026-05-04"),
    ("上周五到本周二", "2026-05-08..2026-05-13"),
    ("4月中下旬", "2026-04-11..2026-05-01"),
    ("四月最后一个工作日", "2026-04-30"),
    ("1960至1970年代的香港", "1960..1980"),
    ("两个周末前谁来了", "2026-05-02..2026-05-04"),
    ("四月第一周谁出差", "2026-04-01..2026-04-08"),
    ("2025年3月第二周", "2025-03-08..2025-03-15"),
    ("四月最后一周", "2026-04-24..2026-05-01"),
    ("上个月第一周的会议", "2026-04-01..2026-04-08"),
    ("去年年底我们答应了什么", "2025-11-01..2026-01-01"),
    ("前年年初", "2024-01-01..2024-03-01"),
    ("今年年中", "2026-05-01..2026-09-01"),
    ("2024年年底", "2024-11-01..2025-01-01"),
    ("4月10日到14日", "2026-04-10..2026-04-15"),
    ("4月10-14日", "2026-04-10..2026-04-15"),
    ("四月十日至十四日", "2026-04-10..2026-04-15"),
    ("上个月10号到14号", "2026-04-10..2026-04-15"),
    ("春节期间谁值班", "2026-02-17..2026-02-24"),
    ("前阵子谁提到了缓存", "2026-04-02..2026-05-08"),
    ("去年四季度", "2025-10..2026-01"),
    ("2025年三季度末", "2025-09..2025-10"),
    ("本季度末", "2026-06-01..2026-07-01"),
    ("上个月下旬", "2026-04-21..2026-05-01"),
    ("去年上半年", "2025-01..2025-07"),
    ("前天晚上谁值班", "2026-05-12T18:00..2026-05-13"),
    ("上上周末", "2026-05-02..2026-05-04"),
    ("两周前的周五谁来了", "2026-05-01"),
    ("去年的今天", "2025-05-14"),
    ("年初至今", "2026-01-01.."),
    ("下个月初", "2026-06-01..2026-06-11"),
    ("2024财年的收入", "2024"),
    ("2025财年第三季度", "2025-07..2025-10"),
    ("四月第二个周一", "2026-04-13"),
    ("四月最后一个周五", "2026-04-24"),
    ("上个月最后一天", "2026-04-30"),
    ("今年头三个月", "2026-01..2026-04"),
    ("今年前三季度", "2026-01..2026-10"),
    ("去年最后三个月", "2025-10..2026-01"),
    ("四月上半月", "2026-04-01..2026-04-16"),
    ("上个月下半月", "2026-04-16..2026-05-01"),
    ("周一到周三", "2026-05-11..2026-05-14"),
    ("周一至周五谁值班", "2026-05-11..2026-05-16"),
    ("上周一到周三", "2026-05-04..2026-05-07"),
    ("两三天前", "2026-05-11..2026-05-13"),
    ("三四周前", "2026-04-16..2026-04-24"),
    ("前些天", "2026-05-09..2026-05-13"),
    ("前段时间", "2026-04-02..2026-05-08"),
    ("5月6日那一周", "2026-05-04..2026-05-11"),
    ("上个工作日", "2026-05-13"),
    ("1-3月的销售额", "2026-01..2026-04"),
    ("今年1月至4月", "2026-01..2026-05"),
    ("一到三月份", "2026-01..2026-04"),
    ("2025年1—6月", "2025-01..2025-07"),
    ("2023-2025年", "2023..2026"),
    ("十九世纪", "1800..1900"),
    ("上个夏天", "2025-06..2025-09"),
    ("昨晚八点", "2026-05-13T20:00"),
    ("教师节", "2025-09-10"),
    ("去年中秋节", "2025-10-06"),
    ("今年清明", "2026-04-05"),
    ("10号到14号", "2026-05-10..2026-05-15"),
    ("今年以来", "2026-01-01.."),
    ("最近半个月", "2026-04-29..2026-05-15"),
    ("上世纪九十年代", "1990..2000"),
    ("上周末谁值班", "2026-05-09..2026-05-11"),
    ("三个周末前", "2026-04-25..2026-04-27"),
    ("大前年年底", "2023-11-01..2024-01-01"),
    ("去年国庆期间", "2025-10-01..2025-10-08"),
    ("去年第四季度", "2025-10..2026-01"),
    ("前年下半年", "2024-07..2025-01"),
    ("五月头三天", "2026-05-01..2026-05-04"),
    ("四月的最后三天", "2026-04-28..2026-05-01"),
    ("2024年最后一个季度", "2024-10..2025-01"),
    ("上季度末", "2026-03-01..2026-04-01"),
    ("周二至周四", "2026-05-12..2026-05-15"),
    ("3月5号到8号", "2026-03-05..2026-03-09"),
    ("去年3月到5月", "2025-03..2025-06"),
    ("三月到五月", "2026-03..2026-06"),
    ("两三个月前", "2026-02-13..2026-03-16"),
    ("3到5天前", "2026-05-09..2026-05-12"),
    ("最近两三天", "2026-05-11..2026-05-15"),
    ("上个冬天", "2025-12..2026-03"),
    ("二十世纪", "1900..2000"),
    ("20世纪80年代", "1980..1990"),
    ("九十年代末", "1990..2000"),
    ("今年清明节前后", "2026-04-05"),
    ("去年除夕", "2025-01-28"),
    ("上上个月", "2026-03"),
    ("上上个周五", "2026-05-01"),
    ("前天下午三点", "2026-05-12T15:00"),
    ("四月底", "2026-04-21..2026-05-01"),
    ("本月上半月", "2026-05-01..2026-05-16"),
    ("去年同一天", "2025-05-14"),
    ("今年三月第一周", "2026-03-01..2026-03-08"),
    ("去年这个时候", "2025-04-29..2025-05-30"),
    ("去年同期的收入", "2025-04-29..2025-05-30"),
    ("二十世纪初", "1900-01-01..1933-05-01"),
)
ASKED_MIXED = (
    ("last year 的 5 月", "2025-05"),
    ("去年 5 月第二周的 sprint", "2025-05-08..2025-05-15"),
    ("5 月 4 日到 5 月 8 日谁值班", "2026-05-04..2026-05-09"),
    ("2025 年 3 月 5 日的 release", "2025-03-05"),
    ("最近 7 天的 incident", "2026-05-07..2026-05-15"),
    ("3 天前的 deploy", "2026-05-11"),
    ("2025 年第 3 季度 budget", "2025-07..2025-10"),
    ("Q3 2025 的预算", "2025-07..2025-10"),
    ("last week 的会议", "2026-05-04..2026-05-11"),
    ("去年 Q4 的 OKR", "2025-10..2026-01"),
    ("FY25 的收入", "2025"),
    ("4 月 10 日到 14 日的 sprint", "2026-04-10..2026-04-15"),
    ("the first week of April 谁出差", "2026-04-01..2026-04-08"),
    ("去年年底的 roadmap", "2025-11..2026-01"),
    ("two weekends ago 的发布", "2026-05-02..2026-05-04"),
    ("2025 年 12 月到 2026 年 2 月", "2025-12..2026-03"),
    ("过去 30 天的 PR", "2026-04-14..2026-05-15"),
    ("上个月第二周的 standup", "2026-04-08..2026-04-15"),
    ("between 10 and 14 April 的 commit", "2026-04-10..2026-04-15"),
    ("2 周前的 review", "2026-04-27..2026-05-04"),
)
TOLD_EN = (
    ("The deadline is the 1st of July.", "2026-07-01"),
    ("Payroll runs on the last working day of the month.", "2026-05-29"),
    ("It is due at midnight on Friday.", "2026-05-16..2026-05-16T01:00"),
    ("The shop is open from 9am to 5pm on Monday.", "2026-05-11T09:00..2026-05-11T17:01"),
    ("The report of last year's summer is long.", "2025-06..2025-09"),
    ("We painted it two weekends ago.", "2026-05-02..2026-05-04"),
    ("The report is due by close of business Friday.", "2026-05-15"),
    ("Send it by EOD tomorrow.", "2026-05-15"),
    ("It must be done by end of day.", "2026-05-14"),
    ("Please reply by COB.", "2026-05-14"),
    ("The invoice must be paid by end of month.", "2026-05-21..2026-06-01"),
    ("The migration must be finished by year-end.", "2026-11-01..2027-01-01"),
    ("Close the books by end of quarter.", "2026-06-01..2026-07-01"),
    ("The launch is planned for mid-June.", "2026-06-11..2026-06-21"),
    ("We will meet a week from Monday.", "2026-05-25"),
    ("It ships a week from tomorrow.", "2026-05-22"),
    ("We will paint over the weekend.", "2026-05-16..2026-05-18"),
    ("Rent is due on the last day of the month.", "2026-05-31"),
    ("Reply by 5pm on Friday.", "2026-05-15T17:00"),
    ("The audit is due in the first week of June.", "2026-06-01..2026-06-08"),
    ("We start the second Monday of next month.", "2026-06-08"),
    ("We will decide early next week.", "2026-05-18..2026-05-20"),
    ("The contract ends on the last Friday of this month.", "2026-05-29"),
    ("The demo is on the 3rd of next month.", "2026-06-03"),
    ("He left on the first day of March 2025.", "2025-03-01"),
    ("It must ship before year end.", "2026-11-01..2027-01-01"),
    ("We met at 3pm on Monday.", "2026-05-11T15:00"),
    ("The call is at 10:30 on Friday.", "2026-05-15T10:30"),
    ("Call me at 5pm. On Friday we met.", "2026-05-14T17:00;2026-05-08"),
)
TOLD_ZH = (
    ("下周末去爬山。", "2026-05-23..2026-05-25"),
    ("下个月15号交稿。", "2026-06-15"),
    ("三天后发布。", "2026-05-17"),
    ("明天上午十点半开会。", "2026-05-15T10:30"),
    ("后天下午之前提交。", "2026-05-16T12:00..2026-05-16T18:00"),
    ("下季度初启动。", "2026-07-01..2026-08-01"),
    ("季度末必须交报告。", "2026-06-01..2026-07-01"),
    ("月底前必须完成迁移。", "2026-05-21..2026-06-01"),
    ("大后天出发。", "2026-05-17"),
    ("下下周一开会。", "2026-05-25"),
    ("周五下班前提交。", "2026-05-15"),
    ("明早九点开会。", "2026-05-15T09:00"),
    ("今天天气很好。", "2026-05-14"),
    ("三月花了两千元。", "2026-03"),
    ("周五一起吃饭。", "2026-05-08"),
    ("下个月第一个周一上线。", "2026-06-01"),
    ("明晚八点发布。", "2026-05-15T20:00"),
    ("本月最后一天交房租。", "2026-05-31"),
    ("下周三下班前完成。", "2026-05-20"),
    ("下个工作日回复。", "2026-05-15"),
    ("年底前要上线。", "2026-11-01..2027-01-01"),
    ("周六福利很好。", "2026-05-09"),
)
TOLD_MIXED = (
    ("我们在 2025 年 3 月上线了 API。", "2025-03"),
    ("昨天下午 3 点 deploy 了。", "2026-05-13T15:00"),
    ("deploy 定在明天下午 3 点。", "2026-05-15T15:00"),
)


def span(label: str) -> tuple[datetime | None, datetime | None]:
    """`2026-05`, `2026-05-14`, `2026-05-14T10:00` (a minute), `from..until` with the end excluded or open."""
    if ".." in label:
        start, end = label.split("..")
        return span(start)[0] if start else None, span(end)[0] if end else None
    if re.fullmatch(r"\d{4}", label):
        return datetime(int(label), 1, 1, tzinfo=UTC), datetime(int(label) + 1, 1, 1, tzinfo=UTC)
    if re.fullmatch(r"\d{4}-\d\d", label):
        year, month = map(int, label.split("-"))
        return datetime(year, month, 1, tzinfo=UTC), datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    start = datetime.fromisoformat(label).replace(tzinfo=UTC)
    return start, start + (timedelta(minutes=1) if "T" in label else timedelta(days=1))


def told(text: str) -> list[tuple[datetime | None, datetime | None]]:
    found = read_times(text, reference=THURSDAY, timezone=ZONE, language=detect_language(text))
    return [(item.start, item.end) for item in found]


@pytest.mark.parametrize(("text", "label"), (*ASKED_EN, *ASKED_ZH, *ASKED_MIXED))
def test_window_that_a_question_asks_for_is_found(text: str, label: str) -> None:
    found = query_window(text, reference=THURSDAY, timezone=ZONE, language=detect_language(text))
    assert found is not None
    assert (found.start, found.end) == span(label)


@pytest.mark.parametrize(("text", "label"), (*TOLD_EN, *TOLD_ZH, *TOLD_MIXED))
def test_time_that_a_statement_tells_is_read(text: str, label: str) -> None:
    assert told(text) == [span(part) for part in label.split(";")]


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("我们在 2025 年 3 月 5 日上线了 API。", "2025 年 3 月 5 日"),
        ("We met in the first week of April.", "the first week of April"),
        ("昨天 deploy 失败，最近 7 天没有数据。", "最近 7 天"),
        ("It shipped in March last year.", "March last year"),
    ],
)
def test_surface_is_what_stands_in_the_text(text: str, surface: str) -> None:
    found = read_times(text, reference=THURSDAY, timezone=ZONE, language=detect_language(text))
    assert found[-1].surface == surface
    assert surface in text


@pytest.mark.parametrize(("text", "end"), [("春节放假。", "2016-02-15"), ("中秋放假。", "2015-09-28")])
def test_lunar_feast_is_read_for_the_years_of_its_table(text: str, end: str) -> None:
    early = datetime(2016, 5, 1, tzinfo=UTC)
    found = read_times(text, reference=early, timezone=ZONE, language=Language.CHINESE)
    assert [item.end for item in found] == [span(end)[0]]
    late = datetime(2090, 5, 1, tzinfo=UTC)
    assert read_times(text, reference=late, timezone=ZONE, language=Language.CHINESE) == ()


def test_range_of_days_without_a_month_lies_ahead_where_the_sentence_looks_ahead() -> None:
    assert told("We will be away from the 3rd to the 7th.") == [span("2026-06-03..2026-06-08")]
    assert told("我们将在3号到7号休假。") == [span("2026-06-03..2026-06-08")]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("The pass is valid from 10 to 20 May.", "2026-05-10..2026-05-21"),
        ("She worked here from March to May 2025.", "2025-03..2025-06"),
        ("优惠券在5月10日到20日有效。", "2026-05-10..2026-05-21"),
    ],
)
def test_range_told_in_one_piece_says_from_when_and_until_when(text: str, label: str) -> None:
    assert validity(text, reference=THURSDAY, timezone=ZONE, language=detect_language(text)) == span(label)


def test_limit_told_by_the_end_of_a_unit_ends_what_holds() -> None:
    for text, end in (
        ("The offer is valid until the end of May.", "2026-06"),
        ("It is valid until year end.", "2027-01"),
    ):
        known = validity(text, reference=THURSDAY, timezone=ZONE, language=Language.ENGLISH)
        assert known[1] == span(end)[0]


@pytest.mark.parametrize(
    "word", ["the first week of ", "between 10 and 14 ", "1 to 2 ", "一到三", "第 3 ", "去年的", "《", "last year in "]
)
def test_long_repetitions_are_answered(word: str) -> None:
    text = word * (8_000 // len(word))
    for found in read_times(text, reference=THURSDAY, timezone=ZONE, language=detect_language(text)):
        assert found.start is not None and found.end is not None
