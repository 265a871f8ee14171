"""The command line as its users run it: processes of their own, a real Neo4j behind them."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retrograph.settings import Settings

Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    """Runs `retrograph …` to its end."""

    def run(*arguments: str | bytes, stdin: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "retrograph", *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env={**environment, **more},
        )

    return run


def answer(done: subprocess.CompletedProcess[bytes], code: int = 0) -> Any:
    assert done.returncode == code, (done.stdout + done.stderr).decode()
    return json.loads(done.stdout)


def jsonl(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(json.dumps({"content": text, "session": "s"}) + "\n" for text in texts))
    return path


def test_a_memory_is_written_found_explained_linked_and_forgotten(run: Run):
    english = answer(run("write", "The render queue runs on rig7.", "--force", "--json"))
    chinese = answer(run("write", "-", "--force", "--json", stdin="渲染队列的负责人是张伟。".encode()))
    assert (english["outcome"], chinese["outcome"]) == ("stored", "stored")

    found = answer(run("search", "Where does the render queue run?", "--json"))
    assert found["results"][0]["id"] == english["id"]
    assert {"content", "type", "relevance", "path"} <= found["results"][0].keys()
    assert answer(run("search", "谁负责渲染队列？", "--json"))["results"][0]["id"] == chinese["id"]

    linked = answer(run("link", english["id"], chinese["id"], "part_of", "--json"))
    assert linked["created"] is True
    detail = answer(run("get", english["id"], "--json"))
    assert detail["links"] == [{"id": chinese["id"], "type": "part_of", "direction": "out", "strength": 1.0}]

    explained = answer(run("explain", "Where does the render queue run?", english["id"], "--json"))
    assert explained["found"] is True
    assert explained["rank"] == 1

    assert answer(run("forget", english["id"], "--json"))["count"] == 1
    left = answer(run("search", "Where does the render queue run?", "--json"))["results"]
    assert english["id"] not in [hit["id"] for hit in left]
    deep = answer(run("search", "Where does the render queue run?", "--deep", "--json"))["results"]
    assert english["id"] in [hit["id"] for hit in deep]

    counts = answer(run("stats", "--json"))
    assert (counts["memories"], counts["archived"]) == (1, 1)


def test_a_greeting_is_refused_as_an_answer_and_fails_when_strict(run: Run):
    done = run("write", "好的，谢谢", "--json")
    assert answer(done)["outcome"] == "refused"
    assert answer(done)["scores"]["salience"] < 0.45
    strict = run("write", "thanks!", "--strict")
    assert (strict.returncode, strict.stderr) == (1, b"")
    assert strict.stdout.startswith(b"refused")


def test_the_same_text_under_five_sessions_is_one_memory(run: Run, tmp_path: Path):
    said = "Ada keeps the spare key in the blue drawer."
    file = tmp_path / "turns.jsonl"
    file.write_text("".join(json.dumps({"content": said, "session": f"s{number}"}) + "\n" for number in range(4)))
    first = answer(run("ingest", str(file), "--batch-size", "1", "--json"))
    assert (first["stored"], first["merged"]) == (1, 3)
    assert answer(run("write", said, "--session", "s4", "--force", "--json"))["id"] == first["ids"][0]
    assert answer(run("stats", "--json"))["memories"] == 1


def test_two_processes_that_write_at_once_lose_nothing(environment: dict[str, str], run: Run, tmp_path: Path):
    texts = [f"Machine number {number} stands in room {number * 7 + 3}." for number in range(40)]
    files = [jsonl(tmp_path / f"{part}.jsonl", texts[part::2]) for part in (0, 1)]
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "retrograph", "ingest", str(file), "--batch-size", "2", "--json"],
            stdout=subprocess.PIPE,
            env=environment,
        )
        for file in files
    ]
    reports = [json.loads(process.communicate()[0]) for process in started]
    assert [report["stored"] for report in reports] == [20, 20]
    assert answer(run("stats", "--json"))["memories"] == 40


def test_an_ingest_that_was_killed_goes_on_and_stores_nothing_twice(
    environment: dict[str, str], run: Run, tmp_path: Path
):
    file = jsonl(tmp_path / "turns.jsonl", [f"Parcel {number} went to dock {number + 100}." for number in range(60)])
    killed = subprocess.Popen(
        [sys.executable, "-m", "retrograph", "ingest", str(file), "--batch-size", "1"], env=environment
    )
    while answer(run("stats", "--json"))["memories"] == 0 and killed.poll() is None:
        time.sleep(0.1)
    killed.kill()
    killed.wait()
    answer(run("ingest", str(file), "--json"))
    assert answer(run("stats", "--json"))["memories"] == 60
    again = answer(run("ingest", str(file), "--json"))
    assert (again["total"], again["stored"], again["unchanged"]) == (60, 0, 60)


# A process started in the background of a shell ignores the interrupt, and so do its children.
_INTERRUPTIBLE = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "runpy.run_module('retrograph', run_name='__main__', alter_sys=True)"
)


def test_an_interrupted_ingest_exits_130_without_a_traceback(environment: dict[str, str], run: Run, tmp_path: Path):
    file = jsonl(tmp_path / "turns.jsonl", [f"Crate {number} is in bay {number + 50}." for number in range(500)])
    process = subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTIBLE, "ingest", str(file), "--batch-size", "1"],
        env=environment,
        stderr=subprocess.PIPE,
    )
    while answer(run("stats", "--json"))["memories"] == 0 and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1].decode()
    assert process.returncode == 130, said
    assert "Traceback" not in said


def test_chat_exports_and_notes_are_told_apart_and_stored(run: Run, tmp_path: Path):
    chat = [{"role": "user", "content": "我对花生过敏。", "timestamp": "2026-03-01T08:00:00Z"}]
    (tmp_path / "chat.json").write_text(json.dumps(chat))
    (tmp_path / "notes.md").write_text("# Office\n\nThe spare badge is with Ingrid.\n")
    assert answer(run("ingest", str(tmp_path / "chat.json"), "--json"))["format"] == "messages"
    assert answer(run("ingest", str(tmp_path / "notes.md"), "--json"))["format"] == "notes"
    [hit] = answer(run("search", "花生", "--limit", "1", "--json"))["results"]
    assert (hit["content"], hit["occurred_at"]) == ("我对花生过敏。", "2026-03-01T08:00:00Z")


@pytest.mark.parametrize(
    ("content", "code"), [(b"", 2), (b"   \n", 2), (b"x" * 1_000_000, 2), ("茶".encode("gb18030"), 2)]
)
def test_text_that_cannot_be_a_memory_is_refused_with_a_cure(run: Run, content: bytes, code: int):
    told = answer(run("write", "-", "--force", "--json", stdin=content), code)["error"]
    assert told["message"]
    assert told["cure"]


@pytest.mark.parametrize(
    ("arguments", "stdin"), [((b"caf\xe9 au lait",), b""), (("-",), b"Ada has\0two keys."), (("-",), b"\xed\xa0\x80")]
)
def test_text_that_is_hardly_text_is_refused_or_can_be_read_again(run: Run, arguments: tuple[Any, ...], stdin: bytes):
    done = run("write", *arguments, "--force", "--json", stdin=stdin)
    assert b"Traceback" not in done.stderr
    if done.returncode:
        assert answer(done, 2)["error"]["cure"]
    else:
        content = answer(run("get", answer(done)["id"], "--json"))["content"]
        assert content.startswith(("caf", "Ada has")) and content.endswith(("au lait", "two keys."))


def test_a_query_that_looks_like_syntax_is_a_query(run: Run):
    answer(run("write", "Ada bought green paint for the fence.", "--force", "--json"))
    for query in ('"unclosed +(a AND OR) [x TO', "content:* && /re/ ~5 \\ MATCH (n) DETACH DELETE n", "啊" * 3000):
        assert "results" in answer(run("search", query, "--json"))
    assert answer(run("stats", "--json"))["memories"] == 1


def test_a_database_that_is_not_there_exits_3_with_the_cure(run: Run):
    done = run(
        "search", "x", RETROGRAPH_URI="bolt://127.0.0.1:1", RETROGRAPH_RETRY_S="1", RETROGRAPH_CONNECT_TIMEOUT_S="2"
    )
    assert done.returncode == 3
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr


def test_doctor_tells_a_wrong_password_and_a_right_one(run: Run):
    done = run("doctor", RETROGRAPH_PASSWORD="wrong")
    assert done.returncode == 3
    assert b"refuses the user name or password" in done.stdout
    assert b"RETROGRAPH_PASSWORD" in done.stdout
    healthy = answer(run("doctor", "--json"))
    assert {check["status"] for check in healthy["checks"]} <= {"ok", "warn"}


def test_migrate_has_nothing_to_do_in_a_database_in_use(run: Run):
    assert answer(run("migrate", "--json"))["applied"] == []


def test_the_query_for_neo4j_browser_draws_the_bank(run: Run, graph: Any, settings: Settings):
    from retrograph.cli.engines import drawing_query

    answer(run("write", "Ada 在 Lisbon 开了一家茶馆。", "--force", "--json"))
    assert graph.run_statement(drawing_query(settings.bank), doing="draw the bank")
