import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograph.extraction.duplicates import (
    Statement,
    content_hash,
    is_similar,
    normalise,
    novelty_against,
    polarity,
    same_statement,
    signature,
)
from retrograph.extraction.language import detect_language
from retrograph.models import TimeSpan

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "extraction" / "pairs.jsonl").read_text("utf-8").splitlines()
]


def said(text: str, **options: object) -> Statement:
    return Statement(text, detect_language(text), **options)  # pyright: ignore[reportArgumentType]


def merges(a: str, b: str, cosine: float = 0.99) -> bool:
    return same_statement(said(a), said(b), cosine=cosine)[0]


def on(day: int) -> TimeSpan:
    start = datetime(2026, 3, day, tzinfo=UTC)
    return TimeSpan(start, start + timedelta(days=1), "yesterday")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Petra moved to Oslo.", "petra  moved to oslo"),
        ("“Use tabs”", '"use tabs"'),
        ("用 Python 写脚本", "用Python写脚本。"),
        ("ＡＢＣ１２３", "abc123"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_normalise_folds_what_is_no_difference(a: str, b: str) -> None:
    assert normalise(a) == normalise(b)


@pytest.mark.parametrize(
    ("a", "b"), [("3.5", "35"), ("v1.2", "v12"), ("c++", "c"), ("C#", "C"), ("-5", "5"), ("a/b", "a b"), ("5%", "5")]
)
def test_normalise_keeps_what_is_one(a: str, b: str) -> None:
    assert normalise(a) != normalise(b)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_normalise_is_idempotent(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_hash_is_equal_for_equal_words_on_equal_dates() -> None:
    assert content_hash("Petra moved to Oslo.") == content_hash("petra moved to Oslo")
    assert content_hash("It rained yesterday", times=[on(1)]) == content_hash("it rained yesterday.", times=[on(1)])
    assert content_hash("It rained yesterday", times=[on(1)]) != content_hash("It rained yesterday", times=[on(2)])
    assert content_hash("!!!") != content_hash("???")


@pytest.mark.parametrize("cosine", [0.95, 0.97, 0.99, 1.0])
def test_no_pair_with_another_meaning_merges_at_any_cosine(cosine: float) -> None:
    wrong = [
        (row["a"], row["b"])
        for row in ROWS
        if row["kind"] != "paraphrase" and (merges(row["a"], row["b"], cosine) or merges(row["b"], row["a"], cosine))
    ]
    assert not wrong


def test_most_paraphrases_are_merged_or_similar_at_a_high_cosine() -> None:
    rows = [row for row in ROWS if row["kind"] == "paraphrase"]
    found = sum(
        merges(row["a"], row["b"]) or is_similar(said(row["a"]), said(row["b"]), cosine=0.97)[0] for row in rows
    )
    assert found / len(rows) >= 0.9


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Petra moved to Oslo.", "Petra relocated to Oslo."),
        ("The live database runs on alpha.", "The live db is running on alpha."),
        ("Farid doesn't like tea.", "Farid dislikes tea."),
        ("On Monday we ship.", "We ship on Monday."),
        ("The budget is 80k.", "The budget is 80,000."),
        ("预算是八万元。", "预算为80,000元。"),
        ("她住在杭州。", "她居住在杭州。"),
    ],
)
def test_paraphrase_merges(a: str, b: str) -> None:
    assert merges(a, b)
    assert merges(b, a)


@pytest.mark.parametrize(
    ("a", "b", "because"),
    [
        ("Farid likes mint tea.", "Farid does not like mint tea.", "negated"),
        ("The budget is 80,000.", "The budget is 130,000.", "numbers"),
        ("Maria lives in Madrid.", "Mario lives in Madrid.", "names"),
        ("The job runs on staging.", "The job runs on staging-2.", "names"),
        ("Tao loves noodles.", "Tao hates noodles.", "opposites"),
        ("Alice manages Bob.", "Bob manages Alice.", "order"),
        ("The team works remotely.", "The team worked remotely.", "words"),
        ("张伟负责支付。", "张伟明负责支付。", "words"),
        ("他对花生过敏。", "他对花生不过敏。", "negated"),
        ("Ines works there.", "Ines doesn't work there anymore.", "negated"),
    ],
)
def test_another_meaning_does_not_merge_and_says_why(a: str, b: str, because: str) -> None:
    merged, reason = same_statement(said(a), said(b), cosine=1.0)
    assert not merged
    assert because in reason


def test_cosine_is_necessary() -> None:
    assert not merges("Petra moved to Oslo.", "Petra relocated to Oslo.", cosine=0.94)


def test_equal_words_on_other_dates_do_not_merge() -> None:
    a, b = said("It rained yesterday.", times=(on(1),)), said("It rained yesterday.", times=(on(2),))
    assert same_statement(a, b, cosine=1.0) == (False, "the same words about different dates")
    assert same_statement(a, a, cosine=1.0)[0]


def test_different_known_entities_do_not_merge() -> None:
    a = said("the service is slow today", entities=frozenset({"orders"}))
    b = said("The service is slow today really", entities=frozenset({"billing"}))
    assert "entities" in same_statement(a, b, cosine=1.0)[1]


def test_similar_needs_cosine_and_nothing_at_odds() -> None:
    a, b = said("We fixed the leak by closing the connection."), said("The leak was fixed by closing the connection.")
    assert is_similar(a, b, cosine=0.96)[0]
    assert not is_similar(a, b, cosine=0.80)[0]
    assert not is_similar(said("Farid likes tea."), said("Farid does not like tea."), cosine=0.99)[0]


def test_novelty_falls_with_likeness_but_not_for_changed_facts() -> None:
    told = said("Petra moved to Oslo.")
    assert novelty_against(told, None, cosine=0.0) == 1.0
    assert novelty_against(told, told, cosine=1.0) == 0.0
    near = novelty_against(said("Petra has moved to Oslo for good."), told, cosine=0.97)
    nearer = novelty_against(said("Petra has moved to Oslo for good."), told, cosine=0.99)
    assert 0.0 < nearer < near < 1.0
    assert novelty_against(said("The budget is 80,000."), said("The budget is 130,000."), cosine=0.99) == 1.0


def test_signature_reads_numbers_in_words_and_figures() -> None:
    assert signature("two nodes").numbers == signature("2 nodes").numbers == ("2",)
    assert signature("三台服务器").numbers == ("3",)


def test_polarity_counts_negations() -> None:
    assert polarity("Farid likes tea.")
    assert not polarity("Farid never drinks tea.")
    assert polarity("这个方案不错。")
    assert not polarity("他不喝茶。")


@settings(deadline=None)
@given(st.text(max_size=120), st.text(max_size=120))
def test_same_statement_is_symmetric(a: str, b: str) -> None:
    assert merges(a, b) == merges(b, a)


@settings(deadline=None)
@given(st.text(max_size=120))
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert merges(text, text)
