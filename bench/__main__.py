"""`python -m bench NAME`: runs one measurement through the public facade, prints a table, keeps the JSON.

`python -m bench report` makes the tables of docs/ of what was kept.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psutil

from bench import (
    chains,
    cmrc,
    concurrency,
    conformance,
    faults,
    feedback,
    filters,
    healthy,
    hubs,
    ingest,
    locomo,
    musique,
    plans,
    presets,
    profiling,
    report,
    resume,
    scale,
    soak,
    start,
    suite,
    times,
    updates,
    writing,
)

RESULTS = Path(__file__).parent / "results"
MEASUREMENTS: dict[str, Callable[[Path, argparse.Namespace], dict]] = {
    "locomo": locomo.measure,
    "musique": musique.measure,
    "cmrc": cmrc.measure,
    "chains": chains.measure,
    "updates": updates.measure,
    "hubs": hubs.measure,
    "times": times.measure,
    "filters": filters.measure,
    "feedback": feedback.measure,
    "plans": plans.measure,
    "presets": presets.measure,
    "suite": suite.measure,
    "ingest": ingest.measure,
    "writing": writing.measure,
    "consolidation": healthy.measure,
    "resume": resume.measure,
    "conformance": conformance.measure,
    "soak": soak.measure,
    "faults": faults.measure,
    "scale": scale.measure,
    "start": start.measure,
    "concurrency": concurrency.measure,
    "profile": profiling.measure,
}
PUBLIC_DATA = {"locomo", "musique", "cmrc"}
SUFFIXES: dict[str, Callable[[argparse.Namespace], str]] = {
    "musique": lambda arguments: f"-{arguments.graph}",
    "plans": lambda arguments: f"-{1_000 * max(1, arguments.take)}",
    "scale": lambda arguments: f"-{1_000 * max(1, arguments.take)}",
}
"""What of the arguments is in the name of the kept file, so that one run does not replace another."""


def main() -> int:
    """Runs the measurement that the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", nargs="?", default="locomo", choices=sorted([*MEASUREMENTS, "report"]))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the public data sets")
    parser.add_argument(
        "--take",
        type=int,
        default=1,
        help="conversations or paragraphs to take, 0 takes all; of hubs, filters, plans, scale the size; of faults the "
        "kills; of concurrency the most clients",
    )
    parser.add_argument("--preset", default="retrograph", help="weights of the blend")
    parser.add_argument("--graph", choices=("own", "triples"), default="own", help="musique: whose triples")
    parser.add_argument("--minutes", type=float, default=30, help="soak: how long")
    parser.add_argument("--clients", type=int, default=16, help="soak: how many")
    parser.add_argument(
        "--seconds", type=float, default=15, help="concurrency, profile: how long a cell or a watch lasts"
    )
    parser.add_argument("--check", action="store_true", help="report: change nothing, say whether docs are up to date")
    parser.add_argument("--save", action="store_true", help="keep the JSON under bench/results")
    parser.add_argument("--keep", action="store_true", help="consolidation: leave the planted banks in the database")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    if arguments.name == "report":
        return report.main(check=arguments.check)
    # Benches write much: never into the banks of whoever runs them.
    os.environ.setdefault("RETROGRAPH_DATA_DIR", str(Path(".cache/bench").absolute()))
    if arguments.name in PUBLIC_DATA and not arguments.data.is_dir():
        print(
            f"error: no folder {arguments.data}; docs/measurements.md says where the data comes from", file=sys.stderr
        )
        return 2
    result = MEASUREMENTS[arguments.name](arguments.data, arguments)
    result["run"] = {
        "measurement": arguments.name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "retrograph": version("retrograph"),
        "python": platform.python_version(),
        "take": arguments.take,
        "preset": arguments.preset,
        "machine": f"{os.cpu_count()} cores, {psutil.virtual_memory().total / 2**30:.0f} GiB, "
        f"{platform.system()} {platform.machine()}",
        "load at the end": f"{os.getloadavg()[0]:.1f}",
    }
    is_right = not result.get("failed")
    print(json.dumps(result, ensure_ascii=False, indent=1) if arguments.json else table(result))
    if arguments.save:
        RESULTS.mkdir(exist_ok=True)
        suffix = SUFFIXES[arguments.name](arguments) if arguments.name in SUFFIXES else ""
        (RESULTS / f"{arguments.name}{suffix}.json").write_text(
            json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
    return 0 if is_right else 1


def table(result: dict) -> str:
    """Rows of name and figure, a block for each group."""
    lines = []
    for group, rows in result.items():
        lines.append(f"\n{group}")
        lines += [
            f"  {name:<28} {value:>12,.1f}" if isinstance(value, float) else f"  {name:<28} {value!s:>12}"
            for name, value in rows.items()
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
