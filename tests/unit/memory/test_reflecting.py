"""Reflections: drafts of a run's own words, and what of a caller's text is taken."""

from datetime import UTC, datetime

import pytest

from retrograph.errors import InvalidInput
from retrograph.memory.reflecting import checked, cited, draft, lesson_text
from retrograph.memory.trajectories import Step, StepKind, TaskStatus, Trajectory, step_of

AT = datetime(2026, 3, 1, tzinfo=UTC)


def run(task: str, *steps: Step, status: TaskStatus = TaskStatus.SUCCESS) -> Trajectory:
    numbered = [
        Step(s.kind, s.text, s.reason, s.tool, s.input, s.output, s.error, AT, number=n) for n, s in enumerate(steps, 1)
    ]
    return Trajectory("t1", task, "billing", status, AT, AT, tuple(numbered))


IMPORT = run(
    "Import the March invoices",
    Step(StepKind.TOOL, tool="load_csv", input="march.csv", error="UnicodeDecodeError at byte 812"),
    Step(StepKind.DECISION, "Read the file as GB18030", reason="the bank writes GB18030"),
    Step(StepKind.TOOL, tool="load_csv", input="march.csv encoding=gb18030", output="412 rows"),
)
CHINESE = run(
    "导入三月的发票",
    Step(StepKind.TOOL, tool="load_csv", input="三月.csv", error="第812字节无法解码"),
    Step(StepKind.DECISION, "改用GB18030编码读取文件", reason="银行使用GB18030编码"),
    Step(StepKind.TOOL, tool="load_csv", input="三月.csv", output="412行"),
)


def test_draft_says_what_happened_why_and_what_to_do_each_with_its_steps() -> None:
    reflection = draft(IMPORT)
    assert {s.part for s in reflection.sentences} == {"happened", "why", "next_time"}
    assert all(set(s.steps) <= {1, 2, 3} and s.steps for s in reflection.sentences)
    assert "UnicodeDecodeError at byte 812" in reflection.part("happened")
    assert "the bank writes GB18030" in reflection.part("why")
    assert "Read the file as GB18030" in reflection.part("next_time")
    assert lesson_text(IMPORT, reflection).startswith('Lesson of the task "Import the March invoices"')


def test_draft_of_a_chinese_run_is_chinese() -> None:
    reflection = draft(CHINESE)
    assert "第1步（load_csv）失败" in reflection.part("happened").replace(" (load_csv)", "（load_csv）")
    assert reflection.part("next_time").startswith("下次一开始就")
    assert lesson_text(CHINESE, reflection).startswith("任务“导入三月的发票”的教训")


def test_draft_of_a_run_that_failed_names_what_stayed_unsolved() -> None:
    failed = run(
        "Deploy the render queue",
        Step(StepKind.TOOL, tool="deploy", input="rig7", error="disk is full"),
        Step(StepKind.RETRY, tool="deploy", input="rig7", error="disk is full"),
        status=TaskStatus.FAILURE,
    )
    reflection = draft(failed)
    assert "disk is full" in reflection.part("why")
    assert reflection.part("next_time").startswith("Next time, do not repeat deploy as it was (rig7)")


def test_draft_heeds_what_the_user_corrected() -> None:
    told = run("Write the report", Step(StepKind.RESULT, "done"), Step(StepKind.CORRECTION, "Dates go first, please"))
    assert "Dates go first, please" in draft(told).part("next_time")


@pytest.mark.parametrize(
    "quiet",
    [
        run("Greet", Step(StepKind.RESULT, "hello")),
        run("Wait", Step(StepKind.ERROR, "boom"), status=TaskStatus.RUNNING),
    ],
)
def test_run_that_teaches_nothing_makes_no_lesson_and_says_why(quiet: Trajectory) -> None:
    reflection = draft(quiet)
    assert reflection.sentences == ()
    assert reflection.reason


@pytest.mark.parametrize(
    ("sentence", "steps"),
    [
        ("The bank writes GB18030 [2].", (2,)),
        ("It failed (steps 1, 3).", (1, 3)),
        ("It failed [steps 1-3].", (1, 2, 3)),
        ("银行使用GB18030编码（步骤2）。", (2,)),
        ("第一次失败【1、3】", (1, 3)),
        ("In 2026 it failed.", ()),
        ("It read 412 rows.", ()),
    ],
)
def test_steps_that_a_sentence_names_are_read_in_both_languages(sentence: str, steps: tuple[int, ...]) -> None:
    assert cited(sentence) == steps


@pytest.mark.parametrize(
    ("told", "sentence", "why_not"),
    [
        (IMPORT, "The bank writes GB18030 [2].", ""),
        (IMPORT, "Loading march.csv failed at byte 812 [1].", ""),
        (CHINESE, "银行使用GB18030编码（步骤2）。", ""),
        (CHINESE, "load_csv 在第812字节失败 [1]。", ""),
        (IMPORT, "The bank writes GB18030.", "names no step"),
        (IMPORT, "The bank writes GB18030 [7].", "no step 7"),
        (IMPORT, "It failed at byte 999 [1].", "number 999"),
        (IMPORT, "The network cable was unplugged by the cleaner [1].", "do not say so"),
        (CHINESE, "网线被清洁工拔掉了（步骤1）。", "do not say so"),
    ],
)
def test_sentence_is_taken_only_where_its_steps_bear_it_out(told: Trajectory, sentence: str, why_not: str) -> None:
    reflection = checked(told, {"happened": "", "why": sentence, "next_time": ""})
    if why_not:
        assert why_not in reflection.dropped[0].reason
        assert reflection.sentences == ()
    else:
        assert not reflection.dropped
        assert reflection.sentences[0].steps
        assert "[" not in reflection.sentences[0].text
        assert "（步骤" not in reflection.sentences[0].text


def test_each_sentence_is_judged_alone_and_what_lacks_is_named() -> None:
    reflection = checked(
        IMPORT,
        {
            "happened": "load_csv failed at byte 812 [1]. Then aliens came [1].",
            "why": "The bank writes GB18030 [2].",
            "next_time": "Buy a boat [3].",
        },
    )
    assert [s.part for s in reflection.sentences] == ["happened", "why"]
    assert [d.part for d in reflection.dropped] == ["happened", "next_time"]
    assert reflection.reason == "no sentence of next_time is borne out by the steps"


def test_empty_reflection_is_refused() -> None:
    with pytest.raises(InvalidInput, match="empty"):
        checked(IMPORT, {"happened": " ", "why": "", "next_time": ""})


@pytest.mark.parametrize(
    "told",
    [3, {"kind": "dream"}, {"text": 3}, {"wrong": "x"}, {"at": "soon"}, {"tokens": "many"}, {"number": 3}],
)
def test_step_that_cannot_work_is_refused(told: object) -> None:
    with pytest.raises(InvalidInput):
        step_of(told)


def test_step_of_json_keeps_every_field() -> None:
    step = step_of({"kind": "tool", "tool": "grep", "input": "错误", "at": "2026-03-01T08:00:00+08:00", "tokens": 9})
    assert (step.kind, step.tool, step.input, step.tokens) == (StepKind.TOOL, "grep", "错误", 9)
    assert step.at == AT
