import pytest

from retrograph.extraction.language import detect_language, pieces
from retrograph.models import Language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Petra moved to Oslo.", Language.ENGLISH),
        ("ok", Language.ENGLISH),
        ("José García works in Málaga.", Language.ENGLISH),
        ("李娜搬到了杭州。", Language.CHINESE),
        ("好", Language.CHINESE),
        ("我们把默认数据库改为PostgreSQL。", Language.CHINESE),
        ("明天的 meeting 改到 Friday 下午", Language.MIXED),
        ("Please ask 陈静 about the 报销流程.", Language.MIXED),
        ("스코프랩스는 서울에 있다", Language.OTHER),
        ("これはペンです", Language.OTHER),
        ("La reunión es el lunes con los clientes de Madrid.", Language.OTHER),
        ("Привет, как дела?", Language.OTHER),
        ("12345 !!!", Language.OTHER),
        ("", Language.OTHER),
    ],
)
def test_detect_language_by_counting_characters(text, language):
    assert detect_language(text) is language


def test_detect_language_stays_english_with_a_few_foreign_letters():
    text = "The 2018 games (Korean: 제 23 회) were held in Pyeongchang, and the stadium was new."
    assert detect_language(text) is Language.ENGLISH


@pytest.mark.parametrize(
    "text",
    ["One. Two!\n三。四；Five six seven? 八", "version 3.8.1 is out", "。。。", "a" * 9001, "no end", "中" * 9001],
)
def test_pieces_cover_every_character_but_blanks(text):
    cut = list(pieces(text))
    assert all(text[offset : offset + len(piece)] == piece for offset, piece, _ in cut)
    assert "".join(piece for _, piece, _ in cut).split() == text.split()
    assert all(len(piece) <= 4000 for _, piece, _ in cut)


def test_pieces_tell_the_leading_language_of_each_sentence():
    text = "The server is down. 我们明天修。Ask Bob about it."
    assert [(piece.strip(), chinese) for _, piece, chinese in pieces(text)] == [
        ("The server is down.", False),
        ("我们明天修。", True),
        ("Ask Bob about it.", False),
    ]


def test_pieces_leave_an_english_sentence_that_names_a_chinese_person_to_english():
    assert [chinese for *_, chinese in pieces("Please tell 张伟 that the staging server is down.")] == [False]
