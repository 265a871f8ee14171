"""Reflection: what a task run teaches, in three parts, each sentence traceable to the steps that show it.

Without a model the draft quotes the deciding steps. What the calling agent writes instead is taken sentence by
sentence: one that names no step, or a step that is not there, or that its steps do not bear out, is dropped and the
reason told.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from retrograph.errors import InvalidInput
from retrograph.extraction import detect_language
from retrograph.extraction.duplicates import signature
from retrograph.memory.drafts import Draft
from retrograph.memory.trajectories import Step, StepKind, TaskStatus, Trajectory
from retrograph.models import Experience, Language, MemoryType, Source

Part = Literal["happened", "why", "next_time"]
PARTS: tuple[Part, ...] = ("happened", "why", "next_time")
_SUPPORT = 0.34
"""Least share of a sentence's content words that its steps, or the task, say too."""
_QUOTED = 240
_SENTENCE = re.compile(
    r"[^.!?。！？\n]+(?:[.!?](?=\d|\w)[^.!?。！？\n]*)*[.!?。！？]*(?:\s*[\[(（【][^\])）】]*[\])）】])*"
)
_CITED = re.compile(
    r"[\[(（【]\s*(?:steps?|步骤|第)?\s*#?((?:\d+(?:步)?(?:\s*[,，、;和及-]\s*|\s*and\s*)?)+)\s*[\])）】]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReflectedSentence:
    """A sentence of a reflection, and the numbers of the steps that show it."""

    part: Part
    text: str
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DroppedSentence:
    """A sentence that was not taken, and why."""

    part: Part
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a task run teaches.

    Attributes:
        trajectory_id: The run.
        sentences: What happened, why, and what to do next time; empty where the run teaches nothing.
        dropped: What was not taken of the caller's text.
        memory_id: The lesson that was stored; None for a draft.
        reason: Why there is no lesson, where there is none.
    """

    trajectory_id: str
    sentences: tuple[ReflectedSentence, ...]
    dropped: tuple[DroppedSentence, ...] = ()
    memory_id: str | None = None
    reason: str = ""

    def part(self, part: Part) -> str:
        """The sentences of one part, as one text."""
        joint = "" if detect_language(self.sentences[0].text if self.sentences else "") is Language.CHINESE else " "
        return joint.join(s.text for s in self.sentences if s.part == part)

    def experience(self, *, succeeded: bool) -> Experience:
        """It as the structured value of a lesson."""
        return Experience(
            problem=self.part("happened"),
            root_cause=self.part("why"),
            solution=self.part("next_time"),
            verified=succeeded,
            outcome="success" if succeeded else "failure",
        )


def draft(run: Trajectory) -> Reflection:
    """A reflection made of the run's own words: what went wrong, what turned it, what to do next time.

    A run without an error, a retry or a correction teaches nothing new; neither does one that still runs.
    """
    if run.status is TaskStatus.RUNNING:
        return Reflection(run.id, (), reason="the task still runs")
    failures = [step for step in run.steps if step.failed]
    corrections = [step for step in run.steps if step.kind is StepKind.CORRECTION]
    if not failures and not corrections:
        return Reflection(run.id, (), reason="nothing went wrong in it, and nobody corrected it")
    words = _Words(run)
    sentences = [words.outcome()]
    sentences += [words.failed(step) for step in failures[-3:]]
    sentences += [words.corrected(step) for step in corrections[-3:]]
    turn = _turn(run, failures)
    if turn:
        failed, fixed = turn
        sentences += [words.turned(failed, fixed), words.do(failed, fixed)]
    elif corrections:
        sentences += [words.heed(corrections[-1])]
    else:
        sentences += [words.unsolved(failures[-1]), words.avoid(failures[-1])]
    return Reflection(run.id, tuple(sentences))


def checked(run: Trajectory, texts: dict[Part, str]) -> Reflection:
    """The caller's reflection, with what the steps do not bear out dropped.

    Args:
        run: The task run.
        texts: Its three parts; each sentence names its steps in brackets: `[3]`, `[steps 3, 4]`, `（步骤3）`.

    Raises:
        InvalidInput: No part has a text.
    """
    if not any(text.strip() for text in texts.values()):
        raise InvalidInput("the reflection is empty", cure="Give happened, why and next_time.", field="happened")
    steps = {step.number: step for step in run.steps}
    kept: list[ReflectedSentence] = []
    dropped: list[DroppedSentence] = []
    for part in PARTS:
        for sentence in sentences_of(texts.get(part, "")):
            numbers = cited(sentence)
            text = " ".join(_CITED.sub(" ", sentence).split()).replace(" .", ".").replace(" 。", "。").strip()
            reason = _fault(text, numbers, steps, run.task)
            if reason:
                dropped.append(DroppedSentence(part, sentence.strip(), reason))
            else:
                kept.append(ReflectedSentence(part, text, numbers))
    missing = [part for part in ("why", "next_time") if not any(s.part == part for s in kept)]
    reason = f"no sentence of {' and '.join(missing)} is borne out by the steps" if missing else ""
    return Reflection(run.id, tuple(kept), tuple(dropped), reason=reason)


def cited(sentence: str) -> tuple[int, ...]:
    """Numbers of the steps that a sentence names, ascending."""
    found: set[int] = set()
    for match in _CITED.finditer(sentence):
        for first, last in re.findall(r"(\d+)(?:\s*-\s*(\d+))?", match[1]):
            found |= set(range(int(first), min(int(last or first), int(first) + 50) + 1))
    return tuple(sorted(found))


def lesson_text(run: Trajectory, reflection: Reflection) -> str:
    """The lesson in one statement: the task, why, and what to do next time."""
    why, advice = reflection.part("why"), reflection.part("next_time")
    if detect_language(run.task) is Language.CHINESE:
        return f"任务“{_short(run.task)}”的教训：{why}{advice}"
    return f'Lesson of the task "{_short(run.task)}": {why} {advice}'


def lesson_row(memory_id: str, reflection: Reflection, *, drafted: bool) -> dict[str, Any]:
    """A row of `link_lesson`: each sentence with the numbers of its steps, and each step with the parts that cite it.

    Args:
        memory_id: The lesson.
        reflection: What it says.
        drafted: It is made of the run's own words.
    """
    cited: dict[int, list[str]] = {}
    for sentence in reflection.sentences:
        for number in sentence.steps:
            cited.setdefault(number, []).append(sentence.part)
    told = [[sentence.part, sentence.text, list(sentence.steps)] for sentence in reflection.sentences]
    return {
        "memory_id": memory_id,
        "trajectory_id": reflection.trajectory_id,
        "sentences": json.dumps(told, ensure_ascii=False),
        "drafted": drafted,
        "cited": [{"number": number, "parts": sorted(set(parts))} for number, parts in sorted(cited.items())],
    }


def lesson_draft(run: Trajectory, reflection: Reflection) -> Draft:
    """The lesson of a run as a statement to write, for those who may see the run."""
    return Draft(
        lesson_text(run, reflection),
        type=MemoryType.LESSON,
        domain=run.task_type,
        source=Source.INFERENCE,
        scope=run.scope,
        experience=reflection.experience(succeeded=run.status is TaskStatus.SUCCESS),
        occurred_at=run.ended_at,
    )


def _fault(text: str, numbers: Sequence[int], steps: dict[int, Step], task: str) -> str:
    if not text.strip(" .。"):
        return "it says nothing"
    if not numbers:
        return "it names no step: write its number in brackets, [3]"
    missing = [number for number in numbers if number not in steps]
    if missing:
        return f"there is no step {', '.join(map(str, missing))}"
    mine = signature(text)
    theirs = [signature(steps[number].words) for number in numbers]
    context = signature(task)
    strange = set(mine.numbers) - {n for sign in (*theirs, context) for n in sign.numbers}
    if strange:
        return f"its steps do not have the number {', '.join(sorted(strange))}"
    known = {word for sign in (*theirs, context) for word in (*sign.words, *sign.names)}
    words = set(mine.words)
    if not words or len(words & known) / len(words) < _SUPPORT:
        return "its steps do not say so: too few of its words are theirs"
    return ""


def _turn(run: Trajectory, failures: Sequence[Step]) -> tuple[Step, Step] | None:
    """The last failure that was overcome, and the step that overcame it."""
    for failed in reversed(failures):
        later = [step for step in run.steps if step.number > failed.number and not step.failed]
        same = [step for step in later if step.tool and step.tool == failed.tool]
        if same and (run.status is TaskStatus.SUCCESS or same[-1].output):
            decided = [s for s in later if s.number < same[-1].number and s.kind is StepKind.DECISION]
            return failed, decided[-1] if decided else same[-1]
        if run.status is TaskStatus.SUCCESS and later:
            decided = [step for step in later if step.kind in (StepKind.DECISION, StepKind.RETRY)]
            return failed, (decided or later)[-1]
    return None


def sentences_of(text: str) -> list[str]:
    """The sentences of a text in either language, each with the brackets behind it."""
    return [found.strip() for found in _SENTENCE.findall(text) if found.strip()]


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _QUOTED else words[: _QUOTED - 1] + "…"


class _Words:
    """The draft's sentences, in the language of the task."""

    def __init__(self, run: Trajectory) -> None:
        self._run = run
        self._zh = detect_language(run.task) in (Language.CHINESE, Language.MIXED)

    def outcome(self) -> ReflectedSentence:
        """How it ended."""
        run, last = self._run, self._run.steps[-1].number
        won = run.status is TaskStatus.SUCCESS
        en = f'The task "{_short(run.task)}" {"succeeded" if won else "failed"} after {len(run.steps)} steps.'
        zh = f"任务“{_short(run.task)}”经过{len(run.steps)}步后{'成功' if won else '失败'}。"
        return self._said("happened", en, zh, last)

    def failed(self, step: Step) -> ReflectedSentence:
        """What went wrong."""
        where = f" ({step.tool})" if step.tool else ""
        wrong = _end(_short(step.error or step.text or step.output))
        return self._said(
            "happened",
            f"Step {step.number}{where} failed: {wrong}",
            f"第{step.number}步{where}失败：{wrong}",
            step.number,
        )

    def corrected(self, step: Step) -> ReflectedSentence:
        """What the user said."""
        told = _end(_short(step.text))
        return self._said("happened", f"The user corrected: {told}", f"用户纠正：{told}", step.number)

    def turned(self, failed: Step, fixed: Step) -> ReflectedSentence:
        """Why it worked in the end."""
        what = _end(_short(fixed.reason or fixed.text or fixed.input))
        # Without the steps' numbers, which another run of the same task need not share: equal lessons are told alike.
        en = f"What overcame the failure: {what}"
        zh = f"克服失败的是：{what}"
        return self._said("why", en, zh, failed.number, fixed.number)

    def do(self, failed: Step, fixed: Step) -> ReflectedSentence:
        """What to do next time."""
        what = _end(_short(fixed.text or fixed.input or fixed.reason))
        return self._said(
            "next_time", f"Next time, from the start: {what}", f"下次一开始就：{what}", failed.number, fixed.number
        )

    def heed(self, step: Step) -> ReflectedSentence:
        """What the user wants."""
        told = _end(_short(step.text))
        return self._said(
            "next_time", f"Next time, heed this from the start: {told}", f"下次一开始就注意：{told}", step.number
        )

    def unsolved(self, step: Step) -> ReflectedSentence:
        """What it failed of."""
        wrong = _end(_short(step.error or step.text or step.output))
        return self._said(
            "why", f"Nothing after it overcame this: {wrong}", f"之后没有任何步骤解决这个问题：{wrong}", step.number
        )

    def avoid(self, step: Step) -> ReflectedSentence:
        """What not to do again."""
        what = _short(step.input or step.text or step.tool)
        tool_en, tool_zh = (f"{step.tool} ", f"{step.tool} ") if step.tool and step.tool != what else ("", "")
        en = f"Next time, do not repeat {tool_en}as it was ({what}) before its cause is removed."
        zh = f"下次在消除原因之前，不要原样重复{tool_zh}（{what}）。"
        return self._said("next_time", en, zh, step.number)

    def _said(self, part: Part, en: str, zh: str, *steps: int) -> ReflectedSentence:
        return ReflectedSentence(part, zh if self._zh else en, tuple(sorted(set(steps))))


def _end(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。", "！", "？", "…")) else f"{text}."
