"""All measurements of recall, one after another, in one table: what `make bench` shows of recall.

`--take` goes to those that read a data set; those that make their memories take their own default size.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from bench import chains, cmrc, feedback, filters, hubs, locomo, musique, times, updates

OF_DATA: dict[str, Callable[[Path, argparse.Namespace], dict]] = {
    "locomo": locomo.measure,
    "musique": musique.measure,
    "cmrc": cmrc.measure,
}
MADE_HERE: dict[str, Callable[[Path, argparse.Namespace], dict]] = {
    "chains": chains.measure,
    "updates": updates.measure,
    "hubs": hubs.measure,
    "times": times.measure,
    "filters": filters.measure,
    "feedback": feedback.measure,
}


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Runs them in order; the groups of each carry its name."""
    result: dict = {}
    for name, run in OF_DATA.items():
        result |= _named(name, run(folder, arguments))
    supplied = argparse.Namespace(**(vars(arguments) | {"graph": "triples"}))
    result |= _named("musique with the supplied triples", musique.measure(folder, supplied))
    small = argparse.Namespace(**(vars(arguments) | {"take": 1}))
    for name, run in MADE_HERE.items():
        result |= _named(name, run(folder, small))
    return result


def _named(name: str, groups: dict) -> dict:
    return {f"{name}: {group}": rows for group, rows in groups.items()}
