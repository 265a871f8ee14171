import pytest

from retrograph.encoders import Calibration
from retrograph.retrieval.blend import Blend
from retrograph.retrieval.relevance import coverage, relevance_of
from retrograph.retrieval.topic import topic_of

CALIBRATION = Calibration(floor=0.0, ceiling=1.0)


def row(content, *, cosine=0.0, words=0.0, mass=0.0, path=(), time=0.0):
    return {
        "memory": {"id": content, "content": content},
        "raw": {"cosine": cosine, "words": words, "mass": mass},
        "terms": {"time": time},
        "path": list(path),
    }


def relevance(rows, query, *, looked=100):
    return relevance_of(rows, topic_of(query), looked=looked, calibration=CALIBRATION, blend=Blend())


@pytest.mark.parametrize(
    ("query", "holds", "beside"),
    [
        ("Which glacier feeds the river?", "The glacier feeds the river Aare.", "Yes, it does so all year."),
        ("哪条冰川流入阿勒河？", "冰川流入阿勒河。", "对，全年都是这样。"),
        ("哪条 glacier 流入阿勒河？", "这条 glacier 流入阿勒河。", "对，全年都是这样。"),
    ],
)
def test_words_in_a_memory_say_more_than_words_beside_it(query, holds, beside):
    inside, outside = relevance([row(holds, words=6.0), row(beside, words=6.0)], query)
    assert inside > 2 * outside > 0


def test_one_word_of_several_in_a_large_bank_is_chance():
    found = relevance([row("Is it lactose-free?", words=3.0)], "Which enzyme takes lactose apart in bacteria?")
    assert found[0] < 0.2


def test_likeness_that_many_unrelated_texts_reach_is_chance():
    alone, among_many = (relevance([row("x", cosine=0.45)], "y", looked=looked)[0] for looked in (1, 100))
    assert alone > 0.3
    assert among_many == 0


def test_a_path_from_a_name_of_the_query_says_that_it_bears_on_it():
    path = [{"is_memory": False, "id": "Aare"}, {"is_memory": True, "id": "x"}]
    assert relevance([row("x", mass=1.0, path=path)], "What of the Aare?")[0] >= 0.8


def test_coverage_counts_stems_and_pairs_of_characters():
    assert coverage({"deploy", "gateway"}, "We deployed it.") == 0.5
    assert coverage({"冰川", "河流"}, "冰川很大") == 0.5
    assert coverage(set(), "anything") == 0


@pytest.mark.parametrize(
    ("query", "content"), [("the", "The bell rang."), ("的", "他的猫"), ("what is it", "What is it?")]
)
def test_words_that_only_ask_say_nothing(query, content):
    assert relevance([row(content, words=5.0)], query) == [0.0]


def test_a_saying_of_such_words_says_all():
    assert relevance([row("He asked: to be or not to be?")], "To be or not to be")[0] >= 0.8
    assert relevance([row("It is to be, or it is not.")], "To be or not to be")[0] == 0


@pytest.mark.parametrize(
    ("query", "speaker"), [("What did Marta say?", "Marta"), ("Marta 说了什么", "Marta"), ("李娜说过什么？", "李娜")]
)
def test_what_somebody_said_is_the_answer_to_what_they_said(query, speaker):
    said, other = row("I will bring the tent."), row("The stove is mine.")
    said["memory"]["speaker"], other["memory"]["speaker"] = speaker, "Ole"
    found = relevance([said, other], query)
    assert found[0] >= 0.8
    assert found[1] == 0


def test_politeness_lessens_nothing():
    plain, polite = (
        relevance([row("Two beehives were moved.", words=3.0)], query)[0]
        for query in ("beehives", "Hi! Could you please remind me what I should know about beehives? Thanks")
    )
    assert plain == polite
