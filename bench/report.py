"""`python -m bench report`: the tables of docs/ are made of what `bench/results/*.json` keeps; prose stays by hand.

A table stands between `<!-- results: NAME -->` and `<!-- end -->`, NAME being one of `TABLES`, or `rest` for all that
no other table shows. `--check` changes nothing and says whether the pages are up to date.
"""

import fnmatch
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results"
PAGES = (ROOT / "docs" / "measurements.md", ROOT / "docs" / "comparison.md")
REST = "rest"
_MARKED = re.compile(r"(?P<head><!-- results: (?P<name>\S+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)
_SIZE = re.compile(r"\d+$")
Kept = dict[str, dict[str, Any]]
"""Results by the names of their files, without the ending."""
Columns = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Table:
    """A table and what it is made of.

    Args:
        files: Patterns of the files' names, without the ending.
        command: What makes them.
        drawn: From the results to lines of Markdown.
    """

    files: tuple[str, ...]
    command: str
    drawn: Callable[[Kept], list[str]]

    def of(self, kept: Kept) -> Kept:
        """The results that it shows, small sizes first."""
        names = {name for pattern in self.files for name in fnmatch.filter(kept, pattern)}
        return {name: kept[name] for name in sorted(names, key=lambda name: (_size(name), name))}


def main(*, check: bool) -> int:
    """Writes the tables, or says which pages are not up to date; 1 where one is not."""
    kept = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(RESULTS.glob("*.json"))}
    texts = {page: page.read_text(encoding="utf-8") for page in PAGES}
    shown = {match["name"] for text in texts.values() for match in _MARKED.finditer(text)}
    stale = [page for page, text in texts.items() if filled(text, kept, shown=shown) != text]
    for page in stale:
        if check:
            print(f"not up to date: {page.relative_to(ROOT)}; run `python -m bench report`", file=sys.stderr)
        else:
            page.write_text(filled(texts[page], kept, shown=shown), encoding="utf-8")
            print(f"written: {page.relative_to(ROOT)}")
    return 1 if check and stale else 0


