"""Export, import and re-embedding of a bank, with the database real."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from tests.integration.conftest import EPOCH, PlannedEncoder, ask, dump
from uuid_utils import uuid7

from retrograph.errors import Conflict, EncoderError, EncoderMismatch, InvalidInput, NotFound
from retrograph.graph import Graph, bank_space
from retrograph.memory import Memory
from retrograph.models import EntityInput, MemoryType, Turn
from retrograph.transfer import export_bank, import_bank, reembed_bank

UTC_ZONE = ZoneInfo("UTC")

STORY = [
    Turn("Priya lives in Lyon.", session="s", speaker="Ann", occurred_at=EPOCH, id="1"),
    Turn("Priya lives in Turin now.", session="s", speaker="Ann", occurred_at=EPOCH + timedelta(days=1), id="2"),
    Turn("The render queue runs on rig7.", session="s", speaker="Bob", occurred_at=EPOCH + timedelta(days=2), id="3"),
    Turn("小王负责支付模块。", session="t", occurred_at=EPOCH + timedelta(hours=1), id="4"),
    Turn("支付模块 uses Redis 7.2.", session="t", occurred_at=EPOCH + timedelta(hours=2), id="5"),
    Turn("José met Bob at the 咖啡馆 in Évora.", occurred_at=EPOCH + timedelta(hours=3), id="6"),
]
QUESTIONS = ("where does Priya live", "rig7", "谁负责支付模块", "what does 支付模块 use", "José", "Évora 咖啡馆")


@pytest.fixture
def told(memory: Memory) -> Memory:
    """A bank with a story: versions, an archive, relations, two languages."""
    memory.ingest(STORY)
    memory.write("小李喜欢龙井茶。", force=True, metadata={"a": {"b": [1, "二"]}}, tags=["茶"], pinned=True)
    gone = memory.write("The old printer is in room 4.", force=True, entities=[EntityInput("HP-4")])
    assert gone.id
    memory.forget([gone.id])
    memory.merge_entities("Bob", "Ann", reason="two names of one")
    return memory


def _export(graph: Graph, bank: str, file: Path, **options: Any) -> Path:
    with file.open("w", encoding="utf-8", newline="\n") as out:
        export_bank(graph, bank, out, **options)
    return file


def _import(graph: Graph, file: Path, bank: str | None, memory: Memory, **options: Any) -> Any:
    return import_bank(graph, file, bank=bank, encoder=memory._resources.encoder, timezone=UTC_ZONE, **options)


def _answers(memory: Memory) -> list[Any]:
    found = [memory.search(question, now=EPOCH + timedelta(days=9), deep=True).hits for question in QUESTIONS]
    # Not the scores: how rare a word is, is counted over all banks of a database.
    return [[(hit.memory.content, hit.memory.status) for hit in hits] for hits in found]


def _other(memory: Memory) -> Memory:
    return memory.for_identity(replace(memory.identity, bank=f"test-{uuid7()}"))


@pytest.fixture
def emptied(graph: Graph) -> Callable[[str], None]:
    """Takes a bank out of the database, as if it were another one."""

    def empty(bank: str) -> None:
        ask(graph, "MATCH (n) WHERE n.bank = $bank DETACH DELETE n RETURN count(*) AS n", bank=bank, write=True)
        ask(graph, "MATCH (b:Bank {name: $bank}) DELETE b RETURN count(*) AS n", bank=bank, write=True)

    return empty


def test_export_import_brings_the_bank_back_as_it_was(
    told: Memory, graph: Graph, tmp_path: Path, emptied: Callable[[str], None]
) -> None:
    bank = told.identity.bank
    before, answers = dump(graph, bank), _answers(told)
    assert any(answers)
    file = _export(graph, bank, tmp_path / "bank.jsonl")
    emptied(bank)
    report = _import(graph, file, None, told)
    assert dump(graph, bank) == before
    assert _answers(told) == answers
    assert report.created["Memory"] == 7
    assert report.created["ArchivedMemory"] == 1
    assert (report.encoded, report.merged) == (0, 0)


def test_import_done_again_changes_nothing(told: Memory, graph: Graph, tmp_path: Path) -> None:
    bank = told.identity.bank
    file = _export(graph, bank, tmp_path / "bank.jsonl")
    before = dump(graph, bank)
    report = _import(graph, file, bank, told)
    assert dump(graph, bank) == before
    assert not report.created
    assert report.edges == 0


def test_import_into_another_bank_of_the_same_database_is_a_bank_of_its_own(
    told: Memory, graph: Graph, tmp_path: Path
) -> None:
    other = _other(told)
    file = _export(graph, told.identity.bank, tmp_path / "bank.jsonl")
    report = _import(graph, file, other.identity.bank, told)
    assert report.created["Memory"] == 7
    assert _answers(other) == _answers(told)
    assert _import(graph, file, other.identity.bank, told).edges == 0
    ids = {hit.memory.id for m in (told, other) for hit in m.search("Priya").hits}
    assert len(ids) == 2 * len(told.search("Priya").hits)
    # What was told before is known under the new name: neither the words nor the sources are taken for new ones.
    again = other.ingest(STORY)
    assert again.unchanged == len(STORY)
    assert other.write("The render queue runs on rig7.", force=True, speaker="Bob").outcome.value == "merged"
    assert told.history(next(iter(told.search("Priya").hits)).memory.id)
    other.forget([other.search("龙井茶").hits[0].memory.id], hard=True)
    assert told.search("龙井茶").hits


def test_import_without_vectors_encodes_again_and_answers_the_same(
    told: Memory, graph: Graph, tmp_path: Path, emptied: Callable[[str], None]
) -> None:
    bank, answers = told.identity.bank, _answers(told)
    file = _export(graph, bank, tmp_path / "bank.jsonl", vectors=False)
    emptied(bank)
    report = _import(graph, file, None, told)
    assert report.encoded == 8
    assert _answers(told) == answers


def test_import_of_words_that_the_bank_has_points_to_those_it_has(told: Memory, graph: Graph, tmp_path: Path) -> None:
    other = _other(told)
    mine = other.write("The render queue runs on rig7.", force=True, speaker="Bob").id
    file = _export(graph, told.identity.bank, tmp_path / "bank.jsonl")
    report = _import(graph, file, other.identity.bank, told)
    assert report.merged == 1
    assert [hit.memory.id for hit in other.search("rig7").hits].count(mine) == 1
    assert sum("rig7" in hit.memory.content for hit in other.search("rig7").hits) == 1


def test_dry_run_counts_and_writes_nothing(told: Memory, graph: Graph, tmp_path: Path) -> None:
    other = _other(told)
    file = _export(graph, told.identity.bank, tmp_path / "bank.jsonl")
    report = _import(graph, file, other.identity.bank, told, dry_run=True)
    assert report.created["Memory"] == 7
    assert dump(graph, other.identity.bank) == ([], [])
    assert bank_space(graph, other.identity.bank) is None


def _cut_short(lines: list[str]) -> list[str]:
    return lines[:-1]


def _changed(lines: list[str]) -> list[str]:
    return [line.replace("Lyon", "Nice") for line in lines]


def _of_a_later_format(lines: list[str]) -> list[str]:
    return [lines[0].replace('"format":1', '"format":99'), *lines[1:]]


def _torn(lines: list[str]) -> list[str]:
    return [*lines[:2], lines[2][:40] + "\n"]


@pytest.mark.parametrize(
    "spoil", [_cut_short, _changed, _of_a_later_format, _torn, lambda lines: ["hello\n"], lambda lines: []]
)
def test_spoilt_file_is_refused_and_nothing_is_written(
    told: Memory, graph: Graph, tmp_path: Path, spoil: Callable[[list[str]], list[str]]
) -> None:
    file = _export(graph, told.identity.bank, tmp_path / "bank.jsonl")
    file.write_text("".join(spoil(file.read_text(encoding="utf-8").splitlines(keepends=True))), encoding="utf-8")
    bank = f"test-{uuid7()}"
    with pytest.raises(InvalidInput):
        _import(graph, file, bank, told)
    assert dump(graph, bank) == ([], [])


def test_export_of_a_bank_that_is_not_there_says_so(graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no bank 'nowhere'"):
        _export(graph, "nowhere", tmp_path / "bank.jsonl")


def test_ids_that_live_in_another_bank_are_refused(told: Memory, graph: Graph, tmp_path: Path) -> None:
    bank = told.identity.bank
    file = _export(graph, bank, tmp_path / "bank.jsonl")
    ask(
        graph,
        "MATCH (m:Memory {bank: $bank}) SET m.bank = $other RETURN count(*) AS n",
        bank=bank,
        other=f"{bank}-b",
        write=True,
    )
    with pytest.raises(Conflict, match="is in bank"):
        _import(graph, file, bank, told)


# --- Re-embedding ---------------------------------------------------------------------------------------------------


class OtherSpace(PlannedEncoder):
    """Another encoder: other vectors, another length, and a fault where a test asks for one."""

    name = "test-other-space"
    dimensions = 24

    def __init__(self, *, fails_after: int | None = None, meanwhile: Callable[[], None] | None = None) -> None:
        super().__init__()
        self._left = fails_after
        self._meanwhile = meanwhile

    def encode_documents(self, texts: Any) -> Any:
        if self._meanwhile:
            meanwhile, self._meanwhile = self._meanwhile, None
            meanwhile()
        if self._left is not None:
            if self._left < len(texts):
                raise EncoderError("the model went away")
            self._left -= len(texts)
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Any:
        vector = np.zeros(24, np.float32)
        vector[hash(text) % 24] = 1.0
        return vector


@pytest.fixture
def back_again(graph: Graph) -> Iterator[None]:
    """Frees the slots that a test took."""
    yield
    ask(graph, "MATCH (b:Bank) WHERE b.encoder STARTS WITH 'test-other' DELETE b RETURN count(*) AS n", write=True)


@pytest.fixture(autouse=True)
def _no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrograph.transfer.reembedding.SPACE_KNOWN_S", 0.0)


def _vectors(graph: Graph, bank: str) -> list[dict[str, Any]]:
    return ask(
        graph,
        "MATCH (e) WHERE e.bank = $bank AND e.vector IS NOT NULL "
        "RETURN size(e.vector) AS size, count(*) AS n ORDER BY size",
        bank=bank,
    )


@pytest.mark.usefixtures("back_again")
def test_reembed_moves_every_memory_and_the_archive_and_removes_the_former_vectors(told: Memory, graph: Graph) -> None:
    bank = told.identity.bank
    report = reembed_bank(graph, bank, OtherSpace())
    assert (report.encoder, report.encoded, report.removed) == ("test-other-space", 8, 8)
    assert _vectors(graph, bank) == [{"size": 24, "n": 8}]
    with pytest.raises(EncoderMismatch, match="reembed"):
        told.write("Something new.", force=True)
    again = reembed_bank(graph, bank, OtherSpace())
    assert (again.encoded, again.removed) == (0, 0)
    back = reembed_bank(graph, bank, told._resources.encoder)
    assert back.encoded == 8
    assert told.search("Priya").hits


@pytest.mark.usefixtures("back_again")
def test_reembed_that_failed_half_way_leaves_recall_as_it_was_and_goes_on(
    told: Memory, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrograph.transfer.reembedding._AT_ONCE", 3)
    bank, answers = told.identity.bank, _answers(told)
    with pytest.raises(EncoderError):
        reembed_bank(graph, bank, OtherSpace(fails_after=5))
    assert _answers(told) == answers
    report = reembed_bank(graph, bank, OtherSpace())
    assert report.encoded == 5
    assert _vectors(graph, bank) == [{"size": 24, "n": 8}]


@pytest.mark.usefixtures("back_again")
def test_what_is_written_archived_and_deleted_meanwhile_is_as_it_should_be(told: Memory, graph: Graph) -> None:
    bank = told.identity.bank
    tea = told.search("龙井茶").hits[0].memory.id

    def meanwhile() -> None:
        told.write("Nadia keeps bees in Évora.", force=True)
        told.forget([tea])
        told.forget([told.search("José").hits[0].memory.id], hard=True)

    report = reembed_bank(graph, bank, OtherSpace(meanwhile=meanwhile))
    assert report.was != report.encoder
    rows = ask(
        graph,
        "MATCH (e) WHERE e.bank = $bank AND e.vector IS NOT NULL "
        "OPTIONAL MATCH (m {id: e.id}) WHERE m:Memory OR m:ArchivedMemory "
        "RETURN e.id AS id, e.status AS status, m.content AS content",
        bank=bank,
    )
    assert {row["content"] for row in rows if "Nadia" in (row["content"] or "")} == {"Nadia keeps bees in Évora."}
    assert None not in {row["content"] for row in rows}
    assert [row["status"] for row in rows if row["id"] == tea] == ["archived"]


@pytest.mark.usefixtures("back_again")
def test_reembedding_waits_for_another_process_as_long_as_it_is_told_to(told: Memory, graph: Graph) -> None:
    bank = told.identity.bank
    name, dead = f"reembed:{bank}", "killed"
    # A killed process left its lease: nobody renews it.
    assert graph.run("take_lease", name=name, holder=dead, seconds=2)[0]["taken"]
    with pytest.raises(Conflict, match="at work"):
        reembed_bank(graph, bank, OtherSpace())
    assert reembed_bank(graph, bank, OtherSpace(), wait_s=30).encoder == OtherSpace.name


def test_reembed_of_a_bank_that_is_not_there_says_so(graph: Graph) -> None:
    with pytest.raises(NotFound, match="no bank"):
        reembed_bank(graph, "nowhere", OtherSpace())


def test_a_line_of_the_file_is_json_that_others_can_read(told: Memory, graph: Graph, tmp_path: Path) -> None:
    told.write("茶 is tea.", force=True, type=MemoryType.FACT)
    lines = [
        json.loads(line) for line in _export(graph, told.identity.bank, tmp_path / "b").read_text("utf-8").splitlines()
    ]
    assert lines[0]["retrograph"] == "export"
    assert lines[-1]["end"] is True
    contents = {line["properties"].get("content") for line in lines[1:-1]}
    assert {"茶 is tea.", "小王负责支付模块。"} <= contents


@pytest.mark.usefixtures("back_again")
def test_recall_goes_on_all_the_while_and_never_in_two_spaces(
    told: Memory, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrograph.transfer.reembedding._AT_ONCE", 1)
    seen: list[int] = []

    class Watched(OtherSpace):
        def encode_documents(self, texts: Any) -> Any:
            seen.append(len(told.search("Priya").hits))
            return super().encode_documents(texts)

    expected = len(told.search("Priya").hits)
    assert expected
    reembed_bank(graph, told.identity.bank, Watched(), keep_old=True)
    assert len(seen) == 8
    assert set(seen) == {expected}
    monkeypatch.setattr("retrograph.retrieval.recall.SPACE_KNOWN_S", 0.0)
    with pytest.raises(EncoderMismatch, match="reembed"):
        told.search("Priya")
