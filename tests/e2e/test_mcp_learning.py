"""Task runs, lessons and summaries, as a client calls them, in English, Chinese and mixed."""

import pytest

RUNS = {
    "Import the March invoices": (
        "UnicodeDecodeError at byte 812",
        "Read the file as GB18030",
        "the bank writes GB18030",
    ),
    "导入三月发票": ("第812字节无法解码", "改用GB18030读取文件", "银行使用GB18030编码"),
    "把 invoices 导入 Postgres": ("COPY 失败 at line 7", "先运行 migration 12", "表 invoices 缺少列 due"),
}


@pytest.mark.parametrize("task", RUNS)
def test_run_is_recorded_step_by_step_and_its_lesson_is_recalled(tools, task):
    error, decision, reason = RUNS[task]
    begun = tools(
        "trajectory_record", task=task, task_type="billing", steps=[{"kind": "tool", "tool": "load", "error": error}]
    )
    run = begun["trajectory_id"]
    tools("trajectory_record", trajectory_id=run, steps=[{"kind": "decision", "text": decision, "reason": reason}])
    done = tools(
        "trajectory_record",
        trajectory_id=run,
        steps=[{"kind": "tool", "tool": "load", "output": "ok", "at": "2026-03-05T14:30:00+08:00", "tokens": 40}],
        status="success",
    )
    assert (done["steps"], done["status"]) == (3, "success")
    assert tools("memory_reflect", trajectory_id=run, draft=True).get("memory_id") is None
    lesson = tools(
        "memory_reflect",
        trajectory_id=run,
        happened=f"{error} [1].",
        why=f"{reason} [2].",
        next_time=f"{decision} [2, 3]. Sacrifice a goat to the moon [1].",
    )
    assert lesson["memory_id"]
    assert [item["part"] for item in lesson["dropped"]] == ["next_time"]
    found = tools("memory_search", query=f"{task}?", types=["lesson"])["hits"]
    assert [hit["id"] for hit in found] == [lesson["memory_id"]]
    assert tools("memory_get", memory_id=lesson["memory_id"])["experience"]["root_cause"].startswith(reason[:6])


def test_session_is_summed_up_in_its_own_words(tools):
    turns = [
        {"content": "We moved the Kestrel gateway to host beta.", "speaker": "Ann", "session": "迁移"},
        {"content": "Kestrel 网关的回滚计划在 wiki 上。", "speaker": "小李", "session": "迁移"},
        {"content": "好的。", "speaker": "Ann", "session": "迁移"},
    ]
    tools("memory_ingest", turns=turns)
    told = tools("memory_summarize", session="迁移", quotes=2)
    assert told["total"] == 3
    assert "Kestrel" in told["names"]
    assert "host beta" in told["text"]
    assert "wiki" in told["text"]
    assert len(told["sources"]) == 2
    assert tools("memory_summarize", session="nobody")["text"] == ""


def test_what_cannot_work_says_so(tools):
    assert tools.code("memory_summarize") == "invalid_input"
    assert tools.code("trajectory_record") == "invalid_input"
    assert tools.code("trajectory_record", task="t", steps=[{"kind": "dream"}]) == "invalid_input"
    assert tools.code("trajectory_record", trajectory_id="nowhere", status="success") == "not_found"
    assert tools.code("memory_reflect", trajectory_id="nowhere") == "not_found"
    run = tools("trajectory_record", task="t")["trajectory_id"]
    assert tools.code("memory_reflect", trajectory_id=run) == "invalid_input"
