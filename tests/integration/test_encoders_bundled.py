"""The bundled encoder with its real model."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from retrograph.encoders import MAX_CHARS, BundledEncoder, Encoder, open_encoder
from retrograph.encoders.calibration import calibrate

_PAIRS = Path(__file__).parent.parent / "data" / "relevance_pairs.tsv"
_TEXTS = [
    "Maria is allergic to peanuts.",
    'Ann said, "We moved to Lisbon in May."',
    "他每天早上喝一杯龙井绿茶。",
    "计费服务 listens on port 9188。",
    "x",
    "The nightly import failed because the disk was full. " * 20,
]
_AWKWARD = {
    "empty": "",
    "spaces": " \t\n\u3000",
    "nul": "before\0after",
    "only nul": "\0\0\0",
    "lone surrogates": "tea \ud83d and \udc00 milk",
    "emoji": "👩\u200d👩\u200d👧 🏳️\u200d🌈",
    "combining marks": "e" + "\u0301" * 500,
    "right to left": "مرحبا \u202e reversed",
    "no white space": "a" * 3_000,
    "replacement characters": "\ufffd" * 300,
    "noncharacters": "\uffff\U0010ffff",
}


@pytest.fixture(scope="module")
def encoder() -> BundledEncoder:
    return BundledEncoder()


def _assert_unit(vector: np.ndarray) -> None:
    assert vector.dtype == np.float32
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_bundled_is_an_encoder() -> None:
    encoder = open_encoder("bundled")
    assert isinstance(encoder, Encoder)
    assert open_encoder(encoder.name).name == encoder.name
    assert encoder.dimensions == 384


def test_documents_of_no_text(encoder: BundledEncoder) -> None:
    assert encoder.encode_documents([]).shape == (0, 384)


def test_a_text_has_one_vector_whatever_its_batch(encoder: BundledEncoder) -> None:
    together = encoder.encode_documents(_TEXTS)
    alone = np.vstack([encoder.encode_documents([text]) for text in _TEXTS])
    assert together.shape == (len(_TEXTS), 384)
    np.testing.assert_array_equal(together, alone)


def test_more_texts_than_a_batch_stay_in_order(encoder: BundledEncoder) -> None:
    texts = [f"note {number}" for number in range(70)]
    rows = encoder.encode_documents(texts)
    for number in (0, 31, 32, 69):
        np.testing.assert_array_equal(rows[number], encoder.encode_documents([texts[number]])[0])


@pytest.mark.parametrize("text", _AWKWARD.values(), ids=_AWKWARD.keys())
def test_awkward_texts_give_unit_vectors(encoder: BundledEncoder, text: str) -> None:
    _assert_unit(encoder.encode_documents([text])[0])
    _assert_unit(encoder.encode_query(text))


def test_a_text_after_nul_still_counts(encoder: BundledEncoder) -> None:
    whole, cut = encoder.encode_documents(["tea\0and motorways", "tea"])
    assert not np.allclose(whole, cut)


def test_a_text_of_a_megabyte_is_read_up_to_the_limit(encoder: BundledEncoder) -> None:
    text = "the disk was full. " * 55_000
    rows = encoder.encode_documents([text, text[:MAX_CHARS]])
    _assert_unit(rows[0])
    np.testing.assert_array_equal(rows[0], rows[1])


@pytest.mark.parametrize("count", [1, 500, 6_000])
def test_the_character_that_expands_most_is_read_up_to_the_limit(encoder: BundledEncoder, count: int) -> None:
    _assert_unit(encoder.encode_query("\ufdfa" * count))


def test_eight_threads_get_what_one_gets(encoder: BundledEncoder) -> None:
    expected = encoder.encode_documents(_TEXTS)
    with ThreadPoolExecutor(8) as pool:
        for rows in pool.map(lambda _: encoder.encode_documents(_TEXTS), range(8)):
            np.testing.assert_array_equal(rows, expected)


def test_threads_that_load_at_once_load_one_model() -> None:
    fresh = BundledEncoder()
    with ThreadPoolExecutor(8) as pool:
        first, *rest = pool.map(fresh.encode_query, ["喜欢喝茶"] * 8)
    for vector in rest:
        np.testing.assert_array_equal(vector, first)


def test_a_query_is_cached_and_cannot_be_changed(encoder: BundledEncoder) -> None:
    vector = encoder.encode_query("Where is the key?")
    assert encoder.encode_query("Where is the key?") is vector
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1


def _vectors(encoder: BundledEncoder) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Languages, queries and documents of the rows that had no part in making the common components."""
    rows = [line.split("\t") for line in _PAIRS.read_text("utf-8").splitlines()]
    rows = [row for at, row in enumerate(rows) if at % 2 or row[0] == "mixed"]
    queries = np.stack([encoder.encode_query(row[1]) for row in rows])
    return np.array([row[0] for row in rows]), queries, encoder.encode_documents([row[2] for row in rows])


def test_relevance_means_the_same_in_english_and_chinese(encoder: BundledEncoder) -> None:
    languages, queries, documents = _vectors(encoder)
    relevance = np.vectorize(encoder.calibration.relevance)(queries @ documents.T)
    unrelated, related = {}, {}
    for language in ("en", "zh"):
        rows = np.flatnonzero(languages == language)
        block = relevance[np.ix_(rows, rows)]
        related[language] = np.median(np.diagonal(block))
        unrelated[language] = np.quantile(block[~np.eye(len(rows), dtype=bool)], 0.9)
        assert (block.argmax(axis=1) == np.arange(len(rows))).mean() >= 0.9
        assert related[language] >= 0.6
        assert unrelated[language] <= 0.3
    assert abs(related["en"] - related["zh"]) <= 0.15


def test_the_answer_in_the_other_language_is_among_the_first_three(encoder: BundledEncoder) -> None:
    languages, queries, documents = _vectors(encoder)
    cosines = queries @ documents.T
    mixed = np.flatnonzero(languages == "mixed")
    above = (cosines[mixed] > cosines[mixed, mixed][:, None]).sum(axis=1)
    assert (above <= 2).mean() >= 0.9, above


def test_the_constants_are_what_calibrate_measures(encoder: BundledEncoder) -> None:
    measured = calibrate(
        lambda texts: np.stack([encoder.encode_query(text) for text in texts]),
        encoder.encode_documents,
        name=encoder.name,
    )
    assert measured.floor == pytest.approx(encoder.calibration.floor, abs=0.03)
    assert measured.ceiling == pytest.approx(encoder.calibration.ceiling, abs=0.03)


def test_loading_leaves_the_environment_as_it_was() -> None:
    program = (
        "import os\n"
        "from retrograph.encoders import open_encoder\n"
        "before = dict(os.environ)\n"
        "open_encoder('bundled').warm()\n"
        "assert dict(os.environ) == before\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
