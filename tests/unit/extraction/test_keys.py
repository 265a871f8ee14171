import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrograph.extraction.keys import aliases_in, entity_key, near_names


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("OpenAI ", "openai"),
        ("“OpenAI”", "OpenAI"),
        ("ＯｐｅｎＡＩ", "OpenAI"),
        ("Check-Out_Service", "check out service"),
        ("O’Brien", "O'Brien"),
        ("《三体》", "三体"),
        ("北 京", "北京"),
        ("Acme, Inc.", "Acme Inc"),
    ],
)
def test_entity_key_folds_case_width_spaces_and_decoration(a, b):
    assert entity_key(a) == entity_key(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Room 101", "Room 102"),
        ("staging", "staging-2"),
        ("Maria", "Mario"),
        ("Austria", "Australia"),
        ("Anna Lee", "Hanna Lee"),
        ("张伟", "张伟明"),
        ("C++", "C#"),
        ("C", "C++"),
        (".env", "env"),
        ("10.0.0.1", "10.0.01"),
        ("台灣", "台湾"),
        ("스코프랩스", "스코프 랩스"),
        ("!!!", "???"),
        ("José", "Jose"),
    ],
)
def test_entity_key_keeps_different_names_apart(a, b):
    assert entity_key(a) != entity_key(b)


@given(st.text(min_size=1))
def test_entity_key_is_never_empty_for_a_non_empty_name(name):
    assert entity_key(name)


@given(st.text())
def test_entity_key_is_idempotent(name):
    assert entity_key(entity_key(name)) == entity_key(name)


@pytest.mark.parametrize(
    ("a", "b", "evidence"),
    [
        ("OpenAI", "Open AI", "spacing"),
        ("스코프랩스", "스코프 랩스", "spacing"),
        ("José", "Jose", "accents"),
        ("Acme", "Acme Inc.", "company form"),
        ("腾讯", "腾讯公司", "company form"),
        ("IBM", "International Business Machines", "initials"),
        ("Robert", "Robert Chen", "part of"),
        ("阿里", "阿里巴巴", "part of"),
    ],
)
def test_near_names_proposes_a_candidate_with_evidence(a, b, evidence):
    for likeness in (near_names(a, b), near_names(b, a)):
        assert likeness is not None
        assert evidence in likeness.evidence
        assert 0.5 <= likeness.confidence < 1


@pytest.mark.parametrize(("a", "b"), [("Maria", "Mario"), ("Austria", "Australia"), ("Anna Lee", "Hanna Lee")])
def test_near_names_stays_doubtful_for_names_that_only_look_alike(a, b):
    likeness = near_names(a, b)
    assert likeness is not None
    assert likeness.confidence < 0.5


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Room 101", "Room 102"),
        ("staging", "staging-2"),
        ("张伟", "张伟明"),
        ("prod", "staging"),
        ("OpenAI", "openai"),
        ("v1.2", "v1.3"),
    ],
)
def test_near_names_gives_nothing_for_other_numbers_other_names_or_the_same_key(a, b):
    assert near_names(a, b) is None


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Bob is Robert Chen's nickname.", [("Bob", "Robert Chen")]),
        ("Maria's nickname is Mimi.", [("Mimi", "Maria")]),
        ("International Business Machines (aka IBM) won.", [("IBM", "International Business Machines")]),
        ("The chess club, also known as Rookies, meets on Friday.", [("Rookies", "chess club")]),
        ("We moved to the data platform, also known as DataHub.", [("DataHub", "data platform")]),
        ("checkout-service (a.k.a. cart-api) is down.", [("cart-api", "checkout-service")]),
        ("Robert Chen, or Bob for short, left.", [("Bob", "Robert Chen")]),
        ("阿里巴巴（简称阿里）的总部位于杭州。", [("阿里", "阿里巴巴")]),
        ("北京大学又名北大。", [("北大", "北京大学")]),
        ("小宝是王小明的小名。", [("小宝", "王小明")]),
        ("王小明的英文名是Kevin。", [("Kevin", "王小明")]),
        ("He is known as the best.", []),
        ("这家公司又名什么？", []),
        ("Petra moved to Oslo.", []),
        ("", []),
    ],
)
def test_aliases_in_reads_what_a_text_declares(text, pairs):
    assert aliases_in(text) == pairs


@pytest.mark.parametrize(
    ("text", "alias", "name"),
    [
        ("Kat's real name is Katherine Holm.", "Kat", "Katherine Holm"),
        ("Kat, whose full name is Katherine Holm, called.", "Kat", "Katherine Holm"),
        ("Katherine Holm is known as Kat.", "Kat", "Katherine Holm"),
        ("Katherine Holm a.k.a. Kat called.", "Kat", "Katherine Holm"),
        ("ODT stands for Ostra Data Tools.", "ODT", "Ostra Data Tools"),
        ("Ostra Data Tools (ODT) shipped.", "ODT", "Ostra Data Tools"),
        ("Blanko is now called Ostra.", "Blanko", "Ostra"),
        ("Kat and Katherine Holm are the same person.", "Kat", "Katherine Holm"),
        ("奥数的全称是奥斯特拉公司。", "奥数", "奥斯特拉公司"),
        ("布兰科改名为奥数。", "布兰科", "奥数"),
        ("小卡和林卡塔是同一个人。", "小卡", "林卡塔"),
        ("我们管林卡塔叫小卡。", "小卡", "林卡塔"),
    ],
)
def test_alias_is_read_in_many_phrasings(text: str, alias: str, name: str) -> None:
    assert (alias, name) in aliases_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "Kat is known for her jam.",
        "We call Kat Monday.",
        "Oslo (NO) is cold.",
        "The file was renamed to main.py.",
        "大家都叫他小卡。",
        "小卡是林卡塔的妹妹。",
    ],
)
def test_phrasing_that_only_looks_like_an_alias_gives_none(text: str) -> None:
    assert aliases_in(text) == []
