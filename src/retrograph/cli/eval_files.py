"""The files that `eval` reads: labelled questions with memories, and task runs; every fault is named by its line.

It loads pydantic, so that the command imports it when it runs, not when it is offered.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from retrograph.errors import InvalidInput
from retrograph.memory.evaluating import Labelled, TaskRun
from retrograph.models import MemoryType, Scope, Source, Status

_SHOWN = 80
_FORMAT = "docs/evaluation.md shows the file format."


def _read_time(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f"is no time: {_quoted(value)}")
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"is no time: {_quoted(value)}") from None


def _told(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("is no text")
    return value


def _none_is_empty(value: Any) -> Any:
    return value or []


_Time = Annotated[datetime | None, BeforeValidator(_read_time)]
_Text = Annotated[str, BeforeValidator(_told)]
_Texts = Annotated[list[_Text], BeforeValidator(_none_is_empty)]
_Fraction = Annotated[float | None, Field(ge=0, le=1)]
_Days = Annotated[float | None, Field(gt=0, le=1_000_000)]
_Object = dict[str, Any]


class _Line(BaseModel):
    # An unknown key is an error: a misspelt one would change what is measured without a word.
    model_config = ConfigDict(extra="forbid", strict=True)

    def given(self) -> _Object:
        """What the line says, as the facade takes it."""
        return {name: getattr(self, name) for name in self.model_fields_set if getattr(self, name) is not None}


class _Memory(_Line):
    content: _Text
    id: str | int | None = None
    type: MemoryType | None = None
    summary: str | None = None
    domain: str | None = None
    tags: list[str] | None = None
    importance: _Fraction = None
    confidence: _Fraction = None
    source: Source | None = None
    scope: Scope | None = None
    speaker: str | None = None
    occurred_at: _Time = None
    occurred_until: _Time = None
    valid_from: _Time = None
    valid_until: _Time = None
    expires_at: _Time = None
    half_life_days: _Days = None
    pinned: bool | None = None
    metadata: _Object | None = None


class _Where(_Line):
    types: list[MemoryType] | None = None
    domain: str | None = None
    tags: list[str] | None = None
    session: str | None = None
    source: Source | None = None
    since: _Time = None
    until: _Time = None
    as_of: _Time = None
    deep: bool | None = None
    statuses: list[Status] | None = None
    metadata: _Object | None = None


class _Options(_Line):
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    hops: Annotated[int | None, Field(ge=0, le=3)] = None
    decay: Annotated[float | None, Field(gt=0, le=1)] = None
    preset: str | None = None
    min_score: _Fraction = None
    max_tokens: Annotated[int | None, Field(ge=1)] = None
    half_life_days: _Days = None
    now: _Time = None
    text: bool | None = None
    diversity: bool | None = None


class _Question(_Line):
    question: _Text
    ids: _Texts = []
    contents: _Texts = []
    where: Annotated[_Object, BeforeValidator(lambda value: value or {})] = {}
    options: Annotated[_Object, BeforeValidator(lambda value: value or {})] = {}


class _Run(_Line):
    task: _Text
    success: bool
    rounds: Annotated[int, Field(ge=1)] = 1
    errors: _Texts = []
    tokens: Annotated[int | None, Field(ge=0)] = None
    recalled: Annotated[int | None, Field(ge=0)] = None
    used: Annotated[int | None, Field(ge=0)] = None


_L = TypeVar("_L", bound=_Line)


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """What a labelled file holds: fields of `Memory.write` (and an `id`), and questions."""

    memories: list[_Object]
    questions: list[Labelled]


def read_labelled(path: Path) -> LabelledFile:
    """Reads a file of questions and memories.

    Raises:
        InvalidInput: It cannot be read; the message names the line and the field.
    """
    memories: list[_Object] = []
    questions: list[tuple[str, Labelled]] = []
    for at, row in _lines(path):
        if "content" in row and "question" in row:
            raise InvalidInput(f"{at}: both a question and a memory (`content`)", cure="Write two lines.")
        if "content" in row:
            memory = _read(_Memory, row, at=at).given()
            memories.append(memory | ({"id": str(memory["id"])} if "id" in memory else {}))
        elif "question" in row:
            read = _read(_Question, row, at=at)
            more = _read(_Where, read.where, at=f"{at}, where").given()
            more |= _read(_Options, read.options, at=f"{at}, options").given()
            questions.append((at, Labelled(read.question, tuple(read.ids), tuple(read.contents), more)))
        else:
            raise InvalidInput(f"{at}: neither a question nor a memory (`content`)", cure=_FORMAT)
    if memories:
        named = {memory.get("id") for memory in memories}
        for at, question in questions:
            if unknown := [name for name in question.ids if name not in named]:
                raise InvalidInput(
                    f"{at}: no memory of this file has the id {unknown[0]!r}",
                    cure="With memories in the file, questions are asked of these alone: give one of them that id.",
                )
    return LabelledFile(memories, [question for _, question in questions])


def read_runs(path: Path) -> list[TaskRun]:
    """Reads a file of task runs.

    Raises:
        InvalidInput: It cannot be read, or holds no run; the message names the line and the field.
    """
    runs: list[TaskRun] = []
    for at, row in _lines(path):
        run = _read(_Run, row, at=at)
        if (run.used or 0) > (run.recalled or 0):
            raise InvalidInput(f"{at}: used: {run.used} of {run.recalled or 0} recalled memories", cure=_FORMAT)
        runs.append(TaskRun(run.task, run.success, run.rounds, tuple(run.errors), run.tokens, run.recalled, run.used))
    if not runs:
        raise InvalidInput(f"{path}: there is no run in it", cure=_FORMAT)
    return runs


def _lines(path: Path) -> list[tuple[str, _Object]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path}: not UTF-8 text (byte {error.start})", cure="Save it as UTF-8.", field="files"
        ) from error
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}", cure="Name a file of JSON lines.", field="files") from error
    rows: list[tuple[str, _Object]] = []
    # By line feeds alone: a text may hold other signs that Python takes for the end of a line.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        at = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            cure = _FORMAT
            if number == 1 and line.lstrip().startswith(("[", "{")):
                cure = "One JSON object a line, not one document over many lines. " + _FORMAT
            raise InvalidInput(f"{at}: no JSON: {error}", cure=cure, field="files") from error
        if not isinstance(row, dict):
            raise InvalidInput(f"{at}: no JSON object", cure=_FORMAT, field="files")
        rows.append((at, cast(_Object, row)))
    return rows


def _read(kind: type[_L], row: Mapping[str, Any], *, at: str) -> _L:
    try:
        # As JSON: there a list or a word is what it is written as, and nothing is guessed.
        return kind.model_validate_json(json.dumps(row))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in fault["loc"]) or "line"
        known = ", ".join(sorted(kind.model_fields))
        if fault["type"] == "extra_forbidden":
            raise InvalidInput(f"{at}: unknown field {name!r}", cure=f"Known: {known}.", field=name) from None
        raise InvalidInput(f"{at}: {name}{_said(fault)}", cure=_FORMAT, field=name) from None


_KINDS = {
    "list_type": " is no list of texts",
    "dict_type": " is no object",
    "missing": " is missing",
    "bool_type": " is neither true nor false",
    "int_type": " is no whole number",
    "int_from_float": " is no whole number",
    "float_type": " is no number",
    "string_type": " is no text",
}


def _said(fault: Mapping[str, Any]) -> str:
    if fault["type"] in _KINDS:
        return f"{_KINDS[fault['type']]}"
    message = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "value_error":
        return f" {message}"
    return f": {message[:1].lower()}{message[1:]}, not {_quoted(fault['input'])}"


def _quoted(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
