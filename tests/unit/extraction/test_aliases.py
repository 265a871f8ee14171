"""Names declared to be one, in phrasings of many kinds, and what only sounds like it."""

import pytest

from retrograph.extraction.keys import aliases_in


@pytest.mark.parametrize(
    ("text", "alias", "name"),
    [
        ("We refer to Alexandra Stein as Lexi.", "Lexi", "Alexandra Stein"),
        ("William Turner prefers to be called Bill.", "Bill", "William Turner"),
        ("Mindtrail used to be called Notepipe.", "Notepipe", "Mindtrail"),
        ("By Gus I mean August Meyer.", "Gus", "August Meyer"),
        ("Robert Chen's nickname at work is Bobby.", "Bobby", "Robert Chen"),
        ("Our nickname for Robert Chen is Bobby.", "Bobby", "Robert Chen"),
        ("Harbor Gateway is codenamed Falcon.", "Falcon", "Harbor Gateway"),
        ("Falcon is the code name of Harbor Gateway.", "Falcon", "Harbor Gateway"),
        ("阿强其实就是陈志强。", "阿强", "陈志强"),
        ("大家都叫王建国老王。", "老王", "王建国"),
        ("支付网关的代号是猎鹰。", "猎鹰", "支付网关"),
        ("梁京是张爱玲的笔名。", "梁京", "张爱玲"),
        ("K8s 是 Kubernetes 的缩写。", "K8s", "Kubernetes"),
        ("Robert Chen 的昵称是 Bob。", "Bob", "Robert Chen"),
    ],
)
def test_alias_is_read_from_its_declaration(text: str, alias: str, name: str) -> None:
    assert aliases_in(text) == [(alias, name)]


@pytest.mark.parametrize(
    "text",
    [
        "Ann refers to Bob as needed.",
        "By Monday I mean business.",
        "Tim prefers to be called by his manager.",
        "Gloria used to be called every day.",
        "Falcon is the best code name.",
        "老师就是王老师。",
        "老板就是李总。",
        "老问题就是没钱。",
        "我们叫李明回来。",
        "大家都叫外卖。",
        "他代号不详。",
        "小李也就是说说。",
    ],
)
def test_no_alias_is_read_where_none_is_declared(text: str) -> None:
    assert aliases_in(text) == []
