"""Commands that move a bank and that learn from task runs, as processes of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path):
    """Runs `retrograph …` in this test's bank; answers what it printed, as JSON where it is."""

    def run(*arguments, stdin="", code=0):
        command = [sys.executable, "-m", "retrograph", *map(str, arguments)]
        done = subprocess.run(
            command, input=stdin.encode(), capture_output=True, check=False, env=environment, cwd=tmp_path
        )
        assert done.returncode == code, (done.stdout + done.stderr).decode()
        return json.loads(done.stdout) if "--json" in arguments and not code else (done.stdout + done.stderr).decode()

    return run


def test_bank_goes_to_a_file_and_into_another_bank(run, settings, tmp_path):
    turns = ['{"content": "The render queue runs on rig7."}', '{"content": "渲染队列由张伟负责。"}']
    run("ingest", "-", "--json", stdin="\n".join(turns))
    told = run("export", tmp_path / "bank.jsonl", "--json")
    assert told["nodes"]["Memory"] == 2
    assert told["vectors"] == 2
    assert not list(tmp_path.glob(".*partial"))
    other = f"{settings.bank}-copy"
    checked = run("import", "bank.jsonl", "--into", other, "--dry-run", "--json")
    assert checked["created"]["Memory"] == 2
    piped = run("export", "-")
    assert run("import", "-", "--into", other, "--json", stdin=piped.partition('\n{"end"')[0] + "\n", code=2)
    done = run("import", "bank.jsonl", "--into", other, "--json")
    assert done["created"]["Memory"] == 2
    assert "rig7" in run("search", "render queue 渲染队列", "--bank", other)
    assert run("import", "bank.jsonl", "--into", other, "--json")["created"] == {}
    assert "nothing to do" in run("reembed")


def test_wrong_files_are_named(run, tmp_path):
    assert "no file nowhere.jsonl" in run("import", "nowhere.jsonl", code=2)
    (tmp_path / "notes.md").write_text("# hello", encoding="utf-8")
    assert "not an export" in run("import", "notes.md", code=2)
    assert "no bank" in run("export", tmp_path / "x.jsonl", "--bank", "nobody-was-here", code=1)
    assert not (tmp_path / "x.jsonl").exists()


def test_task_run_becomes_a_lesson_and_a_session_is_summed_up(run):
    steps = [
        {"kind": "tool", "tool": "load", "error": "第812字节无法解码"},
        {"kind": "decision", "text": "改用GB18030读取", "reason": "银行使用GB18030编码"},
    ]
    lines = "".join(json.dumps(step, ensure_ascii=False) + "\n" for step in steps)
    begun = run("record", "-", "--task", "导入发票", "--task-type", "billing", "--json", stdin=lines)
    tool = json.dumps({"kind": "tool", "tool": "load", "output": "ok"})
    run("record", "-", "--id", begun["id"], "--status", "success", "--json", stdin=tool)
    assert "下次" in run("reflect", begun["id"], "--draft")
    lesson = run("reflect", begun["id"], "--json")
    assert lesson["memory_id"]
    assert run("trajectories", "--json")[0]["lessons"] == [lesson["memory_id"]]
    assert "GB18030" in run("trajectories", begun["id"])
    assert "GB18030" in run("summarise", "--since", "7d")
    assert "no status" in run("record", "-", "--task", "t", "--status", "great", stdin="", code=2)
    assert "line 1" in run("record", "-", "--task", "t", stdin='{"kind": "dream"}', code=2)
    assert "removed with 3 steps" in run("trajectories", begun["id"], "--forget")


def test_mcp_memory_file_is_ingested(run, tmp_path):
    (tmp_path / "memory.json").write_text(
        '{"type": "entity", "name": "Nadia Roth", "entityType": "person", "observations": ["Prefers trains"]}\n'
        '{"type": "relation", "from": "Nadia Roth", "to": "支付服务", "relationType": "负责"}\n',
        encoding="utf-8",
    )
    done = run("ingest", "memory.json", "--json")
    assert (done["format"], done["stored"]) == ("mcp-memory", 2)
    assert "trains" in run("search", "how does Nadia travel?")
