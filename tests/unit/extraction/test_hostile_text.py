"""Texts that nobody writes on purpose: nothing raises, no entity without a key, no pronoun or common word as a hub."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from retrograph.extraction import Extractor, aliases_in, detect_language, entity_key, is_generic
from retrograph.extraction.candidates import candidate_keys
from retrograph.extraction.conflicts import Claim, claim_subjects, judge
from retrograph.extraction.duplicates import content_hash, signature
from retrograph.extraction.frames import frames
from retrograph.extraction.gate import score_gate
from retrograph.extraction.identifiers import identifiers
from retrograph.extraction.safety import screen
from retrograph.extraction.times import read_times, validity
from retrograph.settings import GateSettings, SafetySettings

NOW = datetime(2026, 3, 18, tzinfo=UTC)
UNITS = {
    "nothing": "",
    "white": " \t\r\n\u3000\u00a0",
    "invisible": "\u200b\u202e\u2060\ufeff",
    "emoji": "🚀👩‍👩‍👧🏽‍ 🇳🇴 ",
    "arabic": "محمد علي يعيش في القاهرة ‏،؟ ",
    "hebrew": "דנה גרה בחיפה. ",
    "korean": "오로라 랩은 결제 도구를 만든다. ",
    "japanese": "田中さんは東京に住んでいます。",
    "thai": "สมชายอยู่ที่เชียงใหม่",
    "combining": "Zo\u0308e\u0301 Q\u0323\u0307 ",
    "unpunctuated": "小王在上海机房部署了数据库然后去开会回来以后又说要改成北京",
    "mixed": "我们用Docker部署checkout-service到prod-1，OK；it broke again。",
    "code": "def f(x): return {'a': x[0]} if x else None  # TODO\n",
    "json": '{"id": 7, "user": {"name": "it", "tags": ["a", "b"]}, "at": "2026-03-01T10:00:00Z"}\n',
    "log": "2026-03-01 10:00:00,123 ERROR [main] com.acme.Foo - Connection to 10.0.0.1:5432 refused\n",
    "trace": 'Traceback (most recent call last):\n  File "/srv/a.py", line 12, in run\nValueError: bad\n',
    "table": "| name | port |\n|:---|---:|\n| 由 | 9188 |\n",
    "dashes": "a-b-c-d-", "dots": "a.b.c.", "slashes": "/a/b\\c", "quotes": "'\"“‘`", "open": "([{（《",
    "signs": "<>=~^|&%$#@*+",
    "one letter": "x", "digits": "1234567890", "hex": "deadbeef01", "base64": "QUJDREVGR0hJSktMTU5PUFFS",
    "pronouns": "It is it and they are them. 它是它，他们是他们。这个东西就是那个东西。 ",
    "generic": "The user told the user that the thing is a thing. 用户说用户的东西。 ",
    "copulas": "x is y and z is w, ", "chinese copulas": "甲是乙，", "assignments": "password=", "colons": "a:b:c:",
    "surrogate": "half \ud83d ",
}  # fmt: skip


def _long(unit: str, chars: int) -> str:
    return (unit * (chars // max(1, len(unit)) + 1))[:chars]


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    made = Extractor()
    made.warm()
    yield made


@pytest.mark.parametrize("name", [name for name in UNITS if name != "surrogate"])
def test_hostile_text_gives_only_entities_with_a_key_that_are_no_hubs(extractor: Extractor, name: str) -> None:
    for text in (UNITS[name], _long(UNITS[name], 600)):
        read = extractor.extract(text)
        assert [e.name for e in read.entities if not entity_key(e.name).strip() or is_generic(e.name)] == []
        assert all(text[e.start : e.end] == e.surface for e in read.entities if e.end)


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("chars", [50, 8_000])
def test_rules_read_hostile_text_of_any_length(name: str, chars: int) -> None:
    text = _long(UNITS[name], chars)
    language = detect_language(text)
    times = read_times(text, reference=NOW, timezone=ZoneInfo("UTC"), language=language)
    assert all(span.start is None or span.end is None or span.start < span.end for span in times)
    validity(text, reference=NOW, timezone=ZoneInfo("UTC"), language=language)
    assert 0.0 <= score_gate(text, settings=GateSettings(), novelty=1.0, language=language).salience <= 1.0
    assert all(key.strip() for key in claim_subjects((), text))
    assert all(key.strip() for key in candidate_keys(text))
    assert all(alias and canonical for alias, canonical in aliases_in(text))
    assert len(frames(text)) <= 8
    assert all(0 <= span.start < span.end <= len(text) for span in identifiers(text))
    judge(Claim(text, language=language), Claim(f"{text} not", language=language))
    signature(text)
    assert all(f.span[0] <= f.span[1] for f in screen(text, settings=SafetySettings()))
    if name != "surrogate":
        assert len(content_hash(text)) == 64


def test_words_never_seen_before_do_not_stay_in_the_language_model(extractor: Extractor) -> None:
    def told(number: int) -> str:
        return f"Zelkorin{number} moved vash{number}k to the grontil-{number} rack in Quorvath{number}。小王也去了。"

    extractor.extract(told(0))
    model: Any = extractor._english  # pyright: ignore[reportPrivateUsage]
    before = len(model.vocab.strings)
    read = extractor.extract_many([told(number) for number in range(1, 200)])
    assert len(model.vocab.strings) == before
    assert any("Zelkorin7" in entity.name for entity in read[6].entities)
