"""Consolidation beside others: readers, a second runner, and a process that is killed in any of the jobs."""

import json
import os
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from retrograph.consolidation import JOBS, Consolidator
from retrograph.errors import Conflict
from retrograph.graph import Connection, Graph, hold_lease
from retrograph.settings import ConsolidationSettings

from .conftest import EPOCH, Garden, ask, toward
from .test_consolidation import consolidate, state
from .test_consolidation_jobs import LATE, _anonymous, _episode, _everything

_ROOT = Path(__file__).parents[2]
_SETTINGS: dict[str, Any] = {"archive_summarised": True, "settle_s": 0, "lease_s": 1, "capacity": 14}

_MORTAL = """\
import json, os, signal, sys
from datetime import datetime
sys.path.insert(0, os.getcwd())
from retrograph.consolidation import Consolidator, work
from retrograph.graph import Connection, Graph
from retrograph.settings import ConsolidationSettings, Settings
from tests.integration.conftest import PlannedEncoder

given = json.loads(sys.stdin.readline())
write = work.Work.write

def write_and_die(self, calls, **more):
    done = write(self, calls, **more)
    if self.job == given["job"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return done

work.Work.write = write_and_die
jobs = ConsolidationSettings(**given["settings"])
settings = Settings.load(uri=given["uri"]).model_copy(update={"consolidation": jobs})
with Graph(lambda: Connection(given["uri"], given["username"], given["password"])) as graph:
    worker = Consolidator(graph, PlannedEncoder, settings, page=5, batch=1)
    worker.run(given["bank"], now=datetime.fromisoformat(given["now"]))
"""


def _finished(garden: Garden) -> tuple[list[str], list[str]]:
    nodes, edges = state(garden)
    return [_anonymous(line) for line in nodes], [_anonymous(line) for line in edges]


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    """The graph that an uninterrupted run ends in; the first test that asks makes it."""
    return {}


def _crowded(garden: Garden) -> None:
    """Two of everything at least, so that a job that is killed after its first write has more to do."""
    _everything(garden)
    for n in range(3):
        garden.plant(f"gone {n}", expires_at=EPOCH)
        garden.plant(f"faded {n}", importance=0.05)
        garden.plant(f"spare {n}", importance=0.31)
    a, b = garden.plant("a", importance=0.9), garden.plant("b", importance=0.9)
    garden.link(a, b, "supports", 0.1)
    garden.link(b, a, "supports", 0.1)
    garden.plant_all(
        [_episode(garden, f"The mill ground sack {n}.", 31 + n, "Mill", f"Sack {n}", importance=0.7) for n in range(6)]
    )


@pytest.mark.parametrize("job", [job for job in JOBS if job not in ("unrecalled", "audit")])
def test_run_killed_in_a_job_is_taken_up_and_ends_in_the_same_graph(
    job: str, plant: Any, database: Connection, expected: dict[str, Any]
) -> None:
    if not expected:
        calm = plant()
        _crowded(calm)
        report = consolidate(calm, now=LATE, settings=_SETTINGS)
        expected |= {"state": _finished(calm), "changed": {j.job: j.changed for j in report.jobs}}
    garden = plant()
    _crowded(garden)
    given = {
        "uri": database.uri, "username": database.username, "password": database.password, "job": job,
        "bank": garden.identity.bank, "now": LATE.isoformat(), "settings": _SETTINGS,
    }  # fmt: skip
    dead = subprocess.run(
        [sys.executable, "-c", _MORTAL], input=json.dumps(given), text=True, capture_output=True, check=False,
        cwd=_ROOT, env=dict(os.environ),
    )  # fmt: skip
    assert dead.returncode == -9, dead.stderr
    report = consolidate(garden, now=LATE + timedelta(days=1), settings=_SETTINGS, wait_s=10)
    assert report.resumed
    assert report.now == LATE
    assert {j.job: j.changed for j in report.jobs} == expected["changed"]
    assert _finished(garden) == expected["state"]
    assert consolidate(garden, now=LATE, settings=_SETTINGS).changed == 0


class _Readers:
    """Recall without a pause, each for itself, and note when nothing of what they look for was recalled."""

    def __init__(self, garden: Garden, database: Connection, looked_for: dict[str, str]) -> None:
        self.garden, self.database = garden, database
        self.missed: list[str] = []
        self.counts = dict.fromkeys(looked_for, 0)
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=pair) for pair in looked_for.items()]

    def __enter__(self) -> "_Readers":
        for thread in self._threads:
            thread.start()
        self.wait(1)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait(self, rounds: int) -> None:
        """Waits until every reader has recalled so often again, or died."""
        until = {query: count + rounds for query, count in self.counts.items()}
        while any(self.counts[q] < until[q] for q in until) and all(t.is_alive() for t in self._threads):
            time.sleep(0.02)

    def _read(self, query: str, word: str) -> None:
        with Graph(lambda: self.database) as own:
            reader = Garden(own, self.garden.encoder, self.garden.settings, self.garden.identity, self.garden.slot)
            while not self._stop.is_set():
                hits = reader.search(query, limit=5, min_score=0.0, now=LATE).hits
                if not any(word in hit.memory.content for hit in hits):
                    self.missed.append(f"{query} at {self.counts[query]}")
                self.counts[query] += 1


