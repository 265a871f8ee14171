"""Task runs in the graph: recorded as they come, reflected on, kept from others."""

from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.integration.conftest import ask
from uuid_utils import uuid7

from retrograph.errors import InvalidInput, NotFound
from retrograph.graph import Graph
from retrograph.memory import Memory
from retrograph.memory.trajectories import Step, StepKind, TaskStatus
from retrograph.models import MemoryType
from retrograph.settings import TrajectorySettings
from retrograph.transfer import export_bank, import_bank

FAILED = Step(StepKind.TOOL, tool="load_csv", input="march.csv", error="UnicodeDecodeError at byte 812")
DECIDED = Step(StepKind.DECISION, "Read the file as GB18030", reason="银行使用GB18030编码")
WORKED = Step(StepKind.TOOL, tool="load_csv", input="march.csv encoding=gb18030", output="412 rows")


@pytest.fixture
def mine(memory: Memory) -> Memory:
    """The memory of one user."""
    return memory.for_identity(replace(memory.identity, user="ada"))


def test_steps_come_one_after_another_and_keep_their_order(mine: Memory, graph: Graph) -> None:
    begun = mine.record_trajectory("Import the March invoices", [FAILED], task_type="billing")
    mine.record_trajectory(steps=[DECIDED], trajectory_id=begun.id)
    done = mine.record_trajectory(steps=[WORKED], trajectory_id=begun.id, status=TaskStatus.SUCCESS)
    assert [step.number for step in done.steps] == [1, 2, 3]
    assert [step.kind for step in done.steps] == [StepKind.TOOL, StepKind.DECISION, StepKind.TOOL]
    assert done.status is TaskStatus.SUCCESS
    assert done.ended_at
    chain = ask(
        graph,
        "MATCH (:Trajectory {id: $id})-[:STEP]->(a)-[:NEXT]->(b) RETURN a.number AS a, b.number AS b ORDER BY a",
        id=begun.id,
    )
    assert chain == [{"a": 1, "b": 2}, {"a": 2, "b": 3}]
    with pytest.raises(InvalidInput, match="ended as success"):
        mine.record_trajectory(steps=[WORKED], trajectory_id=begun.id)


def test_step_told_again_changes_nothing(mine: Memory) -> None:
    step = replace(FAILED, id=str(uuid7()))
    begun = mine.record_trajectory("导入发票", [step])
    again = mine.record_trajectory(steps=[step, DECIDED], trajectory_id=begun.id)
    assert [s.number for s in again.steps] == [1, 2]


def test_steps_of_two_runs_may_have_the_same_ids(mine: Memory, memory: Memory) -> None:
    told = [replace(FAILED, id="1"), replace(DECIDED, id="第二步")]
    elsewhere = memory.for_identity(replace(memory.identity, bank=f"test-{uuid7()}"))
    runs = [here.record_trajectory("导入发票", told) for here in (mine, mine, elsewhere)]
    assert [[step.id for step in run.steps] for run in runs] == [["1", "第二步"]] * 3
    again = elsewhere.record_trajectory(steps=told, trajectory_id=runs[2].id)
    assert [step.id for step in again.steps] == ["1", "第二步"]


def test_policy_cuts_the_middle_of_long_texts_and_drops_kinds_of_a_task_type(memory: Memory) -> None:
    settings = memory.settings.model_copy(
        update={"trajectories": TrajectorySettings(cut_chars=100, drop=("billing=thought", "other=tool"))}
    )
    strict = Memory(settings, identity=memory.identity, shared=memory._resources)
    long = replace(FAILED, output="begin" + "x" * 5_000 + "the end")
    run = strict.record_trajectory("t", [Step(StepKind.THOUGHT, "hm"), long], task_type="billing")
    assert [step.kind for step in run.steps] == [StepKind.TOOL]
    assert run.left_out == 1
    assert run.steps[0].output.startswith("begin")
    assert run.steps[0].output.endswith("the end")
    assert len(run.steps[0].output) < 200


