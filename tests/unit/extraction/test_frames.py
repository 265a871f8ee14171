import pytest

from retrograph.extraction.frames import frame_key, frames, values_at_odds


def at_odds(old: str, new: str) -> bool:
    return any(values_at_odds(a, b) for a in frames(new) for b in frames(old))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The quota is 3 TB.", [("quota", "is", "3 TB")]),
        ("Finance agreed, and the quota is now 5 TB.", [("quota", "is now", "5 TB")]),
        ("The rent is 900 and the deposit is 1,800.", [("rent", "is", "900"), ("deposit", "is", "1,800")]),
        ("Since March the owner is Helen.", [("owner", "is", "Helen")]),
        ("Rita prefers Slack for alerts.", [("rita alerts", "prefers for", "Slack")]),
        ("For alerts, Rita prefers Slack.", [("rita alerts", "prefers for", "Slack")]),
        ("支付由刘洋负责。", [("支付", "由", "刘洋")]),
        ("房租每月3000元。", [("房租", "每月", "3000元")]),
        ("财务同意了，预算改为6万元。", [("预算", "改为", "6万元")]),
        ("Is the quota 3 TB?", []),
        ("It is fine.", []),
    ],
)
def test_statement_is_taken_apart_clause_by_clause(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(f.subject, f.predicate, f.value) for f in frames(text)] == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Rita prefers Slack for alerts.", "Rita prefers email for alerts."),
        ("Rita prefers tea over coffee.", "Rita prefers coffee over tea."),
        ("比起咖啡，小何更喜欢茶。", "比起茶，小何更喜欢咖啡。"),
        ("李明更喜欢用Vim写代码。", "李明更喜欢用Helix写代码。"),
        ("The parser runs Python 3.11.", "The parser runs Python 3.13."),
        ("The sync is on Tuesday.", "The sync is on Thursday."),
        ("孙浩调到了支付组。", "孙浩调到了搜索组。"),
        ("Sara is married to Tom.", "Sara is divorced."),
    ],
)
def test_two_values_of_one_thing_are_at_odds_and_share_a_key(old: str, new: str) -> None:
    assert at_odds(old, new)
    keys = [{frame_key(f) for f in frames(text)} - {""} for text in (old, new)]
    assert keys[0] & keys[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Rita prefers Slack for alerts.", "Rita prefers Slack for chat."),
        ("Rita prefers tea over coffee.", "Rita prefers juice over coffee."),
        ("Rita uses Vim for notes.", "Rita uses Emacs for notes."),
        ("The shop opens at 9 on weekdays.", "The shop opens at 10 on Sundays."),
        ("The party is loud.", "The party is fun."),
        ("My sister is Ann.", "My sister is Eva."),
        ("We shipped build 12.", "We shipped build 13."),
        ("李明喜欢用Vim写代码。", "李明喜欢用Emacs写代码。"),
    ],
)
def test_values_that_hold_together_are_not_at_odds(old: str, new: str) -> None:
    assert not at_odds(old, new)


@pytest.mark.parametrize(
    "event",
    ["The fence was mended by two men.", "Overtime was cut by 12 hours.", "The pumps were quickly replaced at 9."],
)
def test_what_was_done_is_no_value(event: str) -> None:
    assert frames(event) == ()


@pytest.mark.parametrize(
    ("state", "value"),
    [
        ("The fence was red.", "red"),
        ("The workshop was limited to 12 seats.", "limited to 12 seats"),
        ("Overtime was raised to 9 hours.", "9 hours"),
    ],
)
def test_what_was_so_is_a_value(state: str, value: str) -> None:
    assert [frame.value for frame in frames(state)] == [value]


@pytest.mark.parametrize("event", ["冷库的压缩机在2号线上坏了。", "小王在会议室里摔过。", "服务器在机房 B 里宕机了。"])
def test_what_happened_at_a_place_is_no_state(event: str) -> None:
    assert frames(event) == ()


@pytest.mark.parametrize("state", ["小王现在在上海了。", "打印机在二楼。"])
def test_where_something_is_stays_a_state(state: str) -> None:
    assert frames(state)