_LOOKED_FOR = {"green tea": "green tea", "crane harbour load": "harbour moved"}


def _read_about(garden: Garden) -> list[str]:
    """Forty tellings of one statement, and a cluster of twelve episodes; the ids of these."""
    garden.encoder.plan["green tea"] = toward(1.0, "q")
    near = toward(0.98, "x")
    garden.plant_all([garden.row("Ann likes green tea" + "!" * n, vector=near, mentions=["Ann"]) for n in range(40)])
    return garden.plant_all(
        [_episode(garden, f"The crane at the harbour moved load {n}.", n, "Harbour") for n in range(12)]
    )


def test_reader_always_finds_a_statement_and_what_was_told_of_a_cluster(garden: Garden, database: Connection) -> None:
    """Duplicates are merged and the sources of a summary archived while readers look for both."""
    _read_about(garden)
    jobs = ConsolidationSettings(archive_summarised=True)
    settings = garden.settings.model_copy(update={"consolidation": jobs})
    with _Readers(garden, database, _LOOKED_FOR) as readers:
        report = Consolidator(garden.graph, lambda: garden.encoder, settings, batch=3).run(
            garden.identity.bank, now=LATE
        )
        readers.wait(2)
    assert {j.job: j.changed for j in report.jobs if j.changed} == {"deduplicate": 39, "summarise": 13}
    assert readers.missed == []
    assert min(readers.counts.values()) >= 5


def test_readers_notice_a_gap_where_there_is_one(garden: Garden, database: Connection) -> None:
    """The experiment above could fail: sources that are archived before there is a summary are missed."""
    ids = _read_about(garden)
    with _Readers(garden, database, _LOOKED_FOR) as readers:
        garden.forget(*ids)
        readers.wait(2)
    assert {missed.partition(" at ")[0] for missed in readers.missed} == {"crane harbour load"}


def test_two_runners_at_once_do_not_do_the_same_work(garden: Garden) -> None:
    for n in range(30):
        garden.plant(f"gone {n}", expires_at=EPOCH)
    results: list[Any] = []
    start = threading.Barrier(2)

    def run() -> None:
        start.wait()
        try:
            results.append(consolidate(garden).changed)
        except Conflict:
            results.append("conflict")

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, results)) in (["30", "conflict"], ["0", "30"])


def test_bank_that_another_process_consolidates_is_a_conflict_until_its_lease_ends(garden: Garden) -> None:
    gone = garden.plant("gone", expires_at=EPOCH)
    with hold_lease(garden.graph, f"consolidate:{garden.identity.bank}", seconds=60), pytest.raises(Conflict):
        consolidate(garden)
    assert not garden.get(gone).memory.archived
    assert consolidate(garden, dry_run=True).changed == 1
    assert consolidate(garden).changed == 1


def test_run_of_other_jobs_closes_the_one_that_was_cut_off(garden: Garden) -> None:
    garden.plant("gone", expires_at=EPOCH)
    bank = garden.identity.bank
    cut = {"bank": bank, "id": f"{bank}-cut-off", "jobs": ["decay"], "now": EPOCH, "at": EPOCH}
    garden.graph.run("open_run", **cut)
    report = consolidate(garden, "expire")
    assert (report.changed, report.resumed) == (1, False)
    rows = ask(garden.graph, "MATCH (r:ConsolidationRun {bank: $b}) RETURN r.id AS id, r.state AS s", b=bank)
    assert {row["id"]: row["s"] for row in rows} == {f"{bank}-cut-off": "stopped", report.run: "done"}


def test_pages_and_batches_of_any_size_give_the_same(plant: Any) -> None:
    seen = []
    for page, batch in ((500, 100), (3, 2)):
        garden = plant()
        _crowded(garden)
        settings = garden.settings.model_copy(update={"consolidation": ConsolidationSettings(**_SETTINGS)})
        worker = Consolidator(garden.graph, lambda g=garden: g.encoder, settings, page=page, batch=batch)
        report = worker.run(garden.identity.bank, now=LATE)
        seen.append((_finished(garden), [(j.job, j.changed) for j in report.jobs]))
    assert seen[0] == seen[1]