def test_lesson_is_linked_to_its_run_and_found_as_a_pitfall(mine: Memory) -> None:
    run = mine.record_trajectory(
        "Import the March invoices", [FAILED, DECIDED, WORKED], task_type="billing", status=TaskStatus.SUCCESS
    )
    assert mine.draft_reflection(run.id).memory_id is None
    reflection = mine.reflect(
        run.id,
        happened="load_csv failed at byte 812 [1].",
        why="银行使用GB18030编码（步骤2）。 The moon was full [3].",
        next_time="Read the file as GB18030 [2, 3].",
    )
    assert reflection.memory_id
    assert [item.text for item in reflection.dropped] == ["The moon was full [3]."]
    lesson = mine.get(reflection.memory_id).memory
    assert lesson.type is MemoryType.LESSON
    assert lesson.domain == "billing"
    assert lesson.experience
    assert lesson.experience.root_cause == "银行使用GB18030编码。"
    assert mine.trajectory(run.id).lessons == (reflection.memory_id,)
    assert mine.reflect(run.id, why="银行使用GB18030编码 [2].", next_time="Read the file as GB18030 [2].").memory_id
    assert mine.search("importing invoices as GB18030").hits[0].memory.id == reflection.memory_id


def test_failed_run_without_words_of_the_agent_makes_a_lesson_of_its_own(mine: Memory) -> None:
    run = mine.record_trajectory(
        "部署渲染队列", [replace(FAILED, tool="deploy", error="磁盘已满")], status=TaskStatus.FAILURE
    )
    reflection = mine.reflect(run.id)
    assert reflection.memory_id
    experience = mine.get(reflection.memory_id).memory.experience
    assert experience
    assert experience.outcome == "failure"
    assert "磁盘已满" in experience.root_cause


def test_run_that_goes_on_or_teaches_nothing_makes_no_lesson(mine: Memory) -> None:
    run = mine.record_trajectory("t", [Step(StepKind.RESULT, "fine")])
    with pytest.raises(InvalidInput, match="still runs"):
        mine.reflect(run.id)
    mine.record_trajectory(trajectory_id=run.id, status=TaskStatus.SUCCESS)
    assert mine.reflect(run.id).memory_id is None
    assert mine.reflect(run.id).reason


def test_runs_of_others_are_not_there(mine: Memory) -> None:
    run = mine.record_trajectory("secret task", [FAILED], status=TaskStatus.FAILURE)
    for stranger in (
        mine.for_identity(replace(mine.identity, user="bo")),
        mine.for_identity(replace(mine.identity, bank=f"test-{uuid7()}")),
    ):
        for attempt in (
            lambda who=stranger: who.trajectory(run.id),
            lambda who=stranger: who.record_trajectory(steps=[DECIDED], trajectory_id=run.id),
            lambda who=stranger: who.reflect(run.id),
            lambda who=stranger: who.forget_trajectory(run.id),
        ):
            with pytest.raises(NotFound):
                attempt()
        assert stranger.trajectories() == ()
    assert [found.id for found in mine.trajectories(status=TaskStatus.FAILURE)] == [run.id]
    assert mine.trajectories(task_type="billing") == ()


def test_forgotten_run_leaves_none_of_its_words_and_its_lesson(mine: Memory, graph: Graph) -> None:
    run = mine.record_trajectory("t", [replace(FAILED, error="zyxw went wrong")], status=TaskStatus.FAILURE)
    lesson = mine.reflect(run.id).memory_id
    assert lesson
    assert mine.forget_trajectory(run.id) == 1
    assert ask(graph, "MATCH (s:Step) WHERE s.bank = $bank RETURN count(*) AS n", bank=mine.identity.bank) == [{"n": 0}]
    assert mine.get(lesson).memory.id == lesson


@pytest.fixture
def copied(mine: Memory, graph: Graph, tmp_path: Path) -> Iterator[Memory]:
    """The bank under another name."""
    out = StringIO()
    export_bank(graph, mine.identity.bank, out)
    file = tmp_path / "bank.jsonl"
    file.write_text(out.getvalue(), encoding="utf-8")
    other = mine.for_identity(replace(mine.identity, bank=f"test-{uuid7()}"))
    import_bank(graph, file, bank=other.identity.bank, encoder=mine._resources.encoder, timezone=ZoneInfo("UTC"))
    yield other


@pytest.fixture
def told(mine: Memory) -> str:
    """A run with its lesson."""
    run = mine.record_trajectory("Import", [FAILED, DECIDED, WORKED], status=TaskStatus.SUCCESS)
    mine.reflect(run.id)
    return run.id


def test_runs_and_their_lessons_move_with_the_bank(mine: Memory, told: str, copied: Memory) -> None:
    (run,) = copied.trajectories()
    assert run.id != told
    assert len(copied.trajectory(run.id).steps) == 3
    assert [copied.get(lesson).memory.type for lesson in run.lessons] == [MemoryType.LESSON]
