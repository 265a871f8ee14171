"""The demo over fakes; tests/e2e runs it for real."""

import re

import pytest

from retrograph.cli.demo_story import QUESTIONS, story


def test_demo_installs_where_need_be_tells_the_story_and_asks(shell):
    shell.engine.installed = False
    assert shell("demo", "--json") == 0
    assert shell.engine.fetched
    [memory] = shell.memories
    assert memory.settings.bank == "demo"
    assert [name for name, _ in memory.calls] == ["warm", "ingest", *["search"] * len(QUESTIONS)]
    assert memory.calls[1][1]["turns"] == story()
    assert len(shell.json["questions"]) == len(QUESTIONS)
    assert shell.json["browser"].startswith("http://127.0.0.1:2/browser/")
    assert "GPLv3" in shell.err


def test_demo_prints_answers_with_their_path(shell):
    assert shell("demo", "--bank", "mine") == 0
    for question in QUESTIONS:
        assert question.text in shell.out
    assert "“Ada leads Heron” ─MENTIONS→ [Ada]" in shell.out
    assert "http://127.0.0.1:2/browser/" in shell.out
    assert '{bank: "demo"}' in shell.out
    assert not shell.engine.fetched


def test_demo_at_a_given_database_leaves_the_local_engine_alone(shell):
    shell.engine.installed = False
    assert shell("demo", "--set", "uri=bolt://db.example") == 0
    assert not shell.engine.fetched
    assert "open Neo4j Browser at your database" in shell.out


def test_the_story_is_long_enough_bilingual_dated_and_has_distinct_ids():
    turns = story()
    assert len(turns) >= 14
    assert len({turn.id for turn in turns}) == len(turns)
    assert all(turn.occurred_at and turn.speaker and turn.session for turn in turns)
    kinds = [(bool(re.search(r"[一-鿿]", t.content)), bool(re.search(r"[A-Za-z]{3}", t.content))) for t in turns]
    assert {(False, True), (True, False), (True, True)} <= set(kinds)


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.by_links], ids=lambda q: q.text)
def test_questions_answered_by_links_share_no_word_with_the_answer(question):
    def words(text: str) -> set[str]:
        return set(re.findall(r"[a-z0-9]+|[一-鿿]", text.lower()))

    assert question.answer in [turn.content for turn in story()]
    assert not words(question.text) & words(question.answer)


def test_every_language_has_a_question_answered_by_links():
    texts = [question.text for question in QUESTIONS if question.by_links]
    assert any(re.search(r"[一-鿿]", text) for text in texts)
    assert any(text.isascii() for text in texts)
