"""consolidate, runs and the undo of a run: what is asked of the worker, and how its report is shown."""

import json
from typing import Any

import pytest

from retrograph.cli import consolidating
from retrograph.consolidation import Change, ConsolidationReport, JobReport, RunView, UndoReport
from retrograph.errors import Conflict, EngineUnavailable, InvalidInput, NotFound

from .conftest import AT


class Worker:
    """Notes what it is called with; answers with a report, or raises what a test set for a bank."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.errors: dict[str, Exception] = {}
        self.many = 12

    def banks(self) -> tuple[str, ...]:
        return ("a", "b")

    def run(self, bank: str, **given: Any) -> ConsolidationReport:
        given.pop("progress")("expire", 3, 2)
        self.calls.append((bank, given))
        if bank in self.errors:
            raise self.errors[bank]
        changes = tuple(Change("archived", f"m{n:02}\x1b", reason="expired") for n in range(self.many))
        jobs = (
            JobReport("expire", self.many, changes, 0.1),
            JobReport("deduplicate", 1, (Change("merged", "d", ("s",), "duplicate"),)),
            JobReport("weigh", 0, counts={"weighed": 7}),
        )
        run = None if given["dry_run"] else "run-1"
        return ConsolidationReport(run, bank, given["dry_run"], True, AT, jobs if self.many else (), 1.5)

    def runs(self, bank: str, *, limit: int) -> tuple[RunView, ...]:
        self.calls.append((bank, {"limit": limit}))
        return (RunView("run-1", bank, "done", ("expire", "decay"), AT, AT),)

    def undo(self, bank: str, run: str) -> UndoReport:
        self.calls.append((bank, {"run": run}))
        if run == "none":
            raise NotFound("there is no run 'none'")
        return UndoReport(run, ("m1", "m2"), 1, ("s1",), 2, 0, {"m3": "m4"}, 5)


@pytest.fixture
def worker(shell) -> Worker:
    made = Worker()
    shell.parts["open_consolidators"] = lambda memory, **_: [made]
    return made


def test_jobs_and_options_reach_the_worker(shell, worker):
    assert shell("consolidate", "--jobs", "prune, expire", "--dry-run", "--wait", "5", "--bank", "x") == 0
    assert worker.calls == [("x", {"jobs": ("prune", "expire"), "dry_run": True, "wait_s": 5.0})]
    assert "13 changes would be made; nothing was written" in shell.out
    assert "12 to change" in shell.out


def test_report_names_ids_and_how_to_undo_it(shell, worker):
    assert shell("consolidate") == 0
    assert worker.calls == [("default", {"jobs": (), "dry_run": False, "wait_s": 0.0})]
    assert "expire      12 changed" in shell.out
    assert "archived m09\\x1b" in shell.out
    assert "m10" not in shell.out
    assert "… and 2 more" in shell.out
    assert "merged d → s" in shell.out
    assert "7 weighed" in shell.out
    assert "taken up where an earlier run was cut off" in shell.out
    assert "13 changes in 1.5 s; undo run-1 takes them back" in shell.out


def test_json_names_every_change(shell, worker):
    assert shell("consolidate", "--json") == 0
    assert (shell.json["run"], shell.json["changed"]) == ("run-1", 13)
    assert len(shell.json["jobs"][0]["changes"]) == 12
    assert shell.json["jobs"][1]["changes"] == [{"kind": "merged", "id": "d", "others": ["s"], "reason": "duplicate"}]
    assert shell("consolidate", "--json", "--all-banks") == 0
    assert [report["bank"] for report in shell.json] == ["a", "b"]


def test_bank_at_which_another_works_is_left_out_of_many_and_an_error_alone(shell, worker):
    worker.errors["a"] = Conflict("another process is at work")
    assert shell("consolidate", "--all-banks") == 0
    assert "a: left out, another process is at work" in shell.err
    assert [bank for bank, _ in worker.calls] == ["a", "b"]
    assert shell("consolidate", "--bank", "a") == 1
    assert shell("consolidate", "--bank", "a", "--json") == 1
    assert json.loads(shell.out or shell.err)["error"]["code"] == "conflict"


def test_database_that_does_not_answer_is_told_and_those_behind_it_are_done(shell, worker, monkeypatch):
    class Silent(Worker):
        name = "cold-*"

        def banks(self) -> tuple[str, ...]:
            raise EngineUnavailable("nobody is at home")

    def opened(memory: object, *, trouble: Any) -> list[Worker]:
        trouble("east-*", EngineUnavailable("no database answers"))
        return [Silent(), worker]

    shell.parts["open_consolidators"] = opened
    assert shell("consolidate", "--all-banks", "--json") == EngineUnavailable.exit_code
    assert [report["bank"] for report in shell.json] == ["a", "b"]
    assert "shard east-* left out: no database answers" in shell.err
    assert "shard cold-* left out: nobody is at home" in shell.err
    worker.errors["a"] = EngineUnavailable("it went away")
    shell.parts["open_consolidators"] = lambda memory, **_: [worker]
    assert shell("consolidate", "--all-banks") == EngineUnavailable.exit_code
    assert "a: it went away" in shell.err


def test_every_goes_on_after_trouble_and_waits_from_start_to_start(shell, worker, monkeypatch):
    waits: list[float] = []

    def sleep(length: float) -> None:
        waits.append(length)
        if len(waits) == 3:
            raise KeyboardInterrupt
        worker.errors.clear()

    monkeypatch.setattr(consolidating.time, "sleep", sleep)
    worker.errors["default"] = EngineUnavailable("no database answers")
    assert shell("consolidate", "--every", "24h") == 130
    assert len(worker.calls) == 3
    assert "default: no database answers" in shell.err
    assert all(86_390 < length <= 86_400 for length in waits)


def test_wrong_usage_ends_even_a_run_that_goes_on(shell, worker):
    assert shell("consolidate", "--every", "sometimes") == 2
    assert worker.calls == []
    worker.errors["default"] = InvalidInput("there is no job 'tidy'")
    assert shell("consolidate", "--jobs", "tidy", "--every", "1h") == 2


def test_trouble_of_a_single_run_is_an_error(shell, worker):
    worker.errors["default"] = EngineUnavailable("no database answers")
    assert shell("consolidate") == 3


def test_run_that_changed_nothing_or_was_skipped_says_so(shell, worker, monkeypatch):
    worker.many = 0
    monkeypatch.setattr(
        worker, "run", lambda bank, **_: ConsolidationReport(None, bank, False, False, AT, (JobReport("expire", 0),))
    )
    assert shell("consolidate") == 0
    assert "nothing to change" in shell.out
    monkeypatch.setattr(
        worker, "run", lambda bank, **_: ConsolidationReport(None, bank, False, False, AT, skipped="it is empty")
    )
    assert shell("consolidate") == 0
    assert shell.out == "it is empty\n"


def test_runs_are_listed(shell, worker):
    assert shell("runs", "--limit", "3", "--bank", "x") == 0
    assert worker.calls == [("x", {"limit": 3})]
    assert "run-1" in shell.out
    assert "expire, decay" in shell.out
    assert shell("runs", "--json") == 0
    assert shell.json[0]["jobs"] == ["expire", "decay"]


def test_undo_of_a_run_says_what_came_back(shell, worker):
    assert shell("undo", "run-1", "--bank", "x") == 0
    assert worker.calls == [("x", {"run": "run-1"})]
    for line in ("restored", "2", "summaries, rules and lessons deleted", "m3 stays archived: m4 says the same"):
        assert line in shell.out
    assert shell("undo", "run-1", "--json") == 0
    assert shell.json["deleted"] == ["s1"]
    assert shell("undo", "none") == 1
