"""Words of near names: whatever may be one shares a word, and a name costs few of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrograph.extraction import entity_key, near_names
from retrograph.memory.near import near_words

_NEAR = [
    ("스코프랩스", "스코프 랩스"),
    ("Scope Labs", "ScopeLabs"),
    ("Café Miller", "Cafe Miller"),
    ("Initech", "Initech GmbH"),
    ("腾云科技", "腾云科技有限公司"),
    ("Anna Lee", "Anna Lee Fischer"),
    ("Lee Fischer", "Anna Lee Fischer"),
    ("ALF", "Anna Lee Fischer"),
    ("Maria", "Mario"),
    ("Kubernetes", "Kubernets"),
    ("北京大学", "北京大学医学部"),
    ("科技大学", "华中科技大学"),
]


@pytest.mark.parametrize(("a", "b"), _NEAR)
def test_near_names_share_a_word(a: str, b: str) -> None:
    assert near_names(a, b) is not None
    assert set(near_words("bank", entity_key(a))) & set(near_words("bank", entity_key(b)))


@pytest.mark.parametrize(("a", "b"), [("Paris", "Madrid"), ("张伟", "李娜"), ("Room 101", "Kitchen")])
def test_unlike_names_share_none(a: str, b: str) -> None:
    assert not set(near_words("bank", entity_key(a))) & set(near_words("bank", entity_key(b)))


def test_words_of_two_banks_never_meet() -> None:
    assert not set(near_words("a", "atlas")) & set(near_words("b", "atlas"))


@given(st.text(min_size=1, max_size=40))
def test_every_name_has_a_few_plain_words(name: str) -> None:
    words = near_words("bank", entity_key(name))
    assert 1 <= len(words) <= 6
    assert all(word[0] == "n" and word[1:].isdigit() for word in words)


@given(st.text(min_size=1, max_size=20), st.sampled_from([" ", "  ", "-"]))
def test_spacing_alone_always_shares_a_word(name: str, gap: str) -> None:
    spaced = gap.join(name)
    if near_names(name, spaced) is not None:
        assert set(near_words("b", entity_key(name))) & set(near_words("b", entity_key(spaced)))
