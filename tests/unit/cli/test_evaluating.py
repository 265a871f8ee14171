"""`retrograph eval`: labelled files and task runs, over a fake memory."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import ID


def _file(folder: Path, *rows: Any, name: str = "rows.jsonl") -> str:
    path = folder / name
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n\n", encoding="utf-8")
    return str(path)


def test_eval_asks_each_question_and_judges_in_json(shell, tmp_path):
    file = _file(
        tmp_path,
        {"question": "where does Ada live?", "ids": [ID]},
        {"question": "Ada住在哪里?", "contents": ["ada 住在 lisbon"], "options": {"hops": 2}},
        {"question": "who?", "ids": ["no-such"]},
    )
    assert shell("eval", file, "--limit", "3", "--preset", "vector-entity", "--json") == 0
    assert shell.json["measures"]["recall"]["value"] == pytest.approx(2 / 3)
    assert shell.json["missed"] == [{"question": "who?", "missing": ["no-such"]}]
    asked = [given for name, given in shell.memories[-1].calls if name == "search"]
    assert [given["limit"] for given in asked] == [3, 3, 3]
    assert all(given["preset"] == "vector-entity" for given in asked)
    assert asked[1]["hops"] == 2
    assert shell.memories[-1].closed


def test_eval_prints_a_table_with_goals(shell, tmp_path):
    assert shell("eval", _file(tmp_path, {"question": "q", "ids": [ID]})) == 0
    recall = next(line for line in shell.out.splitlines() if line.startswith("recall"))
    assert "100.0 %" in recall
    assert "> 85.0 % reached" in recall


def test_eval_names_what_was_missed_without_moving_the_terminal(shell, tmp_path):
    assert shell("eval", _file(tmp_path, {"question": "q\x1b[2J", "ids": ["no-such"]})) == 0
    assert "missed: q\\x1b[2J" in shell.err
    assert "\x1b" not in shell.out + shell.err


def test_eval_writes_the_memories_of_the_file_to_a_bank_of_its_own_and_removes_them(shell, tmp_path):
    file = _file(
        tmp_path,
        {"id": "one", "content": "Ada lives in Lisbon.", "occurred_at": "2026-03-01T09:00+00:00"},
        {"question": "where?", "ids": ["one"]},
    )
    assert shell("eval", file, "--json") == 0
    assert shell.json["measures"]["recall"]["value"] == 1
    assert shell.json["measures"]["write p50 ms"]["n"] == 1
    calls = dict(shell.memories[-1].calls)
    assert calls["write"]["occurred_at"].year == 2026
    assert calls["forget"] == {"memory_ids": [ID], "hard": True}
    assert "purge_audit" in calls
    (bank,) = shell.memories[-1].banks
    assert bank.startswith("eval-")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "line 1: no JSON"),
        ("[1]", "line 1: no JSON object"),
        ('{"ask": "q"}', "line 1"),
        ('{"question": "q", "ids": "m"}', "ids is no list"),
        ('{"question": "q", "answer": "m"}', "unknown field 'answer'"),
        ('{"question": "q", "where": {"since": "soon"}}', "since is no time"),
        ('{"question": "q", "where": []}', None),
        ('{"question": "q", "where": [1]}', "where is no object"),
        ('{"question": "q", "where": {"colour": 1}}', "line 1, where: unknown field 'colour'"),
        ('{"question": "q", "where": {"types": "fact"}}', "types is no list"),
        ('{"question": "q", "where": {"types": ["opinion"]}}', "'opinion'"),
        ('{"question": "q", "where": {"tags": "标签"}}', "tags is no list"),
        ('{"question": "q", "options": {"limit": "many"}}', "line 1, options: limit is no whole number"),
        ('{"question": "q", "options": {"limit": 0}}', "limit"),
        ('{"question": "q", "options": {"hops": 2.5}}', "hops is no whole number"),
        ('{"question": "q", "options": {"now": 5}}', "now is no time: 5"),
        ('{"question": ""}', "question is no text"),
        ('{"question": 5}', "question is no text"),
        ('{"question": NaN}', "question is no text"),
        ('{"question": "q", "contents": ["  "]}', "contents.0 is no text"),
        ('{"question": "q", "content": "c"}', "both a question and a memory"),
        ('{"content": 5}', "content is no text"),
        ('{"content": "c", "type": "opinion"}', "type: input should be"),
        ('{"content": "c", "source": "rumour"}', "'rumour'"),
        ('{"content": "c", "importance": "high"}', "importance is no number"),
        ('{"content": "c", "importance": 2}', "importance"),
        ('{"content": "c", "metadata": "m"}', "metadata is no object"),
        ('{"content": "c", "occurred_at": 5}', "occurred_at is no time"),
        ('{"content": "c", "pinned": "yes"}', "pinned is neither true nor false"),
        ('{"content": "c", "sesion": "s"}', "unknown field 'sesion'"),
        ('{"content": "没有问题"}', "there is no question in it"),
        ('{"content": "c", "id": "boat"}\n{"question": "q", "ids": ["boot"]}', "line 2: no memory of this file has"),
        ("{", "one document over many lines"),
        ("", "there is no question in it"),
    ],
)
def test_eval_says_which_line_cannot_be_read(shell, tmp_path, line, said):
    path = tmp_path / "bad.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    assert shell("eval", str(path)) == (2 if said else 0)
    assert (said or "").lower() in shell.err.lower()
    assert not said or not shell.memories


def test_eval_of_a_file_that_is_not_there_is_wrong_usage(shell, tmp_path):
    assert shell("eval", str(tmp_path / "none.jsonl")) == 2
    assert "none.jsonl" in shell.err
    assert shell("eval", "a", "b") == 2


def _run(task: str, **more: Any) -> dict[str, Any]:
    return {"task": task, "success": True, **more}


def test_eval_ab_compares_two_files(shell, tmp_path):
    a = _file(tmp_path, *[_run(f"t{n}", rounds=3, tokens=900) for n in range(20)], name="a.jsonl")
    b = _file(tmp_path, *[_run(f"t{n}", tokens=500) for n in range(20)], name="b.jsonl")
    assert shell("eval", "ab", a, b, "--json") == 0
    assert shell.json["paired"] is True
    assert shell.json["measures"]["rounds"]["difference"]["value"] == -2
    assert shell.json["measures"]["tokens"]["differs"] is True
    assert not shell.memories
    assert shell("eval", "ab", a, b) == 0
    assert "first-try success" in shell.out
    assert "differs" in shell.out
    assert "task by task" in shell.err


@pytest.mark.parametrize(
    "row",
    [
        {"task": "t"},
        {"success": True},
        _run("t", success="yes"),
        _run("t", round=2),
        _run("t", rounds=1.5),
        _run("t", errors="timeout"),
        _run("t", errors=[5]),
        _run("", tokens=1),
        _run("t", rounds=0),
        _run("t", tokens=-1),
        _run("t", recalled=1, used=2),
        _run("t", used=1),
    ],
)
def test_eval_ab_says_which_run_cannot_be_read(shell, tmp_path, row):
    good = _file(tmp_path, _run("t"), name="good.jsonl")
    assert shell("eval", "ab", good, _file(tmp_path, row, name="bad.jsonl")) == 2
    assert "bad.jsonl, line 1" in shell.err
    assert "docs/evaluation.md" in shell.err or "Known:" in shell.err


def test_eval_ab_needs_two_files_with_runs(shell, tmp_path):
    good = _file(tmp_path, _run("任务"), name="good.jsonl")
    for files in ((good,), (good, good, good), (good, _file(tmp_path, name="empty.jsonl"))):
        assert shell("eval", "ab", *files) == 2
        assert shell.err.startswith("error: ")
