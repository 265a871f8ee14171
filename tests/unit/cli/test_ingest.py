"""`retrograph ingest`: all is read before anything is stored."""

import sys

import pytest

from retrograph.models import Outcome, Scope

from .test_commands import Piped


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "turns.jsonl"
    path.write_text('{"content": "一", "tags": ["own"]}\n{"content": "two", "domain": "d2"}\n', encoding="utf-8")
    return path


def test_turns_are_stored_with_the_labels_of_the_command(shell, file):
    assert shell("ingest", str(file), "--domain", "d", "--tag", "t", "--scope", "team", "--batch-size", "8") == 0
    given = shell.given
    assert [(turn.content, turn.domain, turn.tags) for turn in given["turns"]] == [
        ("一", "d", ("own", "t")),
        ("two", "d2", ("t",)),
    ]
    assert (given["scope"], given["force"], given["batch_size"]) == (Scope.TEAM, True, 8)
    assert "2 stored of 2 turns" in shell.out


def test_the_gate_judges_where_it_is_asked_to(shell, file):
    shell("ingest", str(file), "--gate", "--json")
    assert shell.given["force"] is False
    assert (shell.json["stored"], shell.json["format"], shell.json["left_out"]) == (2, "jsonl", 0)


def test_one_bad_line_stops_all_before_anything_is_stored(shell, file):
    file.write_text(file.read_text() + "{broken\n")
    assert shell("ingest", str(file)) == 2
    assert "line 3: no JSON" in shell.err
    assert "nothing was stored" in shell.err
    assert "--skip-bad" in shell.err
    assert not shell.memories


def test_bad_lines_are_left_out_where_that_is_asked(shell, file):
    file.write_text(file.read_text() + "{broken\n" * 12)
    assert shell("ingest", str(file), "--skip-bad", "--json") == 0
    assert len(shell.given["turns"]) == 2
    assert shell.json["left_out"] == 12
    assert shell.err.count("left out: line") == 10
    assert "left out: 2 more" in shell.err


def test_a_dry_run_shows_and_stores_nothing(shell, file):
    assert shell("ingest", str(file), "--dry-run") == 0
    assert "2 turns (jsonl); nothing was stored" in shell.out
    assert "一" in shell.out
    shell("ingest", str(file), "--dry-run", "--json")
    assert (shell.json["total"], [turn["content"] for turn in shell.json["sample"]]) == (2, ["一", "two"])
    assert (shell.json["outcomes"], shell.json["not_stored"]) == ({"stored": 2}, [])
    assert [name for memory in shell.memories for name, _ in memory.calls] == ["preview", "preview"]


def test_a_dry_run_names_what_would_not_be_stored(shell, file):
    shell.prepared = {"outcome": Outcome.REFUSED}
    assert shell("ingest", str(file), "--dry-run", "--gate") == 0
    assert shell.given["force"] is False
    assert "would be refused: 2" in shell.out
    assert "refused: 一 (because)" in shell.out
    shell("ingest", str(file), "--dry-run", "--json")
    assert [(row["content"], row["outcome"], row["reason"]) for row in shell.json["not_stored"]] == [
        ("一", "refused", "because"),
        ("two", "refused", "because"),
    ]


def test_a_dash_reads_stdin(shell, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Piped("Ada: 你好\nBen: hi\nAda: bye".encode()))
    assert shell("ingest", "-", "--json") == 0
    assert [turn.speaker for turn in shell.given["turns"]] == ["Ada", "Ben", "Ada"]
    assert shell.json["format"] == "transcript"


def test_a_form_can_be_forced(shell, file):
    shell("ingest", str(file), "--format", "notes")
    assert len(shell.given["turns"]) == 1


def test_a_file_that_is_not_there_is_wrong_usage(shell, tmp_path):
    assert shell("ingest", str(tmp_path / "none")) == 2
    assert "cannot be read" in shell.err
