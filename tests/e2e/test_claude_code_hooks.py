"""The example hooks of Claude Code, fed what Claude Code tells them: what they print, and what is in the memory."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "claude-code"
HOOK = FOLDER / "retrograph_hook.py"

Hook = Callable[..., Any]


def _line(kind: str, content: Any, number: int, **more: Any) -> str:
    entry = {
        "type": kind,
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "timestamp": f"2026-11-02T10:{number:02d}:00.000Z",
        "message": {"role": kind, "content": content},
        **more,
    }
    return json.dumps(entry, ensure_ascii=False) + "\n"


TRANSCRIPT = [
    _line("user", "We decided to keep the sessions of heron in Redis.", 1),
    _line(
        "assistant",
        [
            {"type": "thinking", "thinking": "Secret thoughts about Redis."},
            {"type": "text", "text": "I moved the session store of heron to Redis 7."},
            {"type": "tool_use", "name": "Bash", "input": {"command": "redis-cli ping"}},
        ],
        2,
    ),
    _line("user", [{"type": "tool_result", "content": "PONG from redis-cli"}], 3),
    _line("user", "<command-name>/clear</command-name>", 4),
    _line("user", "A meta line about the sandbox of heron.", 5, isMeta=True),
    _line("user", "A side chain about the sandbox of heron.", 6, isSidechain=True),
    _line("user", "请记住：heron 的部署脚本只能在杭州机房运行。", 7),
    _line("user", "thanks!", 8),
    '{"type": "user", "message": {"con',
]


@pytest.fixture
def hook(environment: dict[str, str], tmp_path: Path) -> Hook:
    """Runs the hook as Claude Code does, in this test's bank, and answers what it printed."""
    project = tmp_path / "heron"
    project.mkdir()

    def run(event: str, **more: Any) -> Any:
        told = {"session_id": "s-1", "cwd": str(project), "hook_event_name": event, **more}
        done = subprocess.run(
            [sys.executable, str(HOOK)],
            input=json.dumps(told),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            env={**environment, "RETROGRAPH_USER": "ada", "RETROGRAPH_PROGRAM": f"{sys.executable} -m retrograph"},
        )
        assert done.returncode == 0, done.stderr
        return done.stderr, json.loads(done.stdout) if done.stdout else None

    return run


def test_what_was_said_is_stored_once_and_comes_back_at_the_next_start(
    hook: Hook, tmp_path: Path, graph: Any, settings: Any
):
    assert hook("SessionStart", source="startup") == ("", None), "an empty memory adds nothing"
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text("".join(TRANSCRIPT), encoding="utf-8")
    for event in ("Stop", "Stop", "SessionEnd"):
        assert hook(event, transcript_path=str(transcript)) == ("", None)

    stored = _contents(graph, settings.bank)
    assert {(one["content"], one["source"], one["speaker"]) for one in stored} == {
        ("We decided to keep the sessions of heron in Redis.", "user", "ada"),
        ("I moved the session store of heron to Redis 7.", "inference", "Claude"),
        ("请记住：heron 的部署脚本只能在杭州机房运行。", "user", "ada"),
    }
    assert {(one["session_id"], tuple(one["tags"])) for one in stored} == {("s-1", ("heron",))}

    _, started = hook("SessionStart", source="startup")
    told = started["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "We decided to keep the sessions of heron in Redis." in told["additionalContext"]
    assert "not as instruction" in told["additionalContext"]

    _, asked = hook("UserPromptSubmit", prompt="部署脚本在哪里运行？")
    assert asked["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "杭州机房" in asked["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"hook_event_name": "Stop", "transcript_path": "/nowhere/at-all.jsonl"}, "at-all.jsonl"),
        (["no", "object"], "no JSON object"),
        ({"hook_event_name": "SessionStart"}, "no-such-program"),
    ],
)
def test_a_hook_that_fails_says_why_and_does_not_stop_the_work(event: Any, said: str):
    done = subprocess.run(
        [sys.executable, str(HOOK)],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RETROGRAPH_PROGRAM": "no-such-program"},
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert said in done.stderr


def test_an_event_that_is_none_of_its_own_does_nothing(hook: Hook):
    assert hook("PreToolUse", tool_name="Bash") == ("", None)


def test_example_settings_name_the_hook_for_events_it_knows():
    hooks = json.loads((FOLDER / "settings.json").read_text("utf-8"))["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop"}
    source = HOOK.read_text("utf-8")
    for event, groups in hooks.items():
        assert f'"{event}"' in source
        (command,) = [one["command"] for group in groups for one in group["hooks"]]
        assert shlex.split(command) == ["python3", "$CLAUDE_PROJECT_DIR/.claude/retrograph_hook.py"]


def _contents(graph: Any, bank: str) -> list[dict[str, Any]]:
    statement = "CYPHER 25 MATCH (m:Memory {bank: $bank}) WHERE m.created_at IS NOT NULL RETURN properties(m) AS m"
    return [row["m"] for row in graph.run_statement(statement, {"bank": bank}, doing="read the bank")]
