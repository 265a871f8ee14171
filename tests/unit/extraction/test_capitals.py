"""Parts of names that recall walks: runs of capitalised words."""

import pytest

from retrograph.extraction import Extractor
from retrograph.extraction.candidates import bare_key


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("The VT500 was a motorcycle that Honda Motors sold beside the Siege of Cassel.", "Cassel"),
        ("Teams of the Ministry of Agriculture of Egypt met in Lynn Township.", "Agriculture"),
        ("Her flight left from Dodge City Regional Airport.", "Dodge City Regional Airport"),
        ("张伟今天回来了。 He flew back from Dodge City with all of his luggage.", "Dodge City"),
    ],
)
def test_parts_are_runs_of_capitals_in_any_name(extractor: Extractor, text: str, part: str) -> None:
    assert part in extractor.extract(text).parts


@pytest.mark.parametrize(
    "text", ["We met in January 2019.", "However, she slept well.", "他昨天在上海开会。", "i like tea"]
)
def test_dates_and_openings_of_sentences_are_no_parts(extractor: Extractor, text: str) -> None:
    assert extractor.extract(text).parts == ()


@pytest.mark.parametrize(
    ("key", "bare"),
    [
        ("the tekezé river", "tekeze river"),
        ("aschenbrödel", "aschenbrodel"),
        ("北京", "北京"),
        ("the", "the"),
        ("パン", "パン"),
        ("한국", "한국"),
    ],
)
def test_a_bare_key_has_no_article_and_no_latin_accents(key: str, bare: str) -> None:
    assert bare_key(key) == bare
