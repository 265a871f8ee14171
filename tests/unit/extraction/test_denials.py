"""Denials, opposite states and changed numbers in forms that no relation is read from, and look-alikes."""

from datetime import UTC, datetime, timedelta

import pytest

from retrograph.extraction.conflicts import Claim, Verdict, claim_subjects, judge
from retrograph.extraction.duplicates import Statement, same_statement
from retrograph.extraction.language import detect_language
from retrograph.memory.items import identity_key

_THEN = datetime(2025, 3, 1, tzinfo=UTC)


def _claim(text: str, *, day: int = 0) -> Claim:
    at = _THEN + timedelta(days=day)
    return Claim(text, occurred_at=at, created_at=at, language=detect_language(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ingrid eats shellfish.", "Ingrid doesn't eat shellfish anymore."),
        ("Dr. Mehta takes new patients.", "Dr. Mehta isn't taking new patients."),
        ("Petra supports the merger.", "Petra opposes the merger."),
        ("Milo is interested in astronomy.", "Milo lost interest in astronomy."),
        ("Mei is crazy about durian.", "Mei hates durian these days."),
        ("Amira can't stand jazz.", "Amira likes jazz now."),
        ("The gym membership is active.", "The gym membership is inactive."),
        ("Invoice 881 is paid.", "Invoice 881 is unpaid."),
        ("The lamp is on.", "The lamp is off."),
        ("Rosa is single.", "Rosa is married to Tim."),
        ("Milestone 3 is in progress.", "Milestone 3 is done."),
        ("The backup job runs nightly.", "The backup job runs weekly."),
        ("吴磊支持合并。", "吴磊反对合并。"),
        ("孙伟迷恋钓鱼。", "孙伟厌倦了钓鱼。"),
        ("丁一讨厌数学。", "丁一现在很喜欢数学。"),
        ("老板同意加薪。", "老板不同意加薪。"),
        ("这里可以停车。", "这里禁止停车。"),
        ("档案可以搜索。", "档案不可以搜索。"),
        ("On Mondays the museum is open.", "The museum is not open on Mondays."),
        ("任务17处理中。", "任务17已完成。"),
        ("小郭喜欢 Kotlin。", "小郭讨厌 Kotlin。"),
    ],
)
def test_denial_or_opposite_state_retires_what_was_said(old: str, new: str) -> None:
    assert judge(_claim(new, day=9), _claim(old)).verdict is Verdict.SUPERSEDES
    assert judge(_claim(old), _claim(new, day=9)).verdict is Verdict.SUPERSEDED_BY
    assert set(claim_subjects((), old)) & set(claim_subjects((), new)), "they do not find one another"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The conference room seats 12 people.", "The conference room seats 20 people."),
        ("Retry the webhook at most 3 times.", "Retry the webhook at most 5 times."),
        ("Ola drinks two coffees a day.", "Ola drinks four coffees a day."),
        ("The train leaves at 08:14.", "The train leaves at 08:41."),
        ("Dinner is served at 7 pm.", "Dinner is served at 8 pm."),
        ("我每天喝两杯咖啡。", "我每天喝四杯咖啡。"),
        ("健身房早上6点开门。", "健身房早上7点开门。"),
        ("电梯能载6个人。", "电梯能载8个人。"),
    ],
)
def test_changed_number_of_what_holds_retires_the_old_one(old: str, new: str) -> None:
    assert judge(_claim(new, day=9), _claim(old)).verdict is Verdict.SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Our main database is MySQL.", "Our main database is PostgreSQL."),
        ("The mobile app uses the dark theme.", "The mobile app uses the light theme."),
        ("The flight departs from gate B12.", "The flight departs from gate C4."),
        ("Our landlord is Mr. Boyle.", "Our landlord is Ms. Grant."),
        ("The parser is written in C.", "The parser is written in Zig."),
        ("Idris works as a plumber.", "Idris works as a teacher."),
        ("解析器是用C写的。", "解析器是用Zig写的。"),
        ("前端框架是Vue。", "前端框架是React。"),
        ("我们的 CI 用的是 Jenkins。", "我们的 CI 用的是 GitLab。"),
        ("Kevin 的 manager 是 Amy。", "Kevin 的 manager 是 Lisa。"),
    ],
)
def test_another_value_of_an_attribute_retires_the_old_one(old: str, new: str) -> None:
    assert judge(_claim(new, day=9), _claim(old)).verdict is Verdict.SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Locker 3 holds 2 helmets.", "Locker 4 holds 2 helmets."),
        ("Server 3 needs fans.", "Server 4 needs fans."),
        ("The API returns 200.", "The API returns 404."),
        ("Kim ate 3 plums.", "Kim ate 5 plums."),
        ("Bea has two cats.", "Bea has two dogs."),
        ("Ann covered the pipe.", "Ann uncovered the pipe."),
        ("The form is valid.", "The formula is invalid."),
        ("We have a daily report.", "We have a monthly report."),
        ("Ines supports the new law.", "Marco opposes the new law."),
        ("Is the bridge safe?", "The bridge is unsafe."),
        ("The sync is on Tuesday.", "The sync is at 10am."),
        ("Jada dislikes Luis.", "Luis likes Jada."),
        ("One of the nodes is down.", "One of the nodes is up."),
        ("Some users are active.", "Some users are inactive."),
        ("This tool is written in C.", "That tool is written in Zig."),
        ("有的用户活跃。", "有的用户不活跃。"),
        ("端口是多少", "端口是7070。"),
        ("我们住在河边的民宿。", "我们在 2026-03-01 发布了新版。"),
        ("他能来。", "她不能来。"),
        ("Gil plays chess on Mondays.", "Gil doesn't play chess on Sundays."),
        ("3号楼有2部电梯。", "5号楼有2部电梯。"),
        ("第3章讲2个主题。", "第4章讲2个主题。"),
        ("他昨天6点出发。", "他今天7点出发。"),
        ("我昨天跑了5公里。", "我今天跑了8公里。"),
        ("南门开放。", "北门关闭。"),
        ("小何养了两只猫。", "小何养了三条鱼。"),
    ],
)
def test_look_alikes_leave_one_another_alone(old: str, new: str) -> None:
    assert judge(_claim(new, day=9), _claim(old)).verdict is Verdict.NONE


@pytest.mark.parametrize(
    ("question", "statement"), [("The bridge is safe?", "The bridge is safe."), ("他搬走了吗？", "他搬走了。")]
)
def test_question_is_not_the_statement_of_its_words(question: str, statement: str) -> None:
    assert not same_statement(Statement(question), Statement(statement), cosine=1.0)[0]
    keys = {identity_key("b", "a", speaker=None, content=text, times=()) for text in (question, statement)}
    assert len(keys) == 2