def filled(text: str, kept: Kept, *, shown: Iterable[str]) -> str:
    """A page with its tables as the results say.

    Args:
        text: The page.
        kept: All results.
        shown: Names of the tables of all pages; what is in none of them goes to `rest`.

    Raises:
        SystemExit: A page asks for a table that there is not.
    """
    unknown = set(shown) - {*TABLES, REST}
    if unknown:
        raise SystemExit(f"error: no table is called {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    taken = {name for table in shown if table != REST for name in TABLES[table].of(kept)}
    left = {name: result for name, result in kept.items() if name not in taken}

    def table(match: re.Match[str]) -> str:
        lines = _rest(left) if match["name"] == REST else drawn(TABLES[match["name"]], kept)
        return match["head"] + "\n".join(["", *lines, "", ""]) + match["end"]

    return _MARKED.sub(table, text)


def drawn(table: Table, kept: Kept) -> list[str]:
    """A table and where its figures are from, or how to get them."""
    found = table.of(kept)
    if not found:
        return [f"Not measured yet: `{table.command}`."]
    return [*table.drawn(found), "", *(_origin(name, result) for name, result in found.items())]


def grid(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """A table in Markdown."""
    lines = [[*head], ["---"] * len(head), *([said(cell) for cell in row] for row in rows)]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def said(value: Any) -> str:
    """A value as it is read: whole numbers in thousands, others with as many places as tell something."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        places = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
        return f"{value:,.{places}f}"
    return str(value)


def beside(columns: Columns) -> list[str]:
    """Columns beside each other, a row for each name that one of them has."""
    names = dict.fromkeys(name for column in columns.values() for name in column)
    return grid(["", *columns], ([name, *(column.get(name) for column in columns.values())] for name in names))


def below(rows: Columns, columns: Sequence[str]) -> list[str]:
    """A row for each, of the columns that are named and that any row has."""
    known = [column for column in columns if any(column in row for row in rows.values())]
    return grid(["", *known], ([name, *(row.get(column) for column in known)] for name, row in rows.items()))


def flat(result: Mapping[str, Mapping[str, Any]], *, without: Iterable[str] = ()) -> dict[str, Any]:
    """All figures of a result, each by its group and name."""
    left_out = {"run", "failed", *without}
    return {
        f"{group}: {name}": value
        for group, row in result.items()
        if group not in left_out
        for name, value in row.items()
    }


def _origin(name: str, result: Mapping[str, Any]) -> str:
    run = result.get("run", {})
    words = [f"[{name}.json](../bench/results/{name}.json)", str(run.get("at", ""))[:10]]
    words += [f"Retrograph {run['retrograph']}"] if "retrograph" in run else []
    words += [f"load {load}"] if (load := run.get("load at the end", run.get("load"))) else []
    words += [str(run["note"])] if "note" in run else []
    failed = (
        [f"**not as it should be**: {'; '.join(map(str, result['failed'].values()))}"] if result.get("failed") else []
    )
    return f"- {', '.join(word for word in [*words, *failed] if word)}"


def _size(name: str) -> int:
    found = _SIZE.search(name)
    return int(found[0]) if found else 0


def _sizes(kept: Kept, *, without: Iterable[str] = ()) -> list[str]:
    return beside({f"{_size(name):,}": flat(result, without=without) for name, result in kept.items()})


def _generic(kept: Kept) -> list[str]:
    """A row for each group, its figures one after another."""
    rows = [
        [group, " · ".join(f"{name} {said(value)}" for name, value in row.items())]
        for result in kept.values()
        for group, row in result.items()
        if group not in ("run", "failed") and row
    ]
    return grid(["", "figures"], rows)


def _rest(left: Kept) -> list[str]:
    lines: list[str] = []
    for name, result in left.items():
        lines += [f"### {name}", "", *_generic({name: result}), "", _origin(name, result), ""]
    return lines[:-1] or ["Nothing else was kept."]


def _recall(kept: Kept) -> list[str]:
    depths = ("R@1", "R@5", "R@10", "R@20")
    rows: list[list[Any]] = []
    for name, result in kept.items():
        speed = result["speed"]
        told = next(value for what, value in speed.items() if what.startswith("ingest "))
        asked = f"{said(speed['recall p50 ms'])} / {said(speed['recall p95 ms'])}"
        of = ", ".join(f"{said(count)} {what}" for what, count in speed.items() if isinstance(count, int))
        rows.append([f"**{name}**: {of}", *(result["recall, %"][depth] for depth in depths), asked, told])
        for baseline, figures in result.get("baselines, R@1/5/10/20", {}).items():
            rows.append([f"… {baseline}", *figures.split(" / "), None, None])
    return grid(["", *depths, "recall p50 / p95, ms", "ingest, texts/s"], rows)


def _ingest(kept: Kept) -> list[str]:
    columns: dict[str, dict[str, Any]] = {}
    for group, row in kept["ingest"].items():
        way, _, what = group.partition(": ")
        if what:
            shares = {f"{name.replace('_', ' ')}, % of the time": value for name, value in row.items()}
            columns.setdefault(way, {}).update(row if what == "speed" else shares)
    return beside(columns)


def _consolidation(kept: Kept) -> list[str]:
    columns: dict[str, dict[str, Any]] = {}
    for group, row in kept["consolidation"].items():
        size, _, what = group.partition(" memories")
        if group != "run":
            columns.setdefault(size, {}).update({f"{n}, s": v for n, v in row.items()} if what else row)
    return beside(columns)


def _concurrency(kept: Kept) -> list[str]:
    result = kept["concurrency"]
    cells = {name: row for name, row in result.items() if name not in ("run", "failed", "left out")}
    speed = ("calls/s", "read p50 ms", "read p95 ms", "write p50 ms", "write p95 ms", "fewest / most")
    errors = ("throttled", "busy", "other errors", "acknowledged writes", "lost", "twice or unasked")
    cores = ("cores, servers", "cores, engine", "cores, clients", "servers MiB")
    left_out = [f"Left out: {name}: {why}." for name, why in result.get("left out", {}).items()]
    return [*below(cells, (*speed, *errors)), "", *below(cells, cores), *([""] if left_out else []), *left_out]


def _rivals(kept: Kept) -> list[str]:
    result = kept["rivals"]
    memories = {name: row for name, row in result.items() if name != "run" and not name.startswith("baselines") and row}
    columns = ("R@5", "R@10", "R@20", "turns/s", "recall p50 ms", "recall p95 ms", "slowest recall ms")
    costs = ("start to first answer s", "process MiB", "engine MiB", "install MB", "errors", "failed")
    baselines = [
        [f"{name} over the same vectors and words", *figures.split(" / ")]
        for name, figures in result.get("baselines, R@1/5/10/20", {}).items()
    ]
    run = result["run"]
    packages = run.get("versions") or run.get("packages", ())
    named = ", ".join(f"{n} {v}" for n, v in packages.items()) if isinstance(packages, dict) else ", ".join(packages)
    asked = f"Conversation {run['conversation']}, {run['turns']:,} turns, {run['questions']:,} questions."
    return [
        *below(memories, (*columns, *costs)),
        "",
        *grid(["", "R@1", "R@5", "R@10", "R@20"], baselines),
        "",
        f"{asked} Versions: {named}.",
    ]


def _start(kept: Kept) -> list[str]:
    return grid(["what", "figure"], flat(kept["start"]).items())


def _profile(kept: Kept) -> list[str]:
    groups = [(group, row) for group, row in kept["profile"].items() if group not in ("run", "failed")]
    tables = [["", *grid([group, ""], row.items())] for group, row in groups]
    return [line for table in tables for line in table][1:]


TABLES = {
    "start": Table(("start",), "python -m bench start --save", _start),
    "recall": Table(("locomo", "cmrc", "musique-*"), "python -m bench locomo --take 0 --save", _recall),
    "plans": Table(
        ("plans-*",),
        "python -m bench plans --take 10 --save",
        lambda kept: _sizes(kept, without=["rows, hits", "memories"]),
    ),
    "scale": Table(("scale-*",), "python -m bench scale --take 10 --save", _sizes),
    "ingest": Table(("ingest",), "python -m bench ingest --save", _ingest),
    "resume": Table(("resume",), "python -m bench resume --save", _generic),
    "consolidation": Table(("consolidation",), "python -m bench consolidation --save", _consolidation),
    "writing": Table(("writing",), "python -m bench writing --save", _generic),
    "concurrency": Table(("concurrency",), "python -m bench concurrency --save", _concurrency),
    "profile": Table(("profile",), "python -m bench profile --save", _profile),
    "rivals": Table(("rivals",), "python -m bench.rivals --work .cache/rivals --save", _rivals),
}
"""What a page can ask for."""
